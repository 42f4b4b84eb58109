package io.matchrecognize.execution.trace

import java.nio.file.Paths

import scala.jdk.CollectionConverters._
import scala.util.Random
import scala.util.control.NonFatal

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, Cast}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.types.{LongType, StringType}

import io.matchrecognize.expressions.{Classifier, MatchNumber, Navigation, NavigationTarget}
import io.matchrecognize.fuzz.FuzzSettings
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.plans.{AllRowsMode, MatchRecognize, RowsPerMatch}
import io.matchrecognize.{BuildInfo, QuerySuite, Sampled}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/**
 * The matches in a trace are those of the query, row by row, for each conformance case whose query
 * has one outermost clause and no error; and each test in it has the truth that the engine acted
 * on. One case in many; `-Dfuzz.trace.every=1` as a Java option of the test's process, as in
 * `make fuzz`, takes all.
 */
class TraceConformanceSuite extends QuerySuite {
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val every = sys.props.get("fuzz.trace.every").fold(Sampled.size(24, 48))(_.toInt)
  private val atLeast = Map("cases" -> 210, "extensions" -> 50, "scenarios" -> 15)

  atLeast.foreach { case (file, least) =>
    test(file) {
      val cases = new ObjectMapper()
        .readTree(Paths.get("tests", "conformance", s"$file.json").toFile)
        .elements()
        .asScala
        .filter(node => !node.has("expected_error") && !isTooNew(node))
        .zipWithIndex
        .filter(_._2 % every == 0)
      val found = cases.map { case (node, i) =>
        val id = node.get("id").asText
        val settings = FuzzSettings.random(new Random(seed * 1000003L + i))
        def under(text: String) = if (text.isEmpty) text else s"$text under\n$settings\n"
        try id -> withConf(settings.confs: _*)(compare(node)).map(under)
        catch { case NonFatal(e) => id -> Some(under(e.toString)) }
      }.toSeq
      val wrong = found.collect {
        case (id, Some(difference)) if difference.nonEmpty => s"$id: $difference"
      }
      assert(wrong == Nil, wrong.mkString("\n"))
      val compared = found.count(_._2.isDefined)
      info(s"$compared of ${found.length} queries compared")
      assert(compared >= least / every)
    }
  }

  private def isTooNew(node: JsonNode): Boolean =
    node.get("sql").asText.contains("AS TIME)") && BuildInfo.sparkMinor == "4.0"

  /** What differs; None if the query has no single clause. */
  private def compare(node: JsonNode): Option[String] = {
    val confs = Option(node.get("conf")).toSeq
      .flatMap(_.properties().asScala.map(e => e.getKey -> e.getValue.asText))
    withConf(confs: _*) {
      val inputs = Option(node.get("inputs"))
        .map(_.properties().asScala.map(e => e.getKey -> e.getValue).toSeq)
        .getOrElse(Seq("t" -> node.get("input")))
      inputs.foreach { case (name, input) =>
        spark.sql(source(input)).createOrReplaceTempView(name)
      }
      try {
        Option(node.get("before")).foreach(_.elements().asScala.foreach(s => spark.sql(s.asText)))
        val sql = node.get("sql").asText
        outermost(sql) match {
          case Seq(clause) => Some(differences(sql, clause))
          case _ => None
        }
      } finally inputs.foreach { case (name, _) => spark.catalog.dropTempView(name) }
    }
  }

  private def state = spark.asInstanceOf[ClassicSession].sessionState

  private def outermost(sql: String): Seq[MatchRecognize] = {
    def of(plan: LogicalPlan): Seq[MatchRecognize] = plan match {
      case node: MatchRecognize => Seq(node)
      case other => other.children.flatMap(of)
    }
    val plan = state.executePlan(state.sqlParser.parsePlan(sql)).analyzed
    of(InlineCTE(alwaysInline = true)(plan)).distinctBy(_.canonicalized)
  }

  private def differences(sql: String, clause: MatchRecognize): String = {
    val text = sql.replace("\\", "\\\\").replace("'", "\\'")
    val trace = rows(s"SELECT * FROM match_recognize_trace('$text')")
    val lying = trace.filter { row =>
      val truth = row.getAs[String]("truth")
      row.getAs[String]("event") == "test" && (row.getAs[String]("result") match {
        case "kept" => truth != "TRUE"
        case "dropped" => truth == "TRUE" && !clause.clause.pattern.sql.exists("^$".contains(_))
        case "failed before" => truth != null
        case _ => truth != null && truth != "TRUE"
      })
    }
    val (want, got) = (ofQuery(clause).sorted, ofTrace(trace, clause).sorted)
    val sentences =
      rows(s"SELECT sentence FROM match_recognize_explain('$text')").map(_.getString(0))
    val (traced, told) = (countsOf(trace), toldOf(sentences))
    if (lying.nonEmpty) s"truth of ${lying.head}"
    else if (traced != told) s"traced $traced, told $told: ${sentences.mkString("\n")}"
    else if (strangers(sentences, trace).nonEmpty) strangers(sentences, trace).mkString("\n")
    else if (want != got) s"want ${want.mkString("; ")} got ${got.mkString("; ")}"
    else ""
  }

