package io.matchrecognize.analysis

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{Interpreted, Sampled}

/**
 * What a name means in each part of a clause and of a window, if two things have it: for each pair
 * of them and each part a statement shows the value that was read.
 */
class NamePrecedenceSuite extends Interpreted {
  import NamePrecedenceSuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("SELECT * FROM VALUES (1, 10), (2, 11) AS t(k, v)").createOrReplaceTempView("two")
  }

  /** The values that the statement reads while both have the name. */
  private def read(place: Place, name: String, both: Seq[Owner], expected: Int): Seq[Int] = {
    def of(f: PartialFunction[Owner, String]) = both.collectFirst(f)
    val column = of { case Column(value) => s", $value AS x" }.getOrElse("")
    val input = s"(SELECT k, v$column FROM two) AS " + (if (both.contains(Alias)) "x" else "t")
    val key = of { case NamedKey(value) => s"$value AS x" }
    val variable = if (both.contains(Variable)) "x" else "Z"
    val query = place.query(input, key, variable, name, expected)
    val session = of { case Session(value) => value }
    val local = of { case Local(value) => value }
    val parameter = of { case Parameter(value) => value }
    session.foreach(v => spark.sql(s"DECLARE OR REPLACE VARIABLE x DEFAULT $v"))
    try {
      val called = parameter.fold(query) { value =>
        val dataType = spark.sql(s"SELECT $value AS p").schema.head.dataType.sql
        spark.sql(
          s"CREATE OR REPLACE TEMPORARY FUNCTION precedence(x $dataType) RETURNS TABLE(r INT) " +
            s"RETURN $query"
        )
        s"SELECT r FROM precedence($value)"
      }
      val whole = local.fold(called)(v => s"BEGIN DECLARE x DEFAULT $v; $called; END")
      rows(whole).map(_.getInt(0)).distinct.sorted
    } finally {
      session.foreach(_ => spark.sql("DROP TEMPORARY VARIABLE x"))
      parameter.foreach(_ => spark.sql("DROP TEMPORARY FUNCTION IF EXISTS precedence"))
    }
  }

  private def check(name: String, owners: Seq[Owner], apart: Set[Owner]): Unit = {
    val cases = for {
      place <- places
      visible = owners.filter(owner => place.sees(owner))
      (first, i) <- visible.zipWithIndex
      second <- visible.drop(i + 1)
      if !Set(first, second).subsetOf(apart)
    } yield (place, first, second)
    Sampled.oneIn(6, cases).foreach { case (place, first, second) =>
      val expected = place.value(first)
      val found = read(place, name, Seq(first, second), expected.last)
      assert(found == expected, s"${place.name}: $first, $second")
    }
  }

  test("x.v: a variable, an alias, a field, a parameter, a variable of a script, of the session") {
    def struct(value: Int) = s"named_struct('v', $value)"
    val columns = Seq(Column(struct(2)), Column("map('v', 2)"), Column("parse_json('{\"v\": 2}')"))
    columns.foreach { column =>
      val name = if (column == columns.last) "CAST(x.v AS INT)" else "x.v"
      val owners = Seq(Variable, Alias, column) ++
        (if (column == columns.head) Seq(Parameter(struct(4)), Local(struct(5)), Session(struct(6)))
         else Nil)
      check(name, owners, Set.empty)
    }
    // A field of a number is an error wherever the name could mean nothing else.
    check("x.v", Seq(Variable, Alias, Column("-1")), Set.empty)
  }

  test("x: a column, a named key, a parameter, a variable of a script, of the session") {
    val owners = Seq(Column("2"), NamedKey("3"), Parameter("4"), Local("5"), Session("6"))
    check("x", owners, apart = owners.take(2).toSet)
  }

  test("a parameter of a lambda comes first") {
    Seq(
      "ORDER BY k MEASURES transform(array(7), x -> x)[0] AS r PATTERN (x A)",
      "ORDER BY k MEASURES COUNT(*) AS r PATTERN (x{7})",
      "PARTITION BY 3 AS x ORDER BY transform(array(7), x -> x)[0] " +
        "MEASURES MATCH_ROWTIME() AS r PATTERN (A+)"
    ).zip(Seq(Seq(7), Nil, Seq(7))).foreach { case (clause, expected) =>
      val found = rows(s"SELECT r FROM two AS x MATCH_RECOGNIZE ($clause)").map(_.getInt(0))
      assert(found == expected, clause)
    }
  }

  test("a named key in the keys after it, and in none before it") {
    def keys(partition: String, rest: String = "") = rows(
      s"SELECT * FROM two MATCH_RECOGNIZE (PARTITION BY $partition ORDER BY k " +
        s"MEASURES COUNT(*) AS n PATTERN (A+) $rest) ORDER BY ALL"
    )
    assert(keys("k AS p, p * 10 AS q, q + p") == Seq(Row(1, 10, 1L), Row(2, 20, 1L)))
    assert(keys("k AS k, k * 10 AS q") == Seq(Row(1, 10, 1L), Row(2, 20, 1L)))
    assert(keys("two.k AS K, two.k % 1 AS q") == Seq(Row(1, 0, 1L), Row(2, 0, 1L)))
    val error = intercept[AnalysisException](keys("p * 10 AS q, k AS p"))
    assert(error.getCondition == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    spark.sql("DECLARE OR REPLACE VARIABLE p DEFAULT 1")
    try {
      // The key is not constant.
      val bound = intercept[AnalysisException](
        rows(
          "SELECT * FROM two MATCH_RECOGNIZE (PARTITION BY k AS p ORDER BY v " +
            "MEASURES COUNT(*) AS n PATTERN (A+) WITHIN p)"
        )
      )
      assert(bound.getCondition == "MATCH_RECOGNIZE_INVALID_WITHIN.BOUND")
      val subquery = intercept[AnalysisException](
        keys("k AS p", "DEFINE A AS v > (SELECT max(t.v) FROM two AS t WHERE t.k = p)")
      )
      assert(subquery.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED.CORRELATED_SUBQUERY")
    } finally spark.sql("DROP TEMPORARY VARIABLE p")
  }
}

object NamePrecedenceSuite {

  /** What may have a name, in the order in which it is found. */
  sealed trait Owner
  case object Variable extends Owner
  case object Alias extends Owner
  final case class Column(value: String) extends Owner
  final case class NamedKey(value: String) extends Owner
  final case class Parameter(value: String) extends Owner
  final case class Local(value: String) extends Owner
  final case class Session(value: String) extends Owner

  /**
   * A part of a clause or window that has a name.
   *
   * @param query
   *   a query for the values read, of the input, the named key, the variable that the first row is
   *   mapped to, the name, and the value that a condition compares it with
   */
  final case class Place(
      name: String,
      sees: Owner => Boolean,
      query: (String, Option[String], String, String, Int) => String
  ) {

    /** The values that reading the name of an owner shows. */
    def value(owner: Owner): Seq[Int] = owner match {
      case Variable => Seq(10)
      case Alias => if (name == "partition key") Seq(10, 11) else Seq(11)
      case Column(value) => Seq(digit(value))
      case NamedKey(value) => Seq(digit(value))
      case Parameter(value) => Seq(digit(value))
      case Local(value) => Seq(digit(value))
      case Session(value) => Seq(digit(value))
    }

    private def digit(value: String): Int = "\\d".r.findFirstIn(value).get.toInt
  }

  private def clause(input: String, result: String, key: Option[String], parts: String) =
    s"SELECT $result FROM $input MATCH_RECOGNIZE (${key.fold("")(k => s"PARTITION BY $k ")}$parts)"

  private def window(input: String, result: String, parts: String) =
    s"SELECT r FROM (SELECT $result AS r FROM $input WINDOW w AS (ORDER BY k $parts)) " +
      "WHERE r IS NOT NULL"

  private val Frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"

  val places: Seq[Place] = Seq(
    Place(
      "partition key",
      _ != Variable,
      (input, key, _, name, _) =>
        clause(
          input,
          "r",
          Some((key.toSeq :+ s"$name AS r").mkString(", ")),
          "ORDER BY k MEASURES 1 AS m PATTERN (A)"
        )
    ),
    Place(
      "order key",
      _ != Variable,
      (input, key, _, name, _) =>
        clause(input, "r", key, s"ORDER BY $name MEASURES MATCH_ROWTIME() AS r PATTERN (A A)")
    ),
    Place(
      "measure",
      _ => true,
      (input, key, variable, name, _) =>
        clause(input, "r", key, s"ORDER BY k MEASURES $name AS r PATTERN ($variable A)")
    ),
    Place(
      "condition",
      _ => true,
      (input, key, variable, name, expected) =>
        clause(
          input,
          "r",
          key,
          s"ORDER BY k MEASURES $expected AS r PATTERN ($variable A) DEFINE A AS $name = $expected"
        )
    ),
    Place(
      "measure of a window",
      !_.isInstanceOf[NamedKey],
      (input, _, variable, name, _) =>
        window(input, "m OVER w", s"MEASURES $name AS m $Frame PATTERN ($variable A)")
    ),
    Place(
      "condition of a window",
      !_.isInstanceOf[NamedKey],
      (input, _, variable, name, expected) =>
        window(
          input,
          "m OVER w",
          s"MEASURES $expected AS m $Frame PATTERN ($variable A) DEFINE A AS $name = $expected"
        )
    )
  )
}
