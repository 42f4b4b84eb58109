package io.matchrecognize.fuzz

/**
 * Random queries around clauses.
 *
 * @param relation
 *   makes a relation of at most this depth
 */
final class PlanQueries(choices: Choices, chances: PlanChances, relation: Int => PlanRelation) {
  import choices._

  private val shapes = new PlanShapes(choices)

  /** A query's text with its columns. */
  type Query = PlanRelation

  def query(depth: Int): Query =
    below(10) match {
      case 6 => setOperation(depth)
      case 7 => limited(depth)
      case 8 | 9 => piped(depth)
      case _ => select(depth)
    }

  private def piped(depth: Int): Query = {
    val inner = math.max(depth - 1, 0)
    new PlanPipes(choices, chances, item(depth, _), correlated(inner, _)).query()
  }

  private val aliases = Seq("a", "t", "m", "b", "k", "A")

  /** An item of FROM; its columns have its alias or the table's name as qualifier. */
  private def item(depth: Int, taken: Seq[String]): PlanRelation = {
    val found = relation(depth)
    val free = if (oneIn(30)) aliases else aliases.filterNot(taken.contains)
    below(6) match {
      case 0 | 1 | 2 => found.as(pick(free: _*))
      case 3 =>
        val names = choices.shuffle(Seq("c1", "k", "g", "v", "n", "c2", "c3", "c4", "c5", "c6"))
        if (found.columns.isEmpty || found.columns.size > names.size) found
        else {
          val columns = found.columns.zip(names).map { case (c, n) => c.copy(name = n) }
          val alias = pick(free: _*)
          val list = columns.map(_.name).mkString("(", ", ", ")")
          found
            .copy(s"${found.text} AS $alias$list", columns)
            .copy(columns = columns.map(_.copy(qualifier = Some(alias))))
        }
      case _ => found
    }
  }

  private def from(depth: Int): PlanRelation = {
    val left = item(depth, Nil)
    val all =
      if (depth == 0 || left.isLong || !oneIn(2)) left
      else {
        val taken = left.columns.flatMap(_.qualifier)
        if (oneIn(4)) lateral(left, depth - 1) else join(left, item(depth - 1, taken))
      }
    if (oneIn(12)) shapes.lateralView(all) else all
  }

  private def join(left: PlanRelation, right: PlanRelation): PlanRelation = {
    val kind = chances.pick("LEFT JOIN", "FULL JOIN", "RIGHT JOIN")(
      "JOIN",
      "LEFT SEMI JOIN",
      "LEFT ANTI JOIN",
      "JOIN"
    )
    val isOneSided = kind.startsWith("LEFT S") || kind.startsWith("LEFT A")
    val (l, r) = (PlanScope(left.columns), PlanScope(right.columns))
    val both = PlanScope(left.columns ++ right.columns)
    val common = l.plain
      .filter(c => r.plain.exists(d => d.name == c.name && d.isNumber == c.isNumber))
      .map(_.name)
    val isUsing = common.nonEmpty && oneIn(3)
    // Each name is compared, and has to be one of a column on each side.
    val shared = left.columns.map(_.name).intersect(right.columns.map(_.name))
    val isNatural = isUsing && !isOneSided && oneIn(2) && shared.forall(common.contains)
    val condition =
      if (isNatural) Some("")
      else if (isUsing) Some(s"USING (${pick(common: _*)})")
      else
        for {
          a <- columnOf(both, left.columns)
          b <- columnOf(both, right.columns)
        } yield s"ON $a = $b" + (if (oneIn(4)) s" AND $a > 1" else "")
    condition.fold(left) { on =>
      val text = s"${left.text} ${if (isNatural) "NATURAL " else ""}$kind ${right.text} $on".trim
      val columns =
        if (isOneSided) left.columns
        else if (isUsing) {
          val keys = if (isNatural) shared.distinct else Seq(on.drop(7).dropRight(1))
          // Both names of a merged column are left alone.
          keys.flatMap(k => left.columns.find(_.name == k)).map(_.copy(qualifier = None)) ++
            (left.columns ++ right.columns).filterNot(c => keys.contains(c.name))
        } else both.columns
      PlanRelation(text, columns, left.isLong || right.isLong)
    }
  }