  /** What the first sentence and those about failed attempts say, counted in the trace. */
  private def countsOf(trace: Seq[Row]): Map[String, Long] = {
    def count(which: Row => Boolean) = trace.count(which).toLong
    def of(event: String)(row: Row) = row.getAs[String]("event") == event
    val results = trace.filter(of("end")).groupBy(_.getAs[String]("result"))
    val all = Map(
      "attempts" -> count(of("end")),
      "rows" -> count(of("row")),
      "partitions" -> count(row => of("row")(row) && row.getAs[Long]("row_number") == 1)
    ) ++ results.map { case (result, ends) => result -> ends.length.toLong }
    all.filter { case (name, count) => count > 0 && name != "error" }
  }

  /** Sentences whose example is an attempt that the trace says to have ended otherwise. */
  private def strangers(sentences: Seq[String], trace: Seq[Row]): Seq[String] = {
    def place(row: Row, column: String) =
      (Option(row.getAs[String]("partition_key")), row.getAs[Long](column))
    val ends = trace.filter(_.getAs[String]("event") == "end")
    val tests = trace.filter(_.getAs[String]("event") == "test")
    val isAlone = trace.map(_.getAs[String]("partition_key")).distinct.length == 1
    def starts(result: String) =
      ends.filter(_.getAs[String]("result") == result).map(place(_, "start_row")).toSet
    // The starts of the attempts that have the example.
    def examples(sentence: String): Option[(String, Set[(Option[String], Long)])] = {
      def at(key: String, row: String) =
        (if (isAlone) ends.head.getAs[String]("partition_key") else key) -> parsed(row)
      def found(result: String, key: String, row: String, column: String) = {
        val (partition, number) = at(key, row)
        val such = tests.filter(place(_, column) == (Option(partition), number))
        Some(result -> such.map(place(_, "start_row")).toSet)
      }
      sentence match {
        case Began(row, key) => found("condition failed", key, row, "start_row")
        case Such(row, key) => found("condition failed", key, row, "start_row")
        case Open(row, key) => found("rows ended", key, row, "row_number")
        case Late(row, key) => found("window ended", key, row, "row_number")
        case _ => None
      }
    }
    sentences.filter { sentence =>
      examples(sentence).exists { case (result, found) => (found & starts(result)).isEmpty }
    }
  }

  private val Of = "row ([\\d,]+)(?: of partition (.*?))?"
  private val Began = s".* failed on .*(?:the furthest|: it) began at $Of and reached row .*".r
  private val Such = s".* failed at .* first row, (?:such as )?$Of, on .*".r
  private val Open = s".* still open .*? had failed, as in $Of(?:[:;].*|\\.)".r
  private val Late = s".* ran out of time.*? had failed, as in $Of(?:[:;].*|\\.)".r

  private def toldOf(sentences: Seq[String]): Map[String, Long] = {
    val number = "([\\d,]+)"
    val first =
      s"$number attempts? in $number rows?(?: of $number partitions)? found (no|$number) .*".r
    val total: Map[String, Long] =
      sentences.dropWhile(_.startsWith("The search was made in whole")).head match {
        case first(attempts, rows, partitions, _, matches) =>
          Map(
            "attempts" -> parsed(attempts),
            "rows" -> parsed(rows),
            "partitions" -> Option(partitions).fold(1L)(parsed),
            "match" -> Option(matches).fold(0L)(parsed)
          )
        case _ => Map.empty
      }
    val ends = Seq(
      "condition failed" -> "failed (?:on|at)",
      "rows ended" -> "(?:was|were) still open",
      "window ended" -> "ran out of time",
      "failed before" -> "stopped early",
      "anchor failed" -> "(?:was|were) ruled out",
      "timed out" -> "(?:was|were) cut off"
    ).map { case (result, text) =>
      val sentence = s"$number (?:attempt|start)s? $text.*".r
      result -> sentences.collect { case sentence(count) => parsed(count) }.sum
    }
    (total ++ ends).filter(_._2 > 0)
  }

  private def parsed(number: String): Long = number.replace(",", "").toLong

