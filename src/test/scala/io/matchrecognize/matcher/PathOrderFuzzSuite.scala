package io.matchrecognize.matcher

import java.util.Locale

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.BruteForceOracle.{BudgetSpent, Mapped}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{Automaton, AutomatonBuilder, RowPattern}

/**
 * Compares the order of all paths: those of the pattern as written, and those of its automaton. A
 * last variable after the pattern makes sure that no path is cut off by an end of the match.
 */
class PathOrderFuzzSuite extends AnyFunSuite {
  private val cases = sys.props.get("fuzz.cases").fold(2000)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val rows = 4

  test(s"the paths of $cases random patterns from seed $seed come in the order of preferment") {
    var compared = 0
    (0 until cases).foreach { i =>
      val random = new Random(seed * 1000000007L + i)
      val core = FuzzCase.randomPattern(random, 1 + random.nextInt(4))
      val pattern = Concatenation(Seq(core, Variable("Z")))
      try {
        val expected = new BruteForceOracle(pattern, rows, (_, _, _) => true, 5000).allPaths()
        compared += 1
        assert(text(allPaths(pattern)) == text(expected), s"for PATTERN (${pattern.sql})")
      } catch { case BudgetSpent => }
    }
    info(s"$compared compared")
    assert(compared > cases / 2)
  }

  /** Labels of each path, those of excluded rows in small letters. */
  private def text(paths: Vector[Vector[Mapped]]): String =
    paths
      .map(
        _.map(row => if (row.excluded) row.label.toLowerCase(Locale.ROOT) else row.label).mkString
      )
      .mkString(" ")

  private def allPaths(pattern: RowPattern): Vector[Vector[Mapped]] = {
    val automaton = AutomatonBuilder(pattern)
    def from(state: Int, path: Vector[Mapped]): Vector[Vector[Mapped]] =
      (automaton.firstEdge(state) until automaton.endEdge(state)).toVector.flatMap { edge =>
        val target = automaton.target(edge)
        if (automaton.guard(edge) == Automaton.AtEnd && path.size < rows) Vector.empty
        else if (target == Automaton.Accept) Vector(path)
        else if (path.size == rows) Vector.empty
        else {
          val label = automaton.symbols(automaton.symbolOf(target))
          from(target, path :+ Mapped(label, automaton.excluded(target)))
        }
      }
    from(automaton.start, Vector.empty).distinct
  }
}
