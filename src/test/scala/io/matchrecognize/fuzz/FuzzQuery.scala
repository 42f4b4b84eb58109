package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.pattern.{RowPattern, RowPatternAnalysis}

/**
 * One input row; `g` and `k` identify it, the other values may be null.
 *
 * @param t
 *   event time in microseconds
 * @param o
 *   of the type of the query's key, if it has one
 */
final case class FuzzRow(g: Any, k: Long, v: Any, d: Any, s: Any, t: Long = 0, o: Any = null) {
  def apply(column: String): Any = column match {
    case "g" => g
    case "k" => k
    case "v" => v
    case "d" => d
    case "s" => s
    case "t" => t
    case "o" => o
    case "p.x" => v
    case "p.y" => if (v == null) null else s
    case "COALESCE(g, 1)" => if (g == null) 1L else g
    case "k % 3" => k % 3
  }
}

object FuzzRow {
  val columns: Seq[(String, String)] =
    Seq("g" -> "INT", "k" -> "INT", "v" -> "INT", "d" -> "DOUBLE", "s" -> "STRING")
}

/** An ORDER BY item; `nulls` is empty, NULLS FIRST or NULLS LAST. */
final case class FuzzOrder(column: String, descending: Boolean, nulls: String) {
  def sql: String =
    s"$column${if (descending) " DESC" else ""}${if (nulls.isEmpty) "" else s" $nulls"}"

  def compare(a: FuzzRow, b: FuzzRow): Int = {
    val nullsFirst = if (nulls.isEmpty) !descending else nulls == "NULLS FIRST"
    (a(column), b(column)) match {
      case (null, null) => 0
      case (null, _) => if (nullsFirst) -1 else 1
      case (_, null) => if (nullsFirst) 1 else -1
      case (x, y) => ScalarOracle.compare(x, y) * (if (descending) -1 else 1)
    }
  }
}

/** AFTER MATCH SKIP: `kind` is PAST LAST ROW, TO NEXT ROW, TO FIRST, TO LAST or TO. */
final case class FuzzSkip(kind: String, variable: Option[String]) {
  def sql: String = s"AFTER MATCH SKIP $kind${variable.fold("")(v => s" $v")}"
}

/**
 * A query over the view `t` and its rows.
 *
 * @param subsets
 *   union variables with their members
 * @param rowsPerMatch
 *   as written in the clause
 * @param order
 *   total within a partition
 * @param within
 *   largest distance of the first ORDER BY key, which is then an ascending number
 * @param nested
 *   whether there is a struct column `p`, of `v` and `s`
 * @param kept
 *   output columns that the query around the clause reads; None for all
 * @param filter
 *   a condition on output columns around the clause
 * @param spelling
 *   seed of the letter case of references to variables
 * @param settings
 *   of the session
 * @param key
 *   the type of the column `o`, if there is one
 */
