package io.matchrecognize.fuzz

/**
 * Random plans over the tables of [[TablePlanGenerator.tables]]: clauses in clauses, in and below
 * joins, subqueries, aggregates, windows, set operations, views and relations of WITH, beside row
 * pattern windows, and with names from small pools, so that they occur at several levels.
 */
object TablePlanGenerator {
  private val columns =
    Seq("g" -> true, "k" -> true, "v" -> true, "s" -> false).map { case (n, isNumber) =>
      PlanColumn(n, isNumber)
    }

  private def stored(name: String): PlanRelation =
    PlanRelation(name, columns.map(_.copy(qualifier = Some(name))))

  private val sorted = Seq(
    "SELECT * FROM t_rows DISTRIBUTE BY g SORT BY g, k, v, s",
    "SELECT * FROM t_file ORDER BY g, k, v, s",
    "SELECT * FROM t_rows DISTRIBUTE BY g SORT BY g DESC, k DESC",
    "SELECT * FROM t_bucket CLUSTER BY g"
  )

  /** Relations without a clause; the suite creates the tables. */
  val tables: Seq[PlanRelation] =
    Seq("t_rows", "t_file", "t_bucket", "t_cached", "t_laid", "t_pairs").map(stored) ++
      sorted.map(text => PlanRelation(s"($text)", columns)) ++
      Seq(
        PlanRelation("(SELECT g, k, v, s, g AS g2 FROM t_rows)", columns :+ PlanColumn("g2", true)),
        PlanRelation(
          "(SELECT *, k AS k2 FROM t_file DISTRIBUTE BY g SORT BY g, k)",
          columns :+ PlanColumn("k2", true)
        ),
        PlanRelation("(SELECT *, 1 AS one FROM t_rows)", columns :+ PlanColumn("one", true))
      )

  /** What Spark makes of the layout of a table, in joins above all. */
  private val layouts = Seq(
    "partiallyClusteredDistribution",
    "allowJoinKeysSubsetOfPartitionKeys",
    "pushPartValues"
  )

  private val empty = PlanRelation("(SELECT * FROM t_rows WHERE k < 0)", columns)

  /** More rows than a block of the shuffle for each thread. */
  private val long = PlanRelation(
    "(SELECT id % 5 AS g, id AS k, id * 7 % 11 AS v, 'x' AS s FROM range(0, 9000, 1, 2))",
    columns,
    isLong = true
  )

  def plan(choices: Choices): TablePlan = new TablePlanGenerator(choices).make()

  /** A clause over a column and its copy, of which the optimizer makes one. */
  def overCopies(choices: Choices): TablePlan = new TablePlanGenerator(choices).overCopies()

  /** A row pattern window over a relation that the plan reads before it, too. */
  def readTwice(choices: Choices): TablePlan = new TablePlanGenerator(choices).readTwice()
}

final class TablePlanGenerator(choices: Choices) {
  import TablePlanGenerator._
  import choices._

  private var known = Vector.empty[PlanRelation]
  // A clause in DEFINE or MEASURES is refused, except through a name.
  private val chances = new PlanChances(choices)
  private val clauses = new PlanClauses(choices, chances, () => relation(0))
  private val queries = new PlanQueries(choices, chances, relation(_))
  private val windows = new PlanWindows(choices)
  private val shapes = new PlanShapes(choices)

  def make(): TablePlan = {
    val views = named(pick(0, 0, 0, 1), Seq("v1", "v2"))
    // Tables are read by their names in most places, which few other relations fit.
    val hidden = if (oneIn(5)) Seq("t_rows") else Nil
    val ctes = named(pick(0, 0, 1, 2), choices.shuffle(Seq("c", "m", "a") ++ hidden))
    planOf(views, ctes, queries.query(2))
  }

  private def overCopies(): TablePlan = {
    val rows = clauses.clause(copied(0))
    planOf(Nil, Nil, rows.copy(text = s"SELECT * FROM ${rows.text}"))
  }

  private def readTwice(): TablePlan = {
    val rows = pick(tables: _*)
    // Spark reads a subquery after the query around it, and then gives one of two equal relations
    // other columns.
    val condition = pick("IN (SELECT i.k", "NOT IN (SELECT -i.k", "> (SELECT -MAX(i.k)")
    val correlated = pick("", " WHERE i.k = o.k")
    val again = s"SELECT * FROM ${pick(tables: _*).text} AS o WHERE o.k $condition " +
      s"FROM ${rows.text} AS i$correlated)"
    val windowed = windows.windowed(rows).as("w1")
    val ctes = if (oneIn(2)) Seq("c" -> again) else Nil
    val others = Seq(s"($again)", windows.windowed(rows).text) ++ ctes.map(_._1)
    val other = pick(others: _*)
    val isAlone = ctes.nonEmpty && oneIn(3)
    val join = if (isAlone) "" else s"$other AS w2 ${pick("JOIN", "LEFT JOIN", "FULL JOIN")} "
    val on = if (isAlone) "" else " ON TRUE"
    planOf(Nil, ctes, windowed.copy(text = s"SELECT * FROM $join${windowed.text}$on"))
  }

