package io.matchrecognize.fuzz

import scala.collection.mutable

import org.apache.spark.SparkThrowable

import io.matchrecognize.QuerySuite

/**
 * Random clauses, each of which is searched in two ways; what differs is made smaller.
 *
 * @param defaultCases
 *   without `-Dfuzz.sql.cases`
 * @param property
 *   of the test's process that chooses one clause
 */
abstract class ClauseFuzzSuite[C](defaultCases: Int, property: String) extends QuerySuite {
  import ClauseFuzzSuite._

  protected val cases: Int = sys.props.get("fuzz.sql.cases").fold(defaultCases)(_.toInt)
  protected val seed: Long = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get(property).map(_.toInt)

  /** Differences to report in one run. */
  private val most = 5
  private val shrinkSeconds = sys.props.get("fuzz.shrink").fold(20L)(_.toLong)

  protected def draw(choices: Choices): C
  protected def compare(clause: C): Comparison
  protected def shown(clause: C): String

  /** Compares the clauses; `enough` is given how many of all had each outcome. */
  protected def compareAll(enough: collection.Map[String, Int] => Unit): Unit = {
    val failures = mutable.ArrayBuffer.empty[String]
    val totals = mutable.Map.empty[String, Int].withDefaultValue(0)
    only.fold(0 until cases)(i => i to i).iterator.takeWhile(_ => failures.size < most).foreach {
      i =>
        val choices = Choices.random(seed * 1000003L + i)
        val clause = draw(choices)
        if (only.isDefined) info(shown(clause))
        compare(clause) match {
          case Same(outcomes) => outcomes.foreach(totals(_) += 1)
          case Different(text) =>
            val (small, why) = Choices.reduced(choices.made, text, shrinkSeconds)(draw) { smaller =>
              compare(smaller) match {
                case Different(again) if kindOf(again) == kindOf(text) => Some(again)
                case _ => None
              }
            }
            failures += s"clause $i of seed $seed: $why\n" + shown(draw(Choices.again(small)))
            note(failures.last)
        }
    }
    info(totals.toSeq.sorted.map { case (name, count) => s"$count $name" }.mkString(", "))
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    if (only.isEmpty) enough(totals)
  }

  private def kindOf(text: String): Seq[String] = "(Left|Right)\\(".r.findAllIn(text).toSeq
}

object ClauseFuzzSuite {
  sealed trait Comparison
  final case class Same(outcomes: Seq[String]) extends Comparison
  final case class Different(text: String) extends Comparison

  /** What `body` returns, or the condition of its error. */
  def outcome[T](body: => T): Either[String, T] =
    try Right(body)
    catch {
      case error @ (_: Exception | _: StackOverflowError) =>
        Left(
          Iterator
            .iterate[Throwable](error)(_.getCause)
            .takeWhile(_ != null)
            .collectFirst {
              case e: SparkThrowable if e.getCondition != null => e.getCondition
              // Some of Spark's expressions have no condition for it.
              case e: ArithmeticException => s"ARITHMETIC: ${e.getMessage}"
            }
            .getOrElse(s"INTERNAL_ERROR: $error")
        )
    }
}
