package io.matchrecognize

import java.util.{Collections, WeakHashMap}

import org.apache.spark.SPARK_VERSION
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.matchrecognize.analysis.ResolveMatchRecognize
import io.matchrecognize.analysis.checks.CheckSubqueries
import io.matchrecognize.analysis.functions._
import io.matchrecognize.analysis.stream.{CheckStreams, InputOrderHint}
import io.matchrecognize.analysis.window.{ResolveRowPatternWindows, WindowPlaces}
import io.matchrecognize.errors.MatchRecognizeConditions
import io.matchrecognize.execution.plan.{MatchRecognizeStrategy, ShuffleInBlocks}
import io.matchrecognize.execution.trace.TraceStrategy
import io.matchrecognize.optimizer.{
  MergeClauses,
  MergeQuery,
  MergeStreams,
  PruneMeasures,
  PushConditions,
  PushPartitionFilters
}
import io.matchrecognize.parser.MatchRecognizeSqlParser
import io.matchrecognize.streaming.operator.{CheckPatterns, SeparateInputs, StreamStrategy}

/**
 * What the plugin adds to a session, in the order in which a statement passes through it.
 *
 * Spark finds this class by its entry in `META-INF/services`, so the jar alone is enough; if
 * `spark.sql.extensions` names it too, the second call does nothing. A jar built for another Spark
 * minor adds nothing and logs an error, because its classes may be incompatible.
 */
final class MatchRecognizeExtensions extends SparkSessionExtensionsProvider with Logging {
  import MatchRecognizeExtensions._

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (runningMinor != BuildInfo.sparkMinor) logError(wrongVersion)
    else if (extended.add(extensions)) inject(extensions)

  private def inject(extensions: SparkSessionExtensions): Unit = {
    // MATCH_RECOGNIZE in SQL text.
    extensions.injectParser((session, delegate) => wrapped(delegate, session))
    // Row patterns in windows of a query with GROUP BY or QUALIFY are refused.
    extensions.injectHintResolutionRule(_ => WindowPlaces)
    // The order in which one query searches the rows of a stream.
    extensions.injectHintResolutionRule(_ => InputOrderHint)
    // Row patterns in window specifications become clauses below the query.
    extensions.injectResolutionRule(_ => ResolveRowPatternWindows)
    // Names, functions and types of the clause, among Spark's own resolution rules.
    extensions.injectResolutionRule(_ => ResolveMatchRecognize)
    // Mistakes that Spark's checks would report misleadingly.
    extensions.injectPostHocResolutionRule(_ => CheckSubqueries)
    // Clauses together with other operators of a stream.
    extensions.injectPostHocResolutionRule(_ => CheckStreams)
    // One operator for the clauses of a UNION ALL over one stream.
    extensions.injectPostHocResolutionRule(_ => MergeStreams)
    // Less state of each row of a stream.
    extensions.injectPostHocResolutionRule(_ => PushConditions)
    // A checkpoint with other operators.
    extensions.injectPostHocResolutionRule(_ => CheckPatterns)
    // One node for the clauses of a UNION ALL that is the whole query.
    extensions.injectPlanNormalizationRule(session =>
      new MergeQuery(session.asInstanceOf[ClassicSession])
    )
    // Fewer partitions, fewer inputs, fewer measures, fewer columns.
    extensions.injectOptimizerRule(_ => PushPartitionFilters)
    extensions.injectOptimizerRule(_ => MergeClauses)
    extensions.injectOptimizerRule(_ => PruneMeasures)
    // The physical operators, on tables and on streams.
    extensions.injectPlannerStrategy(_ => MatchRecognizeStrategy)
    extensions.injectPlannerStrategy(_ => StreamStrategy)
    // Rows as blocks through the shuffle, with adaptive execution and without.
    extensions.injectQueryStagePrepRule(_ => ShuffleInBlocks)
    extensions.injectColumnar(_ => ShuffleInBlocks.Columnar)
    // Exchanges of streams are not shared.
    extensions.injectColumnar(_ => SeparateInputs)
    // match_recognize_version(): shows that the plugin is loaded.
    extensions.injectFunction(version)
    // match_recognize_trace(query): the steps of a search.
    extensions.injectTableFunction(TraceFunction.description)
    extensions.injectPlannerStrategy(_ => TraceStrategy)
    // match_recognize_explain(query): what a search found, in sentences.
    extensions.injectTableFunction(ExplainFunction.description)
    // match_recognize_rows(query): the rows with their variables and matches.
    extensions.injectTableFunction(RowsFunction.description)
    // match_recognize_keys(query): the keys of the rows that it reads.
    extensions.injectTableFunction(KeysFunction.description)
    // match_recognize_warnings(query): what its clauses rarely mean.
    extensions.injectTableFunction(WarningsFunction.description)
    // match_recognize_lookback(query): where its searches may be cut.
    extensions.injectTableFunction(LookbackFunction.description)
    // None of these functions in the text of a SQL function.
    extensions.injectPostHocResolutionRule(_ => ForeignText)
  }

  private def wrapped(delegate: ParserInterface, session: SparkSession): ParserInterface =
    delegate match {
      case parser: MatchRecognizeSqlParser => parser
      case other =>
        // Spark makes the parser before the conf can be asked for.
        val classic = session.asInstanceOf[ClassicSession]
        new MatchRecognizeSqlParser(other, () => classic.sessionState.conf)
    }
}

object MatchRecognizeExtensions {
  private val extended =
    Collections.synchronizedSet(
      Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])
    )

  private def runningMinor: String = SPARK_VERSION.split('.').take(2).mkString(".")

  private def wrongVersion: String = MatchRecognizeConditions.message(
    "MATCH_RECOGNIZE_WRONG_SPARK_VERSION",
    Map(
      "built" -> BuildInfo.sparkMinor,
      "running" -> SPARK_VERSION,
      "artifact" ->
        s"io.matchrecognize:spark-match-recognize-spark-${runningMinor}_2.13:${BuildInfo.version}"
    )
  )

  private val version = RegisteredFunction[Expression](
    this,
    "match_recognize_version",
    "_FUNC_() - Returns the version of the MATCH_RECOGNIZE plugin.",
    group = "",
    source = "scala_udf"
  )(_ => Literal(BuildInfo.version))
}