  private def columnOf(all: PlanScope, some: Seq[PlanColumn]): Option[String] = {
    val usable = some.filter(c => c.isNumber && all.names(c).nonEmpty)
    Option.when(usable.nonEmpty)(all.refTo(choices, pick(usable: _*)))
  }

  /** Above a relation: a subquery in FROM that reads the columns before it. */
  private def lateral(left: PlanRelation, depth: Int): PlanRelation = {
    val inner = correlated(depth, left.columns)
    val text = below(4) match {
      case 0 | 1 => s", LATERAL (SELECT COUNT(*) AS cnt $inner)"
      case 2 => s" JOIN LATERAL (SELECT COUNT(*) AS cnt $inner) AS lat ON TRUE"
      case _ => s" LEFT JOIN LATERAL (SELECT 1 AS cnt $inner) ON TRUE"
    }
    PlanRelation(left.text + text, left.columns :+ PlanColumn("cnt", true), left.isLong)
  }

  /** FROM and WHERE of a subquery that compares a column of its own with one of the outer query. */
  private def correlated(depth: Int, outer: Seq[PlanColumn]): String = {
    val inner = item(depth, if (oneIn(3)) Nil else outer.flatMap(_.qualifier))
    val scope = PlanScope(inner.columns)
    val hidden = inner.columns.map(c => c.name -> c.qualifier)
    val others = PlanScope(outer)
    // A name of the outer query that the inner one does not have, in the form that is used.
    val names = for {
      column <- outer
      if column.isNumber
      name <- others.names(column)
      if !hidden.exists { case (n, q) =>
        name == n || name.startsWith(s"$n.") || q.exists(x => name == s"$x.$n")
      }
    } yield name
    val own = scope.number(choices)
    (own, names) match {
      case (Some(mine), some) if some.nonEmpty =>
        s"FROM ${inner.text} WHERE $mine = ${pick(some: _*)}" +
          (if (oneIn(4)) s" AND $mine > 1" else "")
      case _ => s"FROM ${inner.text}"
    }
  }

  private def where(depth: Int, scope: PlanScope): Seq[String] =
    Seq.fill(pick(0, 1, 1, 2))(()).flatMap { _ =>
      scope.number(choices).map { n =>
        val isSelective = chances.take()
        below(if (depth == 0) 4 else 8) match {
          case other if !isSelective => keeping(n, other, depth, scope)
          case 0 => s"$n > ${below(4)}"
          case 1 => s"$n IN (1, 2)"
          case 2 => s"$n < 2"
          case 3 => s"$n = ${1 + below(3)}"
          case 4 => s"EXISTS (SELECT 1 ${correlated(depth - 1, scope.columns)})"
          case 5 => s"NOT EXISTS (SELECT 1 ${correlated(depth - 1, scope.columns)})"
          case 6 =>
            val inner = item(depth - 1, Nil)
            PlanScope(inner.columns)
              .number(choices)
              .fold("TRUE")(c => s"$n IN (SELECT $c FROM ${inner.text})")
          case _ =>
            s"COALESCE((SELECT COUNT(*) ${correlated(depth - 1, scope.columns)}), 0) >= ${below(3)}"
        }
      }
    }

  /** A condition that most rows satisfy, whatever a subquery in it says. */
  private def keeping(n: String, kind: Int, depth: Int, scope: PlanScope): String = kind match {
    case 0 | 4 => s"$n IS NOT NULL"
    case 1 | 5 => s"COALESCE($n, 1) > 0"
    case 2 => s"$n >= 1"
    case 6 =>
      s"(COALESCE($n, 1) >= 0 OR NOT EXISTS (SELECT 1 ${correlated(depth - 1, scope.columns)}))"
    case 7 => s"(EXISTS (SELECT 1 ${correlated(depth - 1, scope.columns)}) OR $n >= 0)"
    case _ => s"$n <> 3"
  }

  def select(depth: Int): Query = {
    val input = from(depth)
    val scope = PlanScope(input.columns)
    val conditions = where(depth, scope)
    val body = s"FROM ${input.text}" +
      (if (conditions.isEmpty) "" else conditions.mkString(" WHERE ", " AND ", ""))
    val query = below(8) match {
      case 5 | 6 => grouped(scope, body)
      case 7 => windowed(scope, body)
      case 0 => PlanRelation(s"SELECT * $body", input.columns.map(_.copy(qualifier = None)))
      case _ => listed(scope, body)
    }
    query.copy(isLong = input.isLong)
  }