  private def planOf(
      views: Seq[(String, String)],
      ctes: Seq[(String, String)],
      query: PlanRelation
  ): TablePlan = {
    val isSorted = !query.text.contains(" ORDER BY ALL LIMIT") && oneIn(3)
    val settings = FuzzSettings(FuzzSettings.space.map { case (key, all) =>
      key -> pick(all.reverse: _*)
    })
    val confs = Seq(
      "spark.sql.autoBroadcastJoinThreshold" -> pick("10485760", "-1"),
      "spark.sql.execution.replaceHashWithSortAgg" -> pick("false", "true"),
      "spark.sql.requireAllClusterKeysForCoPartition" -> pick("true", "false"),
      "spark.sql.leafNodeDefaultParallelism" -> pick("1", "3")
    ) ++ layouts.map(name =>
      s"spark.sql.sources.v2.bucketing.$name.enabled" -> pick("true", "false")
    )
    val isPiped = query.text.startsWith("FROM ")
    val text =
      if (!isSorted) query.text
      else if (isPiped) s"SELECT * FROM (${query.text}) ORDER BY ALL"
      else s"${query.text} ORDER BY ALL"
    TablePlan(views, ctes, text, isSorted, settings, confs)
  }

  /** Views or relations of WITH, each known to those after it. */
  private def named(count: Int, names: Seq[String]): Seq[(String, String)] =
    names.take(count).map { name =>
      val query =
        if (oneIn(2)) queries.select(1)
        else {
          val found = relation(1)
          found.copy(text = s"SELECT * FROM ${found.text}")
        }
      // A name twice in a view is an error.
      val isPlain = query.columns.map(_.name).distinct.size == query.columns.size
      val kept = if (isPlain) query else PlanRelation("SELECT * FROM t_file", tables.head.columns)
      known :+= PlanRelation(name, kept.qualified(name), kept.isLong)
      name -> kept.text
    }

  private def source(): PlanRelation =
    if (oneIn(25)) long else if (oneIn(12) && chances.take()) empty else pick(tables: _*)

  private def relation(depth: Int): PlanRelation =
    if (depth == 0) if (known.nonEmpty && oneIn(3)) pick(known: _*) else source()
    else
      below(10) match {
        case 3 => shapes.turned(input(depth - 1))
        case 4 =>
          val query = queries.query(depth - 1)
          query.copy(text = s"(${query.text})")
        case 5 => windows.windowed(input(depth - 1))
        case 6 if known.nonEmpty => pick(known: _*)
        case 7 => source()
        case _ => clauses.clause(input(depth - 1))
      }

  /** What a clause reads: all of its columns have names. */
  private def input(depth: Int): PlanRelation = {
    val found = if (oneIn(8)) joined(depth) else relation(depth)
    val scope = PlanScope(found.columns)
    if (scope.plain.isEmpty || scope.usable.size < found.columns.size) source()
    else if (scope.plain.size == found.columns.size && oneIn(4)) found.as(pick("a", "x", "k"))
    else found
  }

  private def joined(depth: Int): PlanRelation = if (oneIn(2)) copied(depth) else joinedWith(depth)

  /** With a copy of a column, which has the same name: the optimizer makes one of the two. */
  private def copied(depth: Int): PlanRelation = {
    val left = relation(depth).as("a")
    val scope = PlanScope(left.columns)
    if (scope.usable.isEmpty) left else copied(left, scope)
  }

  private def copied(left: PlanRelation, scope: PlanScope): PlanRelation = {
    val column = pick(scope.usable: _*)
    val name = scope.refTo(choices, column)
    val text = s"(${left.text} JOIN LATERAL (SELECT $name AS ${column.name}) AS b)"
    PlanRelation(text, left.columns :+ column.copy(qualifier = Some("b")), left.isLong)
  }

  private def joinedWith(depth: Int): PlanRelation = {
    val (left, right) = (relation(depth).as("a"), pick(tables: _*).as("b"))
    (PlanScope(left.columns).number(choices), PlanScope(right.columns).number(choices)) match {
      case (Some(x), Some(y)) =>
        val on = s"a.${x.stripPrefix("a.")} = b.${y.stripPrefix("b.")}"
        val text = s"(${left.text} JOIN ${right.text} ON $on)"
        PlanRelation(text, left.columns ++ right.columns, left.isLong)
      case _ => left
    }
  }
}
