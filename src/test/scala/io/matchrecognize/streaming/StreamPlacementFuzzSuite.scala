package io.matchrecognize.streaming

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import io.matchrecognize.Sampled

/**
 * MATCH_RECOGNIZE at every place of streaming plans. Each plan is equal to the same plan over
 * tables, or it is refused before the first row; there is no third outcome. A long run:
 * `-Dfuzz.stream.plans=1000 -Dfuzz.seed=7` as Java options of the test's process; one plan again:
 * `-Dfuzz.stream.plan=17` beside them.
 */
class StreamPlacementFuzzSuite extends StreamSuite {
  import Outcome._

  private val count = sys.props.get("fuzz.stream.plans").fold(Sampled.size(3, 2))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.stream.plan").map(_.toInt)

  /** Failures to report in one run. */
  private val most = sys.props.get("fuzz.stream.failures").fold(5)(_.toInt)

  private lazy val runner = new PlacementRunner(spark, () => newDirectory())

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT * FROM VALUES ('a', 1), ('b', 2), ('z', 3) AS names(k, w)")
      .createOrReplaceTempView("names")
  }

  test(s"$count random plans from seed $seed are equal to the table or refused") {
    val outcomes = mutable.ArrayBuffer.empty[(PlacementPlan, Outcome)]
    val failures = mutable.ArrayBuffer.empty[String]
    only
      .fold(0 until count)(number => number to number)
      .iterator
      .takeWhile(_ => failures.size < most)
      .foreach { number =>
        val plan = PlacementGenerator.random(seed, number)
        val outcome = run(plan)
        outcomes += plan -> outcome
        outcome match {
          case Wrong(text) =>
            failures += report(number, plan, text)
            note(failures.last)
          case _ =>
        }
      }
    info(summary(outcomes.toSeq))
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    if (only.isEmpty && count >= 25) {
      // Neither by refusing plans nor by empty results.
      val rows = outcomes.collect { case (_, Equal(n)) => n }
      assert(rows.size >= outcomes.size / 3 && rows.count(_ == 0) <= rows.size / 4)
      assert(outcomes.size - rows.size >= outcomes.size / 10)
    }
  }

  test("50 plans have each kind below and above, each mode and each setting") {
    // Of the seed that `make test` has; another one may draw a setting too seldom.
    val plans = (0 until 50).map(PlacementGenerator.random(1L, _))
    val settings = plans.map(_.settings)
    assert(PlacementGenerator.belowKinds.toSet -- plans.flatMap(_.below) == Set.empty)
    assert(PlacementGenerator.aboveKinds.toSet -- plans.flatMap(_.above) == Set.empty)
    assert(settings.map(_.mode).toSet == PlacementGenerator.modes.toSet)
    def both(setting: PlanSettings => Boolean): Unit =
      assert(settings.count(setting) >= 4 && settings.count(!setting(_)) >= 4)
    both(_.reusesExchange)
    both(_.allowsMultiple)
    both(_.isRocksDb)
    both(_.isAdaptive)
    both(_.isCompiled)
    both(_.restartBefore.isDefined)
    both(_.isStatement)
    both(_.isAvailableNow)
    assert(plans.count(_.isStatement) >= 4)
    assert(plans.exists(_.arrivals.exists(_.size == 0)))
    assert(plans.count(PlacementRefusals.reasons(_).isEmpty) >= 15)
  }

  private def run(plan: PlacementPlan): Outcome =
    withConf(confs(plan.settings): _*) {
      Try(runner.table(plan)) match {
        case Success(table) =>
          def outcome(result: StreamResult) = PlacementJudge.judge(plan, table, result)
          outcome(runner.stream(plan)(outcome(_).isInstanceOf[Equal])) match {
            case Refused(condition, message) if PlacementRefusals.reasons(plan).isEmpty =>
              Wrong(s"refused without reason: $condition\n$message")
            case other => other
          }
        case Failure(error) => Wrong(s"an error on the table: ${error.toString}")
      }
    }

  private def confs(settings: PlanSettings): Seq[(String, String)] = {
    val compiled = settings.isCompiled
    settings.space.confs ++ Seq(
      ProviderKey -> (if (settings.isRocksDb) rocksDb else hdfs),
      "spark.sql.shuffle.partitions" -> "1",
      "spark.sql.exchange.reuse" -> settings.reusesExchange.toString,
      "spark.sql.streaming.statefulOperator.allowMultiple" -> settings.allowsMultiple.toString,
      "spark.sql.adaptive.enabled" -> settings.isAdaptive.toString,
      "spark.sql.codegen.wholeStage" -> compiled.toString,
      "spark.sql.codegen.factoryMode" -> (if (compiled) "FALLBACK" else "NO_CODEGEN")
    ) ++ Option.when(settings.defaultWatermark)(
      "spark.matchRecognize.stream.defaultWatermarkDelay" -> s"${settings.delay} seconds"
    )
  }

  private def report(number: Int, plan: PlacementPlan, text: String): String = {
    val (small, why) = shrunk(plan, text)
    s"plan $number of seed $seed: $text\n$plan" +
      (if (small == plan) "" else s"\nreduced: $why\n$small")
  }

  private def shrunk(plan: PlacementPlan, text: String): (PlacementPlan, String) = {
    var smallest = (plan, text)
    var runs = sys.props.get("fuzz.stream.shrink").fold(60)(_.toInt)
    var isSmaller = true
    while (isSmaller && runs > 0) {
      val next = PlacementPlan
        .smaller(smallest._1)
        .takeWhile(_ => runs > 0)
        .map { candidate =>
          runs -= 1
          candidate -> Try(run(candidate))
        }
        .collectFirst { case (candidate, Success(Wrong(why))) => (candidate, why) }
      isSmaller = next.isDefined
      next.foreach(smallest = _)
    }
    smallest
  }

  private def summary(outcomes: Seq[(PlacementPlan, Outcome)]): String = {
    val equal = outcomes.collect { case (_, Equal(rows)) => rows }
    val refused = outcomes.collect { case (_, Refused(condition, _)) => condition }
    val conditions = refused.groupBy(identity).toSeq.sortBy(-_._2.size).map { case (c, all) =>
      s"  ${all.size} $c"
    }
    s"${outcomes.size} plans: ${equal.size} equal (${equal.sum} rows, ${equal.count(_ == 0)} " +
      s"without rows), ${refused.size} refused\n${conditions.mkString("\n")}"
  }
}