final case class FuzzQuery(
    pattern: RowPattern,
    subsets: Seq[(String, Seq[String])],
    conditions: Seq[(String, FuzzExpression)],
    measures: Seq[FuzzExpression],
    rowsPerMatch: String,
    skip: FuzzSkip,
    partitionBy: Seq[String],
    order: Seq[FuzzOrder],
    within: Option[Double],
    rows: Vector[FuzzRow],
    nested: Boolean,
    kept: Seq[String],
    filter: Option[FuzzExpression],
    spelling: Long,
    settings: FuzzSettings = FuzzSettings.plain,
    key: Option[FuzzKey] = None
) {
  val oneRow: Boolean = rowsPerMatch.startsWith("ONE ROW")

  /** Input columns and their types, with the event time if the query is ordered by it. */
  val inputColumns: Seq[(String, String)] =
    FuzzRow.columns ++ order.headOption.filter(_.column == "t").map(_ => "t" -> "TIMESTAMP") ++
      key.map("o" -> _.sql)

  /** Drawn queries, those that may be, over the input of this one, by its keys and settings. */
  def besides(drawn: Iterator[FuzzQuery]): Iterator[FuzzQuery] = drawn
    .take(2000)
    .filter(_.key == key)
    .map(
      _.copy(
        partitionBy = partitionBy,
        order = order,
        rows = rows,
        nested = nested,
        settings = settings
      )
    )
    .filter(_.isValid)

  /** Columns before the measures and after them. */
  private val (before, after) = {
    val names = inputColumns.map(_._1)
    val keys = partitionBy ++ (if (oneRow) Nil else order.map(_.column))
    val leading = keys.distinct.filter(names.contains)
    val rest = names.filterNot(leading.contains)
    (leading, if (oneRow) Nil else rest)
  }

  /** Output columns of the clause. */
  val clauseColumns: Seq[String] = before ++ measures.indices.map(i => s"m$i") ++ after

  def columns: Seq[String] = if (kept.isEmpty) clauseColumns else kept

  /** The result of the query around the clause for the clause's rows. */
  def read(rows: Vector[Seq[Any]]): Vector[Seq[Any]] = {
    val positions = columns.map(clauseColumns.indexOf(_))
    rows
      .filter(row => filter.forall(onOutput(_, row) == true))
      .map(row => positions.map(row))
  }

  private def onOutput(e: FuzzExpression, row: Seq[Any]): Any = e match {
    case FuzzExpression.Column(_, name) => row(clauseColumns.indexOf(name))
    case FuzzExpression.Operation(name, arguments) =>
      ScalarOracle(name, arguments, onOutput(_, row))
    case FuzzExpression.Constant(value) => value
    case other => throw new IllegalStateException(other.toString)
  }

  /** An output row of the input row `shown`. */
  def output(shown: FuzzRow, values: Seq[Any]): Seq[Any] =
    before.map(shown(_)) ++ values ++ after.map(shown(_))

  /** Rows by partition, NULL first, each in its order. */
  def partitions: Seq[Vector[FuzzRow]] = {
    val keys = partitionBy.map(FuzzOrder(_, descending = false, ""))
    rows
      .groupBy(partitionOf)
      .values
      .toSeq
      .sortWith((a, b) => isBefore(keys)(a.head, b.head))
      .map(_.sortWith(isBefore(order)))
  }

  /** Equal for rows of one partition. */
  def partitionOf(row: FuzzRow): Any = partitionBy.map(key => ScalarOracle.key(row(key)))

  /** Whether a row may arrive after another one of its partition in the order of arrival. */
  def isInOrder(before: FuzzRow, row: FuzzRow): Boolean = !isBefore(order)(row, before)

  private def isBefore(items: Seq[FuzzOrder])(a: FuzzRow, b: FuzzRow): Boolean =
    items.map(_.compare(a, b)).find(_ != 0).exists(_ < 0)

  val showsTimeouts: Boolean = rowsPerMatch.endsWith("SHOW TIMEOUT MATCHES")

  /** The first row beyond the window of a row, in a partition in its order. */
  def windowEnd(partition: IndexedSeq[FuzzRow], start: Int): Int = within.fold(partition.size) {
    bound =>
      def key(row: Int): Option[Double] = partition(row)(order.head.column) match {
        case null => None
        case number => Some(number.toString.toDouble)
      }
      (start + 1 until partition.size)
        .find(row => !key(start).exists(first => key(row).exists(_ <= first + bound)))
        .getOrElse(partition.size)
  }

  def members(variable: String): Set[String] =
    subsets.find(_._1 == variable).fold(Set(variable))(_._2.toSet)

  /** Whether all names are declared, and the clause has an output. */
  def isValid: Boolean = {
    val first = order.head
    val isMeasurable = Seq("k", "v", "d", "t").contains(first.column) && !first.descending
    val primary = RowPatternAnalysis.variables(pattern, identity).toSet
    val all = primary ++ subsets.map(_._1)
    within.forall(_ => isMeasurable) && (within.nonEmpty || !showsTimeouts) &&
    subsets.forall(_._2.forall(primary.contains)) &&
    conditions.forall { case (name, e) =>
      primary.contains(name) && e.variables.flatten.forall(all.contains)
    } &&
    measures.forall(_.variables.flatten.forall(all.contains)) &&
    skip.variable.forall(all.contains) && clauseColumns.nonEmpty &&
    (kept ++ filter.toSeq.flatMap(columnsOf)).forall(clauseColumns.contains) &&
    (nested || !(conditions.map(_._2) ++ measures).flatMap(columnsOf).exists(_.startsWith("p.")))
  }

  private def columnsOf(e: FuzzExpression): Seq[String] = e match {
    case FuzzExpression.Column(_, name) => Seq(name)
    case other => other.parts.flatMap(columnsOf)
  }

  /** The settings of its session. Division by zero is an error in ANSI mode only. */
  def confs: Seq[(String, String)] = {
    def divides(e: FuzzExpression): Boolean = e match {
      case FuzzExpression.Operation("/", _) => true
      case other => other.parts.exists(divides)
    }
    val isDividing = (conditions.map(_._2) ++ measures).exists(divides)
    val isWrapping = key.exists(_.wraps)
    // Otherwise differences of times are those of some clocks.
    (if (isWrapping || isDividing) settings.updated(FuzzSettings.Ansi, s"${!isWrapping}")
     else settings).confs :+
      ("spark.sql.session.timeZone" -> "UTC")
  }

  private def withinSql(bound: Double): String = order.head.column match {
    case "d" => bound.toString
    case "t" => s"INTERVAL '${new java.math.BigDecimal(bound / 1e6).toPlainString}' SECOND"
    case _ => bound.toLong.toString
  }

  def sql: String = {
    val random = new Random(spelling)
    def spell(name: String): String = random.nextInt(8) match {
      case 0 => name.toLowerCase
      case 1 => s"`$name`"
      case _ => name
    }
    def list(name: String, items: Seq[String]) =
      if (items.isEmpty) None else Some(items.mkString(s"$name ", ", ", ""))
    val lines = Seq(
      list("PARTITION BY", partitionBy),
      list("ORDER BY", order.map(_.sql)),
      list("MEASURES", measures.zipWithIndex.map { case (m, i) => s"${m.sql(spell)} AS m$i" }),
      Some(rowsPerMatch),
      Some(skip.sql),
      Some(s"PATTERN (${pattern.sql})"),
      within.map(bound => s"WITHIN ${withinSql(bound)}"),
      list("SUBSET", subsets.map { case (name, parts) => s"$name = (${parts.mkString(", ")})" }),
      list("DEFINE", conditions.map { case (name, e) => s"$name AS ${e.sql(spell)}" })
    ).flatten
    val output =
      if (kept.nonEmpty) kept.mkString(", ") else if (nested && !oneRow) "* EXCEPT (p)" else "*"
    val input =
      if (nested)
        "(SELECT *, IF(v IS NULL, NULL, named_struct('x', v, 'y', s)) AS p FROM t) AS t"
      else "t"
    val where = filter.fold("")(f => s" WHERE ${f.sql(identity)}")
    lines.mkString(s"SELECT $output FROM $input MATCH_RECOGNIZE (\n  ", "\n  ", s")$where")
  }
}
