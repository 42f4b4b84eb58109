package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{RowPattern, RowPatternAnalysis}

/**
 * Conditions that compare aggregates over several variables, of queries over streams: what an
 * attempt that is open between two micro-batches has added up decides whether it matches.
 */
object FuzzSums {
  private val patterns: Seq[RowPattern] = {
    val (x, y, z) = (Variable("X"), Variable("Y"), Variable("Z"))
    def loop(element: RowPattern, lower: Int, greedy: Boolean = true) =
      Quantified(element, lower, None, greedy)
    Seq(
      Concatenation(Seq(loop(x, 1), y)),
      Concatenation(Seq(loop(x, 1), loop(y, 0, greedy = false), z)),
      Concatenation(Seq(x, loop(y, 1), z)),
      Concatenation(Seq(loop(Alternation(Seq(x, y)), 1), z))
    )
  }

  /** The query with such a pattern and such conditions. */
  def of(query: FuzzQuery, random: Random): FuzzQuery = {
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    val pattern = pick(patterns: _*)
    val variables = RowPatternAnalysis.variables(pattern, identity)

    /** Whether there are few rows, or many. */
    def compared(isFew: Boolean): FuzzExpression = {
      val on = pick(None +: variables.map(Option(_)): _*)
      def of(function: String, argument: FuzzExpression) =
        Aggregate(function, distinct = false, Seq(argument), None, "")
      def most(few: Long*)(many: Long*) = Constant(pick((if (isFew) few else many): _*))
      val (aggregate, bound) = random.nextInt(5) match {
        case 0 => of("COUNT", Star(on)) -> most(2, 3, 5)(1, 2, 3)
        case 1 => of("SUM", Column(on, "k")) -> most(8, 12, 20)(3, 6, 10)
        case 2 => of("MAX", Column(on, "k")) -> most(6, 8, 9)(2, 4, 6)
        case 3 => of("SUM", Column(on, "v")) -> most(4, 6, 10)(1, 2, 4)
        case _ => of("COUNT", Column(on, "v")) -> most(2, 3, 5)(1, 2)
      }
      op(if (isFew) "<=" else ">=", op("COALESCE", aggregate, Constant(0L)), bound)
    }
    def both(isFew: Boolean) =
      if (random.nextBoolean()) compared(isFew)
      else op(pick("AND", "OR"), compared(isFew), compared(isFew))

    val conditions = variables.map(name => name -> both(isFew = name != variables.last))
    query.copy(
      pattern = pattern,
      subsets = Nil,
      conditions = conditions,
      measures = Seq(
        Aggregate("COUNT", distinct = false, Seq(Star(None)), None, ""),
        Navigation("FIRST", "", Column(None, "k"), None),
        Navigation("LAST", "", Column(None, "k"), None)
      ),
      rowsPerMatch = pick("ONE ROW PER MATCH", "ALL ROWS PER MATCH"),
      skip = FuzzSkip(pick("PAST LAST ROW", "TO NEXT ROW"), None),
      within = None
    )
  }
}
