package io.matchrecognize.fuzz

/**
 * Random clauses over relations of random plans. The order within a partition is total but for rows
 * that are equal in all columns, so the result is determined.
 *
 * @param other
 *   makes the relation of a subquery in MEASURES or DEFINE
 */
final class PlanClauses(choices: Choices, chances: PlanChances, other: () => PlanRelation) {
  import choices._

  def clause(of: PlanRelation): PlanRelation = {
    val isSorted = !of.isLong && oneIn(8) && of.columns.size > 1 &&
      PlanScope(of.columns).plain.size == of.columns.size
    val input = if (isSorted) sorted(of) else of
    val scope = PlanScope(input.columns)
    val (keys, keyColumns) = if (isSorted) repeated(scope) else keysOf(input, scope)
    val order = orderOf(scope, keyColumns)
    val letters = pick(Seq("A", "B", "C"), Seq("k", "v", "m"), Seq("t", "a", "n"))
    val pattern =
      if (input.isLong) pick(longPatterns: _*) else chances.pick(shortPatterns: _*)(patterns: _*)
    val isAscending = order.headOption.exists { case (column, text) =>
      column.isNumber && text.split(' ').tail.forall(_ != "DESC")
    }
    val within = if (isAscending && oneIn(5)) s" WITHIN ${pick(3, 1, 0, 20)}" else ""
    val mode =
      if (within.nonEmpty && oneIn(3)) "ONE ROW PER MATCH SHOW TIMEOUT MATCHES" else pick(modes: _*)
    val isAllRows = mode.startsWith("ALL") || pattern.contains("{-")
    val rows = if (pattern.contains("{-")) "ALL ROWS PER MATCH" else mode
    val used = Seq("A", "B", "C").zip(letters).filter(v => pattern.contains(v._1)).map(_._2)
    val measures = measuresOf(scope, used, keyColumns.map(_.name))
    val rest = scope.columns.filterNot(c => keyColumns.contains(c) || order.map(_._1).contains(c))
    val output =
      keyColumns ++ (if (isAllRows) order.flatMap(o => scope.columns.filter(_ == o._1)) else Nil) ++
        measures.map(_._2) ++ (if (isAllRows) rest else Nil)
    val skip = if (input.isLong) "" else pick(skips: _*)
    val conditions = used.flatMap(v => condition(scope, v, used.head).map(c => s"$v AS $c"))
    val parts = Seq(
      if (keys.isEmpty) "" else s"PARTITION BY ${keys.mkString(", ")}",
      s"ORDER BY ${order.map(_._2).mkString(", ")}",
      s"MEASURES ${measures.map { case (e, c) => s"$e AS ${c.name}" }.mkString(", ")}",
      rows,
      skip,
      s"PATTERN (${named(pattern, letters)})$within",
      if (conditions.isEmpty) "" else s"DEFINE ${conditions.mkString(", ")}"
    ).filter(_.nonEmpty)
    PlanRelation(
      TablePlan.marked(s"${input.text} MATCH_RECOGNIZE (${parts.mkString(" ")})"),
      output.distinctBy(System.identityHashCode(_)).map(_.copy(qualifier = None)),
      input.isLong
    )
  }

  /** One row is enough. */
  private val shortPatterns =
    Seq("A B*", "A", "A+", "(A | B)+", "A {- B* -} C?", "A? B", "A*", "A{1,3}", "A B* $")
  private val patterns = Seq(
    "A B+",
    "A B",
    "A B*? C",
    "A {- B+ -} C?",
    "PERMUTE(A, B)",
    "^ A B",
    "A{2,3}",
    "(A B)+? C"
  )
  private val longPatterns = Seq("A B", "A B B?", "A{3}")
  private val modes = Seq(
    "",
    "ALL ROWS PER MATCH",
    "ONE ROW PER MATCH",
    "ALL ROWS PER MATCH OMIT EMPTY MATCHES",
    "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
  )
  private val skips = Seq("", "", "AFTER MATCH SKIP TO NEXT ROW", "AFTER MATCH SKIP PAST LAST ROW")

  private def named(pattern: String, letters: Seq[String]): String =
    pattern.replace("PERMUTE", "#").flatMap {
      case c if c >= 'A' && c <= 'C' => letters(c - 'A')
      case '#' => "PERMUTE"
      case c => c.toString
    }

  /** In the order of its first two columns. */
  private def sorted(of: PlanRelation): PlanRelation = {
    val columns = of.columns.map(_.copy(qualifier = None))
    val first = columns.head.name
    val order = s"DISTRIBUTE BY $first SORT BY $first, ${columns(1).name}"
    PlanRelation(s"(SELECT * FROM ${of.text} $order)", columns)
  }

  /** The first column twice: the second one is no key by which the input is sorted. */
  private def repeated(scope: PlanScope): (Seq[String], Seq[PlanColumn]) = {
    val column = scope.columns.head
    (Seq.fill(2)(scope.refTo(choices, column)), Seq(column))
  }