  /** Match number, variable and columns of each row of a match, as the query finds them. */
  private def ofQuery(node: MatchRecognize): Seq[String] = {
    val current = NavigationTarget(None, fromFirst = false, 0, isFinal = false, 0)
    val measures = Seq("number" -> LongType, "variable" -> StringType).map {
      case (name, dataType) =>
        AttributeReference(name, dataType)()
    }
    val shown = MatchRecognize(
      node.clause.copy(
        measures = Seq(MatchNumber(), Navigation(Classifier(None), current)),
        rowsPerMatch = RowsPerMatch.AllRows(AllRowsMode.ShowEmptyMatches),
        pattern = included(node.clause.pattern)
      ),
      measures,
      node.child
    )
    val columns = node.child.output.distinctBy(_.name)
    val texts = columns.map(c => Alias(Cast(c, StringType), c.name)())
    val result =
      state.executePlan(Project(measures ++ texts, shown)).executedPlan.executeCollectPublic()
    result.toSeq.map(row => line(row.getLong(0), row.getString(1), row.toSeq.drop(2)))
  }

  private def included(pattern: RowPattern): RowPattern = pattern match {
    case RowPattern.Exclusion(element) => included(element)
    case RowPattern.Concatenation(elements) => RowPattern.Concatenation(elements.map(included))
    case RowPattern.Alternation(branches) => RowPattern.Alternation(branches.map(included))
    case RowPattern.Permutation(elements) => RowPattern.Permutation(elements.map(included))
    case quantified: RowPattern.Quantified =>
      quantified.copy(element = included(quantified.element))
    case other => other
  }

  private def ofTrace(trace: Seq[Row], node: MatchRecognize): Seq[String] = {
    val names = node.child.output.map(_.name).distinct
    def key(row: Row) = (row.getAs[String]("partition_key"), row.getAs[Long]("row_number"))
    val columns = trace
      .filter(_.getAs[String]("event") == "row")
      .map { row =>
        val values = row.getAs[scala.collection.Map[String, String]]("reads")
        key(row) -> names.map(values)
      }
      .toMap
    trace.filter(_.getAs[String]("result") == "match").flatMap { row =>
      val (partition, number) =
        (row.getAs[String]("partition_key"), row.getAs[Long]("match_number"))
      val start = row.getAs[Long]("start_row")
      val variables = expanded(row.getAs[String]("path"))
      if (variables.isEmpty) Seq(line(number, null, columns(partition -> start)))
      else
        variables.zipWithIndex.map { case (variable, i) =>
          line(number, variable, columns(partition -> (start + i)))
        }
    }
  }

  private def expanded(path: String): Seq[String] =
    """(`(?:[^`]|``)*`|\w+)(?:\{(\d+)\})?""".r.findAllMatchIn(path).toSeq.flatMap { run =>
      val name = run.group(1)
      val plain = if (name.startsWith("`")) name.drop(1).dropRight(1).replace("``", "`") else name
      Seq.fill(Option(run.group(2)).fold(1)(_.toInt))(plain)
    }

  private def line(number: Long, variable: String, columns: Seq[Any]): String =
    s"$number $variable ${columns.mkString(" ")}"

  /** A query with exactly the columns and rows of a case. */
  private def source(input: JsonNode): String = {
    val columns = input.get("columns").elements().asScala.toSeq
    val rows =
      input.get("rows").elements().asScala.map(_.elements().asScala.map(literal).toSeq).toSeq
    val selected = columns.zipWithIndex.map { case (c, i) =>
      s"CAST(c$i AS ${c.get(1).asText}) AS `${c.get(0).asText}`"
    }
    val values = if (rows.isEmpty) Seq(columns.map(_ => "NULL")) else rows
    s"SELECT ${selected.mkString(", ")} FROM VALUES ${values.map(_.mkString("(", ", ", ")")).mkString(", ")} " +
      s"AS v(${columns.indices.map(i => s"c$i").mkString(", ")}) WHERE ${rows.nonEmpty}"
  }

  private def literal(value: JsonNode): String =
    if (value.isNull) "NULL"
    else if (value.isBoolean || value.isIntegralNumber) value.asText
    else if (value.isNumber) s"DOUBLE('${value.asText}')"
    else if (value.isArray) value.elements().asScala.map(literal).mkString("array(", ", ", ")")
    else if (value.isObject)
      value
        .properties()
        .asScala
        .map(e => s"'${e.getKey}', ${literal(e.getValue)}")
        .mkString("named_struct(", ", ", ")")
    else s"'${value.asText.replace("\\", "\\\\").replace("'", "\\'")}'"
}
