package io.matchrecognize.matcher

import scala.collection.mutable
import scala.util.Random

import io.matchrecognize.matcher.BruteForceOracle._
import io.matchrecognize.matcher.Condition._
import io.matchrecognize.matcher.liveness.StateBlocks
import io.matchrecognize.matcher.search.{Search, TableSearch}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.matcher.twopass.{TwoPassMatcher, TwoPassTuning}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, Automaton, AutomatonBuilder, RowPattern}

/**
 * One random search: pattern, conditions, rows and modes.
 *
 * @param windowEnds
 *   for each row the first row beyond its window, empty without WITHIN
 */
final case class FuzzCase(
    pattern: RowPattern,
    conditions: Map[String, Condition],
    values: Vector[Int],
    skip: Skip,
    windowEnds: Vector[Int],
    timeOuts: Boolean,
    tuning: MatcherTuning
) {
  def describe: String =
    s"""PATTERN (${pattern.sql})
       |DEFINE ${conditions.toSeq.sortBy(_._1).map { case (v, c) => s"$v AS $c" }.mkString(", ")}
       |rows $values skip $skip window ends $windowEnds time-outs $timeOuts $tuning""".stripMargin

  /** None if the case is too expensive for the oracle. */
  def expected(budget: Int): Option[Outcome] = oracle(budget, holds)

  /**
   * Whether an engine may find `actual` where the oracle finds `expected`. A condition that reads a
   * failed sum may go untested if a preferred path reached the same position, and any condition
   * where the pruner knows that no match follows: the engine then raises less, and continues as if
   * the condition were not TRUE.
   */
  def allows(expected: Outcome, actual: Outcome, budget: Int): Boolean =
    expected == actual || expected.error.exists(mayGoUntested) && {
      val errors = mutable.HashSet.empty[String]
      val lenient = oracle(
        budget,
        (start, labels, number) =>
          try holds(start, labels, number)
          catch {
            case Failure(message) =>
              errors += message
              false
          }
      )
      actual.events.startsWith(expected.events) && lenient.forall { outcome =>
        if (actual.error.exists(errors)) {
          outcome.events.startsWith(actual.events) &&
          outcome.unmatched.startsWith(actual.unmatched)
        } else outcome == actual
      }
    }

  private def mayGoUntested(error: String): Boolean =
    error.startsWith("sum") || (error.startsWith("value") && tuning.firstWaste == 0)

  private def holds(start: Int, labels: Vector[String], number: Long): Boolean = {
    val condition = conditions.getOrElse(labels.last, Always)
    Condition.holds(condition, values.toArray, start, labels, number)
  }

  private def oracle(
      budget: Int,
      condition: (Int, Vector[String], Long) => Boolean
  ): Option[Outcome] = {
    val oracle = new BruteForceOracle(pattern, values.size, condition, budget)
    val end = (start: Int) => if (windowEnds.isEmpty) values.size else windowEnds(start)
    try Some(oracle.search(skip, end, !timeOuts, timeOuts))
    catch { case BudgetSpent => None }
  }

  /** What the general engine finds. */
  def threaded(): Outcome = run(threads)

  /** What the two-pass engine finds, with few and with many states; none if it does not apply. */
  def twoPass(): Seq[Outcome] = {
    val (automaton, input) = prepared()
    val tested = automaton.symbols.indices.filter(!input.alwaysTrue(_)).map(input.rowLocal)
    if (!TwoPassMatcher.takes(tested, windowEnds.nonEmpty)) Nil
    else
      for {
        bytes <- Seq(TwoPassTuning().maxBytes, 1L + values.size * 400L)
      } yield run { (automaton, input) =>
        val tuning = TwoPassTuning(bytes, 4, StateBlocks(values.size % 2, 1 << values.sum % 3))
        val general = threads(automaton, input)
        new TwoPassMatcher(automaton, input, SearchBudget(), general, None, tuning)
      }
  }

  private[matcher] def threads(automaton: Automaton, input: ConditionInput): Matcher =
    new PikeMatcher(automaton, input.plan, input, SearchBudget(), timeOuts, tuning)

  def prepared(): (Automaton, ConditionInput) = {
    val automaton = AutomatonBuilder(pattern)
    val isMemoized = values.size % 2 == 0
    val input = new ConditionInput(automaton.symbols, conditions, values.toArray, isMemoized)
    // Now and then an engine has to do with little memory.
    if (values.sum % 4 == 1) input.spareMemory = values.sum % 7 * 20000L
    (automaton, input)
  }

  def strategy(input: ConditionInput): AfterMatchSkip[SymbolSet] = skip match {
    case PastLast => AfterMatchSkip.PastLastRow
    case ToNext => AfterMatchSkip.ToNextRow
    case ToFirstOf(names) => AfterMatchSkip.ToVariable(input.symbolSet(names), first = true)
    case ToLastOf(names) => AfterMatchSkip.ToVariable(input.symbolSet(names), first = false)
  }

  private[matcher] def run(engine: (Automaton, ConditionInput) => Matcher): Outcome = {
    val (automaton, input) = prepared()
    val matcher = engine(automaton, input)
    val window: Option[AttemptLimit] =
      if (windowEnds.isEmpty) None
      else Some((start: Long) => windowEnds(start.toInt).toLong)
    val search =
      new TableSearch(
        values.size.toLong,
        matcher,
        strategy(input),
        window,
        unmatchedRows = !timeOuts
      )
    input.search = search
    val events = Vector.newBuilder[Event]
    val unmatched = Vector.newBuilder[Int]
    def path = Vector.tabulate(search.length.toInt) { offset =>
      Mapped(automaton.symbols(search.symbolAt(offset.toLong)), search.excludedAt(offset.toLong))
    }
    val error =
      try {
        while (search.advance()) {
          val start = search.start.toInt
          search.kind match {
            case Search.Match => events += Event("match", start, path, search.matchNumber)
            case Search.TimedOut => events += Event("timeout", start, path, 0)
            case _ => unmatched += start
          }
        }
        None
      } catch {
        case failure: Failure => Some(failure.message)
        case skipped: SkipToFirstRow => Some(s"skip first ${skipped.matchStart}")
        case skipped: SkipToMissingRow => Some(s"skip missing ${skipped.matchStart}")
      }
    Outcome(events.result(), unmatched.result(), error)
  }

  /** Smaller cases to try when this one fails. */
  def smaller: Iterator[FuzzCase] = {
    val shorter = values.indices.iterator.map { i =>
      val ends = if (windowEnds.isEmpty) windowEnds else windowEnds.patch(i, Nil, 1)
      copy(
        values = values.patch(i, Nil, 1),
        windowEnds = ends.map(end => if (end > i) end - 1 else end).zipWithIndex.map {
          case (end, start) => end.max(start + 1)
        }
      )
    }
    val plainer = conditions.keys.iterator.flatMap { variable =>
      val condition = conditions(variable)
      (Always +: condition.parts).filter(_ != condition).map { other =>
        copy(conditions = conditions.updated(variable, other))
      }
    }
    val modes = Iterator(copy(skip = PastLast), copy(windowEnds = Vector.empty))
    (PatternShrinker.smaller(pattern).map(p => copy(pattern = p)) ++ shorter ++ plainer ++ modes)
      .filter(_ != this)
  }
}

