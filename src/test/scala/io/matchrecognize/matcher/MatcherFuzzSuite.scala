package io.matchrecognize.matcher

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled

/**
 * Compares the engines with the brute-force oracle on random searches. A long run:
 * `-Dfuzz.cases=300000 -Dfuzz.seed=7` as Java options of the test's process.
 */
class MatcherFuzzSuite extends AnyFunSuite {
  private val cases = sys.props.get("fuzz.cases").fold(Sampled.size(2000, 1000))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val budget = 20000

  test(s"$cases random searches from seed $seed agree with the oracle") {
    var compared = 0
    var found = 0
    var failed = 0
    var twoPass = 0
    var anchored = 0
    (0 until cases).foreach { i =>
      val fuzzCase = FuzzCase.random(seed * 1000000007L + i)
      fuzzCase.expected(budget).foreach { expected =>
        compared += 1
        found += expected.events.size
        failed += expected.error.size
        if (fuzzCase.twoPass().nonEmpty) twoPass += 1
        else if (AnchoredRuns(fuzzCase).nonEmpty) anchored += 1
        if (differs(fuzzCase, expected)) fail(report(shrink(fuzzCase)))
      }
    }
    info(
      s"$compared compared, $twoPass in two passes, $anchored by anchored threads, " +
        s"$found matches and time-outs, $failed errors"
    )
    assert(compared > cases / 2 && found > cases / 2 && failed > cases / 50)
    assert(twoPass > cases / 8 && anchored > cases / 6)
  }

  /** The outcome of the general engine, then those of the others, if they apply. */
  private def outcomes(fuzzCase: FuzzCase): Seq[Either[Throwable, BruteForceOracle.Outcome]] =
    try (fuzzCase.threaded() +: (fuzzCase.twoPass() ++ AnchoredRuns(fuzzCase))).map(Right(_))
    catch { case error: RuntimeException => Seq(Left(error)) }

  private def differs(fuzzCase: FuzzCase): Boolean =
    fuzzCase.expected(budget).exists(differs(fuzzCase, _))

  private def differs(fuzzCase: FuzzCase, expected: BruteForceOracle.Outcome): Boolean =
    !outcomes(fuzzCase).forall(_.exists(fuzzCase.allows(expected, _, budget)))

  @annotation.tailrec
  private def shrink(fuzzCase: FuzzCase): FuzzCase = fuzzCase.smaller.find(differs) match {
    case Some(smaller) => shrink(smaller)
    case None => fuzzCase
  }

  private def report(fuzzCase: FuzzCase): String =
    s"""engine and oracle differ on
       |${fuzzCase.describe}
       |oracle: ${fuzzCase.expected(budget)}
       |threads, then others: ${outcomes(fuzzCase)}""".stripMargin
}
