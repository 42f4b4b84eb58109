package io.matchrecognize.execution.search

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{DataType, NumericType}

import io.matchrecognize.QuerySuite

/** Queries with a value of any type in each part of a clause, beside queries without one. */
trait TypeRoles extends QuerySuite {

  /**
   * A clause with v in each role, and what Spark says of it without a clause: the same rows, or
   * both an error, of which that of the clause names the type.
   */
  private val roles: Seq[(String, String, String)] = Seq(
    (
      "measures",
      "ORDER BY t MEASURES FIRST(v) AS f, PREV(v) AS p ALL ROWS PER MATCH PATTERN (A+)",
      "first_value(v) OVER (ORDER BY t), lag(v) OVER (ORDER BY t), v"
    ),
    (
      "aggregates",
      "ORDER BY t MEASURES MAX(v) AS m, COUNT(v) AS n ALL ROWS PER MATCH PATTERN (A+)",
      "max(v) OVER (ORDER BY t), count(v) OVER (ORDER BY t), v"
    ),
    (
      "PARTITION BY",
      "PARTITION BY v ORDER BY t MEASURES FIRST(t) AS f ALL ROWS PER MATCH PATTERN (A+)",
      "min(t) OVER (PARTITION BY v)"
    ),
    (
      "ORDER BY",
      "ORDER BY v, t MEASURES COUNT(*) AS n ALL ROWS PER MATCH PATTERN (A+)",
      "row_number() OVER (ORDER BY v, t)"
    ),
    (
      "DEFINE",
      "ORDER BY t MEASURES CLASSIFIER() AS c ALL ROWS PER MATCH PATTERN ((A | B)+) " +
        "DEFINE A AS v > PREV(v, 2) OR v = PREV(v, 3)",
      "if(v > v2 OR v = v3, 'A', 'B'), v"
    )
  )

  protected def checkRoles(name: String): Unit = {
    val dataType = spark.table("typed").schema("v").dataType
    roles.foreach { case (role, clause, plain) =>
      val columns = if (role.startsWith("PARTITION") || role.startsWith("ORDER")) "t, n" else "*"
      val result = clause.replaceAll("AS [fnc] ", "AS n ")
      val ours = if (columns == "*") clause else result
      checkRole(
        s"$name, $role",
        dataType,
        s"SELECT $columns FROM typed MATCH_RECOGNIZE ($ours)",
        s"SELECT t, $plain FROM (SELECT *, lag(v, 2) OVER (ORDER BY t) AS v2, " +
          "lag(v, 3) OVER (ORDER BY t) AS v3 FROM typed)"
      )
    }
    // How many rows a match from the first row has; NULL has no distance to anything.
    val bound = if (dataType.isInstanceOf[NumericType]) "1" else "INTERVAL '1' DAY"
    checkRole(
      s"$name, WITHIN",
      dataType,
      "SELECT n FROM (SELECT * FROM typed WHERE v IS NOT NULL) MATCH_RECOGNIZE " +
        s"(ORDER BY v, t MEASURES COUNT(*) AS n PATTERN (^ A+) WITHIN $bound)",
      s"SELECT count(*) FROM typed WHERE v <= (SELECT min(v) FROM typed) + $bound"
    )
  }

  private def checkRole(what: String, dataType: DataType, ours: String, plain: String): Unit = {
    def found(sql: String) =
      try Right(rows(sql).map(shown).sortBy(_.toString))
      catch { case e: SparkThrowable => Left(e) }
    (found(ours), found(plain)) match {
      case (Right(ours), Right(plain)) => assert(ours == plain, what)
      // Spark 4.1 takes GEOMETRY and GEOGRAPHY for ordered, and each comparison fails in a task.
      case (Left(ours), Left(plain)) if plain.getCondition == null =>
        assert(ours.getCondition == null, what)
      // Spark adds what a clause does not take: a number to a DATE, an interval to a TIME.
      case (Left(error), Right(rows)) if !what.endsWith("WITHIN") =>
        fail(s"$what: $error, and without a clause $rows")
      case (Left(error), _) =>
        val message = error.asInstanceOf[Throwable].getMessage
        assert(
          error.getCondition != null && error.getCondition != "INTERNAL_ERROR",
          s"$what: $error"
        )
        assert(message.toUpperCase.contains(outermost(dataType)), s"$what: $message")
      case (Right(rows), Left(error)) => fail(s"$what: $rows, and without a clause $error")
    }
  }

  private def outermost(dataType: DataType): String = dataType.sql.toUpperCase.takeWhile(_ != '<')

  /** Values that can be compared. */
  private def shown(value: Any): Any = value match {
    case bytes: Array[Byte] => bytes.toSeq
    case row: Row => row.toSeq.map(shown)
    case values: scala.collection.Seq[_] => values.map(shown)
    case entries: scala.collection.Map[_, _] => entries.map { case (k, v) => shown(k) -> shown(v) }
    case number: Double => if (number.isNaN) "NaN" else number
    case number: Float => if (number.isNaN) "NaN" else number
    case other => other
  }
}