  /** The items of PARTITION BY, and the columns that it adds to the result. */
  private def keysOf(input: PlanRelation, scope: PlanScope): (Seq[String], Seq[PlanColumn]) = {
    val count = if (input.isLong) pick(0, 0, 1) else pick(1, 0, 1, 2, 1)
    // A column and its copy, of which the optimizer makes one.
    val copies = scope.columns.filter(c => scope.columns.count(_.name == c.name) > 1)
    val columns =
      if (copies.nonEmpty && oneIn(2)) copies else choices.shuffle(scope.columns).take(count)
    val plain = columns.map(c => scope.refTo(choices, c) -> Option(c))
    val some =
      if (plain.isEmpty || !oneIn(4)) plain
      else
        below(4) match {
          case 0 => plain :+ (scope.refTo(choices, columns.head) -> None)
          case 1 => plain :+ (s"CONCAT(${scope.refTo(choices, columns.head)}, '')" -> None)
          case 2 => (s"COALESCE(${scope.refTo(choices, columns.head)}, NULL)" -> None) +: plain
          case _ =>
            val isNew = !scope.columns.exists(_.name == "h")
            val number = if (isNew) scope.number(choices) else None
            number.fold(plain)(n => (s"$n % 2 AS h" -> Some(PlanColumn("h", true))) +: plain)
        }
    (some.map(_._1), some.flatMap(_._2))
  }

  /** All other columns, so that only equal rows tie. */
  private def orderOf(scope: PlanScope, keys: Seq[PlanColumn]): Seq[(PlanColumn, String)] = {
    val rest = scope.columns.filterNot(c => keys.exists(_ eq c)) match {
      case Nil => scope.columns.take(1)
      case some => some
    }
    val columns = if (oneIn(3)) choices.shuffle(rest) else rest
    val direction = pick("", "", " DESC", " NULLS LAST", " DESC NULLS FIRST")
    val items = columns.map { c =>
      c -> (scope.refTo(choices, c) + (if (oneIn(4)) direction else ""))
    }
    if (!oneIn(6)) items
    else
      below(2) match {
        case 0 => items :+ items.head
        case _ =>
          scope.number(choices).fold(items)(n => (PlanColumn("", true) -> s"$n % 3") +: items)
      }
  }

  private def measuresOf(
      scope: PlanScope,
      variables: Seq[String],
      taken: Seq[String]
  ): Seq[(String, PlanColumn)] = {
    val names = Seq("n", "m", "x", "A", "v", "k", "c")
    val free = names.filterNot(n => taken.contains(n) || scope.columns.exists(_.name == n))
    val some = (if (oneIn(30)) names else free).drop(below(2)).take(1 + below(3))
    some.map { name =>
      val (text, isNumber) = measure(PlanScope(scope.plain), variables)
      text -> PlanColumn(name, isNumber)
    }
  }

  private def measure(plain: PlanScope, variables: Seq[String]): (String, Boolean) = {
    val of = pick(variables: _*)
    def number(f: String => String) =
      bare(plain.usable.filter(_.isNumber)).fold("COUNT(*)" -> true)(c => f(c.name) -> true)
    def any(f: String => String) =
      bare(plain.usable).fold("COUNT(*)" -> true)(c => f(c.name) -> c.isNumber)
    below(10) match {
      case 0 => "COUNT(*)" -> true
      case 1 => any(c => s"FIRST($c)")
      case 2 => any(c => s"LAST($c)")
      case 3 => any(c => s"MAX($of.$c)")
      case 4 => number(c => s"SUM($c)")
      case 5 => "MATCH_NUMBER()" -> true
      case 6 => "CLASSIFIER()" -> false
      case 7 => number(c => s"COALESCE($of.$c, 0) + 1")
      case 8 => any(c => s"LAST($of.$c, 1)")
      case _ => number(c => s"$c + COALESCE((SELECT ${maxOf(other())}), 0)")
    }
  }

  private def bare(columns: Seq[PlanColumn]): Option[PlanColumn] =
    Option.when(columns.nonEmpty)(pick(columns: _*))

  private def maxOf(relation: PlanRelation): String =
    PlanScope(relation.columns).number(choices).fold("1")(n => s"MAX($n) FROM ${relation.text}")

  private def condition(scope: PlanScope, variable: String, first: String): Option[String] = {
    val plain = PlanScope(scope.plain)
    bare(plain.usable.filter(_.isNumber)).map(_.name).map { n =>
      val value = below(5)
      val isSelective = chances.take()
      below(14) match {
        case kind if !isSelective && kind != 13 =>
          pick(
            s"$n >= 0",
            s"COALESCE($n - PREV($n) > -99, TRUE)",
            s"(COALESCE($n, 1) >= 0 OR $n IN (SELECT ${column(other())}))",
            s"(COALESCE($n, 1) >= 0 OR $n <= (SELECT ${maxOf(other())}))",
            s"($n >= 0 AND EXISTS (SELECT ${column(other())}) OR COALESCE($n, 1) > 0)",
            s"COALESCE($variable.$n <= FIRST($first.$n) + ${value + 9}, TRUE)",
            s"COUNT(*) < ${value + 3}",
            s"COALESCE($n, 0) < 99"
          )
        case 0 => s"$n > $value"
        case 1 => s"$n >= PREV($n)"
        case 2 => s"$n IS NOT NULL"
        case 3 => s"$n <> FIRST($first.$n)"
        case 4 => s"$variable.$n <= FIRST($first.$n) + $value"
        case 5 => s"COUNT(*) < ${value + 1}"
        case 6 => s"SUM($n) < ${value + 6}"
        case 7 => s"$n % 2 = ${value % 2}"
        case 8 => s"COALESCE($n, 1) <> $value AND $n < 9"
        case 9 => s"$n < LAST($first.$n) + 2"
        case 10 => s"$n IN (SELECT ${column(other())})"
        case 11 => s"EXISTS (SELECT ${column(other())} ) AND $n > 1"
        case 12 => s"$n <= (SELECT ${maxOf(other())})"
        case _ => "TRUE"
      }
    }
  }

  private def column(relation: PlanRelation): String =
    PlanScope(relation.columns)
      .number(choices)
      .fold("1")(n => s"$n FROM ${relation.text} WHERE $n > 1")
}
