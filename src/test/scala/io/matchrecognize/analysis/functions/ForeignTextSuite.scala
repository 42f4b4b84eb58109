package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.QuerySuite

/** The table functions and the texts of persistent views and SQL functions. */
class ForeignTextSuite extends QuerySuite {
  private val clause =
    "MATCH_RECOGNIZE (ORDER BY secret MEASURES COUNT(*) AS n PATTERN (PERMUTE(A)) DEFINE A AS secret > 0)"
  private val query = s"SELECT n FROM VALUES (1) AS t(secret) $clause"
  private val functions = Seq("trace", "explain", "rows", "keys", "warnings")

  private def call(function: String, query: String): String =
    s"SELECT * FROM match_recognize_$function(query => '$query')"

  private def refused(sql: String): (String, String) = {
    val e = intercept[AnalysisException](rows(sql))
    e.getCondition -> e.getMessage
  }

  private def created(objects: (String, String)*)(test: => Unit): Unit =
    try {
      objects.foreach { case (kind, text) => spark.sql(s"CREATE $kind $text") }
      test
    } finally
      objects.reverse.foreach { case (kind, text) =>
        val name = text.takeWhile(c => c != ' ' && c != '(')
        spark.sql(s"DROP ${kind.stripPrefix("TEMPORARY ")} IF EXISTS $name")
      }

  test("the text of a persistent view or of a SQL function stays closed") {
    created(
      "VIEW" -> s"closed_view AS $query",
      "VIEW" -> "view_of_view AS SELECT n FROM closed_view",
      "FUNCTION" -> s"closed_function() RETURNS TABLE (n BIGINT) RETURN $query"
    ) {
      for {
        function <- functions
        (from, name) <- Seq(
          "closed_view" -> "the view `spark_catalog.default.closed_view`",
          "view_of_view" -> "the view `spark_catalog.default.view_of_view`",
          "closed_function()" -> "the function `spark_catalog.default.closed_function`"
        )
      } {
        val (condition, message) = refused(call(function, s"SELECT n + 1 FROM $from"))
        assert(condition == "MATCH_RECOGNIZE_INVALID_TRACE.TEXT_OF_OBJECT", s"$function $from")
        assert(message.contains(s"The MATCH_RECOGNIZE is in the text of $name,"), message)
      }
      // A clause over the result reads what everybody reads, and only its warnings are told.
      val over = "SELECT * FROM closed_view MATCH_RECOGNIZE (MEASURES COUNT(*) AS c PATTERN (A))"
      assert(rows(s"SELECT map_keys(columns) FROM (${call("rows", over)})") == Seq(Row(Seq("n"))))
      val told = rows(call("warnings", over)).map(_.getString(0))
      assert(told.length == 1 && told.head.startsWith("There is no ORDER BY"), told)
    }
  }

  test("a scalar SQL function is not warned of") {
    created("FUNCTION" -> s"closed_scalar() RETURNS BIGINT RETURN (SELECT max(n) FROM ($query))") {
      assert(rows(call("warnings", "SELECT closed_scalar()")).isEmpty)
    }
  }

  test("a temporary view is a text of the session") {
    created("TEMPORARY VIEW" -> s"own_view AS $query") {
      functions.foreach(function => rows(call(function, "SELECT * FROM own_view")))
    }
  }

  test("no call in a persistent view or SQL function") {
    val own = query.replace("'", "\\'")
    for (function <- functions) {
      val text = call(function, own)
      val (condition, message) = refused(s"CREATE VIEW with_call AS $text")
      assert(
        condition == "INVALID_TEMP_OBJ_REFERENCE" && message.contains(
          s"`match_recognize_$function`"
        )
      )
      created("FUNCTION" -> s"with_call() RETURNS BIGINT RETURN (SELECT COUNT(*) FROM ($text))") {
        assert(refused("SELECT with_call()")._1 == "MATCH_RECOGNIZE_INVALID_TRACE.IN_OBJECT")
      }
      created(
        "FUNCTION" -> s"with_call() RETURNS TABLE (c BIGINT) RETURN SELECT COUNT(*) FROM ($text)"
      ) {
        assert(refused("SELECT * FROM with_call()")._1 == "MATCH_RECOGNIZE_INVALID_TRACE.IN_OBJECT")
      }
      created("TEMPORARY VIEW" -> s"with_call AS $text")(rows("SELECT * FROM with_call"))
    }
  }

  test("no call in a view that another program has made") {
    val catalog = spark.asInstanceOf[ClassicSession].sessionState.catalog
    created("VIEW" -> "strange_view AS SELECT 1 AS warning") {
      val view = catalog.getTableMetadata(TableIdentifier("strange_view"))
      val text = call("warnings", "SELECT * FROM strange_view").replaceFirst("\\*", "warning")
      catalog.alterTable(view.copy(viewText = Some(text)))
      assert(refused("SELECT * FROM strange_view")._1 == "MATCH_RECOGNIZE_INVALID_TRACE.IN_OBJECT")
    }
  }
}