object FuzzCase {
  private[matcher] val names = Vector("A", "B", "C", "D")

  def random(seed: Long): FuzzCase = {
    val random = new Random(seed)
    val pattern = randomPattern(random, 1 + random.nextInt(4))
    val rows = random.nextInt(8)
    val values = Vector.fill(rows)(random.nextInt(4))
    val loose = random.nextInt(3)
    val reads = random.nextInt(5) match {
      case 0 => RandomConditions.Local
      case 1 | 2 => RandomConditions.FirstRow
      case _ => RandomConditions.All
    }
    val conditions = names.map(_ -> RandomConditions.draw(random, loose, reads)).toMap
    val skip = random.nextInt(4) match {
      case 0 => PastLast
      case 1 => ToNext
      case 2 => ToFirstOf(randomSet(random))
      case _ => ToLastOf(randomSet(random))
    }
    val windowed = random.nextInt(3) == 0
    val ends =
      if (!windowed) Vector.empty
      else {
        // Months may make a window end before an earlier one.
        val ascending = random.nextInt(4) > 0
        (0 until rows)
          .scanLeft(0) { (end, row) =>
            val own = row + 1 + random.nextInt(4)
            (if (ascending) end.max(own) else own).min(rows)
          }
          .tail
          .toVector
      }
    val timeOuts = windowed && random.nextBoolean()
    val tuning =
      if (random.nextInt(4) == 0) MatcherTuning()
      else {
        val firstWaste = if (random.nextBoolean()) 0L else 1000L
        MatcherTuning(1 + random.nextInt(3), random.nextInt(2), firstWaste)
      }
    FuzzCase(pattern, conditions, values, skip, ends, timeOuts, tuning)
  }

  def randomPattern(random: Random, depth: Int): RowPattern = {
    def inner = randomPattern(random, depth - 1)
    def several(most: Int) = Vector.fill(1 + random.nextInt(most))(inner)
    if (depth == 0) {
      random.nextInt(24) match {
        case 0 => StartAnchor
        case 1 => EndAnchor
        case 2 | 3 => Empty
        case _ => Variable(names(random.nextInt(names.size)))
      }
    } else {
      random.nextInt(10) match {
        case 0 | 1 | 2 => Concatenation(several(3))
        case 3 | 4 => Alternation(several(3))
        case 5 | 6 | 7 =>
          val lower = random.nextInt(3)
          val upper = if (random.nextBoolean()) None else Some((lower + random.nextInt(3)).max(1))
          def greedy = random.nextInt(3) > 0
          // Bodies that may map no row are where quantifiers differ.
          def optional = Quantified(inner, 0, Some(1 + random.nextInt(2)), greedy)
          val body = random.nextInt(6) match {
            case 0 => optional
            case 1 => Concatenation(Seq(optional, optional))
            case _ => inner
          }
          Quantified(body, lower, upper, greedy)
        case 8 => Permutation(several(3))
        case _ => if (random.nextInt(3) == 0) Exclusion(inner) else inner
      }
    }
  }

  private[matcher] def randomSet(random: Random): Set[String] =
    if (random.nextInt(6) == 0) names.toSet
    else Set.fill(1 + random.nextInt(2))(names(random.nextInt(names.size)))
}
