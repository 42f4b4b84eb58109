package io.matchrecognize.analysis.functions

import java.util.concurrent.atomic.AtomicInteger

import scala.annotation.unused

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.connector.catalog.procedures._
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.matchrecognize.QuerySuite

/** `match_recognize_warnings`, and the places of errors in the text that such functions get. */
class WarningsFunctionSuite extends QuerySuite {
  private val clause =
    "MATCH_RECOGNIZE (ORDER BY timestamp MEASURES COUNT(*) AS n PATTERN (PERMUTE(A B)) " +
      "DEFINE B AS value = NULL)"
  private val ofClause = Seq("PERMUTE(A B) has one element", "The condition of B is never true")

  private def call(function: String, sql: String): String =
    s"SELECT * FROM $function(query => '${sql.replace("'", "\\'")}')"

  private def warnings(sql: String): Seq[String] =
    rows(call("match_recognize_warnings", sql)).map(_.getString(0))

  private def check(sql: String, expected: Seq[String]): Unit = {
    val found = warnings(sql)
    assert(found.length == expected.length, found)
    found.zip(expected).foreach { case (text, part) => assert(text.contains(part)) }
  }

  override def beforeAll(): Unit = {
    super.beforeAll()
    val rate = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    rate.createOrReplaceTempView("warned_stream")
    rate.sparkSession
      .sql("SELECT timestamp_seconds(id) AS timestamp, id AS value FROM range(3)")
      .createOrReplaceTempView("warned_table")
  }

  test("a stream is warned of as a table is") {
    check(s"SELECT * FROM warned_table $clause", ofClause)
    check(s"SELECT * FROM warned_stream $clause", ofClause)
    check(s"WITH s AS (SELECT * FROM warned_stream) SELECT n + 1 FROM s $clause", ofClause)
    check("SELECT 1", Nil)
  }

  test("the innermost clause first, and those of subqueries") {
    val inner = "SELECT * FROM warned_table MATCH_RECOGNIZE (MEASURES COUNT(*) AS n PATTERN (A))"
    val outer = s"SELECT * FROM ($inner) MATCH_RECOGNIZE (ORDER BY n MEASURES COUNT(*) AS m " +
      "PATTERN (PERMUTE(A B)) DEFINE A AS n > 0)"
    check(outer, Seq("There is no ORDER BY", "PERMUTE(A B)"))
    check(s"SELECT (SELECT max(n) FROM ($inner)) AS x", Seq("There is no ORDER BY"))
    check(s"$inner UNION ALL $inner", Seq("There is no ORDER BY"))
  }

  test("nothing runs, whatever the statement is") {
    val into = s"CREATE TABLE never_made AS SELECT * FROM warned_table $clause"
    check(into, ofClause)
    assert(!spark.catalog.tableExists("never_made"))
  }

  test("a statement whose query is not analysed before it runs is refused") {
    Seq("EXPLAIN", "DESCRIBE QUERY").foreach { word =>
      val statement = s"$word SELECT * FROM warned_table $clause"
      val e = intercept[AnalysisException](spark.sql(call("match_recognize_warnings", statement)))
      assert(e.getCondition == "MATCH_RECOGNIZE_INVALID_TRACE.NOT_A_QUERY")
    }
  }

  test("what Spark would run to analyse it is refused") {
    val inside = "CREATE TABLE never_made AS SELECT 1 AS one"
    for {
      function <- Seq("match_recognize_warnings", "match_recognize_trace")
      (statement, word) <- Seq(
        s"BEGIN $inside; END" -> "BEGIN",
        s"EXECUTE IMMEDIATE '$inside'" -> "EXECUTE"
      )
    } {
      val e = intercept[ParseException](spark.sql(call(function, statement)))
      assert(e.getCondition == "PARSE_SYNTAX_ERROR")
      assert(e.getMessage.contains(s"'$word': it would run; pass the text of one query instead"))
      assert(!spark.catalog.tableExists("never_made"))
    }
  }

  test("a procedure is not called") {
    withConf("spark.sql.catalog.counting" -> classOf[CountingCatalog].getName) {
      val statement = "CALL counting.procedure()"
      Seq("match_recognize_warnings", "match_recognize_trace").foreach { function =>
        val e = intercept[ParseException](spark.sql(call(function, statement)))
        assert(e.getMessage.contains("'CALL': it would run; pass the text of one query instead"))
        assert(CountingCatalog.calls.get == 0)
      }
      spark.sql(statement)
      assert(CountingCatalog.calls.get == 1)
    }
  }

  test("constant keys of a window") {
    def window(keys: String) =
      s"SELECT COUNT(*) OVER ($keys ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A+) " +
        "DEFINE A AS value > 0) AS n FROM warned_table"
    check(
      window("PARTITION BY \"value\" ORDER BY 'timestamp', value"),
      Seq("PARTITION BY 'value' is a constant", "ORDER BY 'timestamp' is a constant")
    )
    check(window("PARTITION BY 1 ORDER BY 2"), Seq("ORDER BY 2 is a constant"))
    check(window("PARTITION BY value % 2 ORDER BY timestamp"), Nil)
  }

  test("an error keeps its class and its place in the text") {
    for (function <- Seq("match_recognize_warnings", "match_recognize_trace")) {
      val sql = s"SELECT *\nFROM warned_table ${clause.replace("PATTERN", "PATERN")}"
      val direct = intercept[ParseException](spark.sql(sql))
      val nested = intercept[ParseException](spark.sql(call(function, sql)))
      assert(nested.getMessage == direct.getMessage)
      assert(nested.getCondition == direct.getCondition)
      assert(nested.line == direct.line && nested.startPosition == direct.startPosition)
      val unknown = s"SELECT *\nFROM warned_table ${clause.replace("value", "valu")}"
      val expected = intercept[AnalysisException](spark.sql(unknown)).getMessage
      assert(
        intercept[AnalysisException](spark.sql(call(function, unknown))).getMessage == expected
      )
    }
  }

  test("only the text of a query") {
    val wrong =
      Seq(
        "",
        "1",
        "NULL",
        "sql => 'SELECT 1'",
        "'SELECT 1', 2",
        "'SELECT 1', query => 'SELECT 1'",
        "concat(id)"
      )
    for (arguments <- wrong) {
      val e = intercept[SparkThrowable] {
        spark.sql(s"SELECT * FROM match_recognize_warnings($arguments)").collect()
      }
      assert(e.getCondition != "INTERNAL_ERROR", arguments)
    }
  }
}

/** Has one procedure, which counts its calls. */
final class CountingCatalog extends ProcedureCatalog {
  private var itsName = ""

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = itsName = name
  override def name: String = itsName
  def listProcedures(@unused namespace: Array[String]): Array[Identifier] = Array.empty

  override def loadProcedure(identifier: Identifier): UnboundProcedure = new UnboundProcedure {
    override def name: String = identifier.name
    override def bind(types: StructType): BoundProcedure = new BoundProcedure {
      override def name: String = identifier.name
      override def parameters: Array[ProcedureParameter] = Array.empty
      override def isDeterministic: Boolean = false
      override def call(input: InternalRow): java.util.Iterator[Scan] = {
        CountingCatalog.calls.incrementAndGet()
        java.util.Collections.emptyIterator()
      }
    }
  }
}

private object CountingCatalog {
  val calls = new AtomicInteger
}