  private def named(expression: String, name: String, isNumber: Boolean = true) =
    s"$expression AS $name" -> PlanColumn(name, isNumber)

  private def listed(scope: PlanScope, body: String): Query = {
    val count = 1 + below(4)
    val items = Seq.fill(count)(()).flatMap { _ =>
      Option.when(scope.usable.nonEmpty) {
        val column = pick(scope.usable: _*)
        val ref = scope.refTo(choices, column)
        below(4) match {
          case 1 => named(ref, pick("k2", "k", "g", "A", "n"), column.isNumber)
          case 2 if column.isNumber => named(s"$ref + 1", pick("x", "v", "k"))
          case _ => ref -> PlanColumn(column.name, column.isNumber)
        }
      }
    }
    val distinct = if (oneIn(5)) "DISTINCT " else ""
    result(items, body, s"SELECT $distinct")
  }

  private def result(
      items: Seq[(String, PlanColumn)],
      body: String,
      select: String = "SELECT "
  ): Query =
    if (items.isEmpty) PlanRelation(s"SELECT COUNT(*) AS n $body", Seq(PlanColumn("n", true)))
    else PlanRelation(s"$select${items.map(_._1).mkString(", ")} $body", items.map(_._2))

  private def grouped(scope: PlanScope, body: String): Query = {
    val columns = Seq.fill(1 + below(2))(()).flatMap(_ => bare(scope))
    val refs = columns.map(c => scope.refTo(choices, c) -> c)
    val total = scope.number(choices).fold("COUNT(*)")(n => pick(s"MAX($n)", s"SUM($n)"))
    val items = refs.map { case (r, c) => r -> PlanColumn(c.name, c.isNumber) } ++
      Seq(named("COUNT(*)", "n"), named(total, "total"))
    val keys = refs.map(_._1) ++ (if (oneIn(5)) refs.map(_._1).take(1) else Nil)
    val having =
      if (oneIn(3)) s" HAVING COUNT(*) > ${chances.pick(0)(1, 2)}" else ""
    val by = if (keys.isEmpty) "" else s" GROUP BY ${keys.mkString(", ")}"
    result(items, body + by + having)
  }

  private def bare(scope: PlanScope): Option[PlanColumn] =
    Option.when(scope.usable.nonEmpty)(pick(scope.usable: _*))

  /** Ordinary windows with the default frame, so that ties have one value. */
  private def windowed(scope: PlanScope, body: String): Query = {
    val items = for {
      key <- scope.ref(choices).toSeq
      order <- scope.ref(choices).toSeq
      value <- scope.number(choices).toSeq
      over = s"(PARTITION BY $key ORDER BY $order)"
      item <- Seq(
        named(s"COUNT(*) OVER (PARTITION BY $key)", "n"),
        named(s"MAX($value) OVER $over", "upto"),
        named(s"RANK() OVER $over", "k")
      ).drop(below(2))
    } yield item
    result(items, body)
  }

  private def setOperation(depth: Int): Query = {
    val kind = chances.pick("UNION ALL", "UNION ALL", "UNION")("INTERSECT", "EXCEPT")
    val inputs = Seq.fill(2)(item(depth, Nil))
    val sides = inputs.map { input =>
      val scope = PlanScope(input.columns)
      val (x, y) = (scope.number(choices).getOrElse("1"), scope.number(choices).getOrElse("2"))
      s"SELECT $x AS ${pick("x", "k")}, $y AS y FROM ${input.text}"
    }
    val first = if (sides.head.contains(" AS x, ")) "x" else "k"
    PlanRelation(
      sides.mkString(s" $kind "),
      Seq(PlanColumn(first, true), PlanColumn("y", true)),
      inputs.exists(_.isLong)
    )
  }

  private def limited(depth: Int): Query = {
    val input = select(depth)
    input.copy(s"${input.text} ORDER BY ALL LIMIT ${1 + below(8)}", isLong = false)
  }
}
