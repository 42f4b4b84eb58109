package io.matchrecognize.matcher

import io.matchrecognize.execution.truth.TruthBits
import io.matchrecognize.matcher.BruteForceOracle.Failure
import io.matchrecognize.matcher.Condition._
import io.matchrecognize.matcher.ConditionFolds.foldOf
import io.matchrecognize.matcher.search.Search
import io.matchrecognize.pattern.Automaton

/**
 * Feeds conditions to an engine as the Spark side does: row-local ones by row, the others through
 * registers.
 */
final class ConditionInput(
    symbols: IndexedSeq[String],
    conditions: Map[String, Condition],
    protected val values: Array[Int],
    protected val hashFolds: Boolean = true
) extends FoldedInput
    with AnchoredInput {
  var search: Search = _

  /** Rows of a stream that have arrived. */
  var known: Int = values.length
  var cancelChecks = 0
  var reserved = 0L
  var memory: Long = Long.MaxValue
  private var lastFailure: Throwable = _

  private val conditionOf = symbols.map(conditions.getOrElse(_, Always))
  private val leaves: IndexedSeq[Seq[Condition]] = conditionOf.map(_.leaves)
  private val rowRegisters: IndexedSeq[RowRegister] =
    leaves.flatten.flatMap(rowRegister(_).toSeq).distinct
  protected val foldRegisters: IndexedSeq[ConditionFolds.Fold] =
    leaves.flatten.flatMap(foldOf(_).toSeq).distinct

  private val labelRegisters: IndexedSeq[RowRegister] =
    leaves.flatten.flatMap(labelRegister(_).toSeq).distinct

  val plan: RegisterPlan = RegisterPlan(
    rowRegisters,
    labelRegisters,
    foldRegisters.map(fold => symbolSet(fold._1)),
    conditionOf.map(reads(_)),
    conditionOf.map(c => reads(c.conjuncts.filter(_.settled): _*)),
    conditionOf.map(c => reads(c.conjuncts.filterNot(_.settled): _*))
  )

  private def reads(parts: Condition*): RegisterReads = {
    val read = parts.flatMap(_.leaves)
    RegisterReads(
      read.flatMap(rowRegister(_)).map(rowRegisters.indexOf(_)).toSet,
      read.flatMap(foldOf(_)).map(foldRegisters.indexOf(_)).toSet,
      read.flatMap(labelRegister(_)).map(labelRegisters.indexOf(_)).toSet,
      read.exists(_.isInstanceOf[PreviousLabelIs]),
      read.contains(MatchNumberIsOdd)
    )
  }

  def symbolSet(variables: Set[String]): SymbolSet = SymbolSet(
    variables.map(symbols.indexOf(_)).filter(_ >= 0)
  )

  private def rowRegister(condition: Condition): Option[RowRegister] = condition match {
    case AboveLast(variables, offset) => Some(RowRegister(symbolSet(variables), false, offset))
    case NotLast(variables, offset) => Some(RowRegister(symbolSet(variables), false, offset))
    case AboveFirst(variables, offset) => Some(RowRegister(symbolSet(variables), true, offset))
    case NearFirst(variables, _) => Some(RowRegister(symbolSet(variables), true, 0))
    case NoFirst(variables, offset) => Some(RowRegister(symbolSet(variables), true, offset))
    case LastIsNot(variables, offset, _) =>
      Some(RowRegister(symbolSet(variables), false, offset))
    case _ => labelRegister(condition)
  }

  private def labelRegister(condition: Condition): Option[RowRegister] = condition match {
    case LabelIs(variables, fromFirst, offset, _) =>
      Some(RowRegister(symbolSet(variables), fromFirst, offset))
    case _ => None
  }

  override def alwaysTrue(symbol: Int): Boolean = conditionOf(symbol) == Always

  override def mayFail(symbol: Int): Boolean = conditionOf(symbol).fails

  override def rowLocal(symbol: Int): Boolean = conditionOf(symbol).local
  override def failure: Throwable = lastFailure

  override def reserve(bytes: Long): Unit = {
    reserved += bytes
    if (reserved > memory) throw new ConditionInput.NoMemory
  }

  /** Memory for what an engine can do without. */
  var spareMemory: Long = Long.MaxValue
  private var spare = 0L

  override def tryReserve(bytes: Long): Boolean = {
    val isGranted = spare + bytes <= spareMemory
    if (isGranted) spare += bytes
    isGranted
  }

  override def release(bytes: Long): Unit = {
    spare -= bytes
    if (spare + reserved < 0) throw new IllegalStateException("More is returned than was acquired.")
  }

  override def checkCancelled(): Unit = {
    cancelChecks += 1
    sinceCheck = 0
  }

  /** The most conditions and folds that were evaluated between two checks. */
  var mostUnchecked = 0
  private var sinceCheck = 0

  /** How many were evaluated. */
  var evaluations = 0L

  override protected def count(): Unit = {
    evaluations += 1
    sinceCheck += 1
    mostUnchecked = mostUnchecked.max(sinceCheck)
  }

  private var frame = (0, values.length)

  override def limit(first: Long, end: Long): Unit = frame = (first.toInt, end.toInt)
  override def frameFirst: Long = frame._1.toLong

  /** Whether rows are searched in frames. */
  var isFramed = false

  private def reach(symbol: Int): Int = leaves(symbol).map {
    case AboveBack(distance, _) => distance
    case _ => 0
  }.max

  override def frameReach: Int =
    if (isFramed) symbols.indices.map(reach).maxOption.getOrElse(0) else 0

  override def dependsOnFrame: Boolean = isFramed && symbols.indices.exists(isFrameDependent)

  private def isFrameDependent(symbol: Int): Boolean =
    (isFramed && reach(symbol) > 0) || readsFrameEnd(symbol)

  override def testInFrame(symbol: Int, row: Long): Int =
    truth(evaluate(conditionOf(symbol), row.toInt, None, frame))

  override def testLocal(symbol: Int, row: Long): Int = {
    val tested = truth(evaluate(conditionOf(symbol), row.toInt, None))
    if (keepsTruths && tested <= Truth.True) truths.set(symbol, row, tested == Truth.True)
    tested
  }

  /** Whether `knownTruths` is used, as on a table. */
  var keepsTruths: Boolean = values.sum % 3 != 0

  private lazy val truths = {
    val bits = new TruthBits(symbols.size, _ => ())
    bits.reset(0)
    bits.add(0, values.length.toLong)
    bits
  }

  override def knownTruths(row: Long): Array[Byte] = if (keepsTruths) truths.ofRow(row) else null
  override def truthCount: Int = symbols.size

  private val necessary: IndexedSeq[Option[Condition]] = conditionOf.map(_.localPart)

  override def hasNecessary(symbol: Int): Boolean =
    necessary(symbol).isDefined && !isFrameDependent(symbol)

  private def readsFrameEnd(symbol: Int): Boolean = isFramed && leaves(symbol).contains(AboveNext)

  override def testNecessary(symbol: Int, row: Long): Int =
    truth(evaluate(necessary(symbol).get, row.toInt, None))

  override def testPath(symbol: Int, path: Path): Int =
    truth(evaluate(conditionOf(symbol), path.row.toInt, Some(path), frame))

  /**
   * None if a condition reads more than the tested row and rows at fixed distances from the first
   * one; else the rows that each symbol's registers hold.
   */
  def anchors(automaton: Automaton): Option[IndexedSeq[Map[Int, Int]]] = {
    val rows = new AnchoredRows(automaton, rowRegisters)
    val found = symbols.indices.map { symbol =>
      val read = plan.reads(symbol)
      val isPlain = leaves(symbol).forall {
        case _: AboveLast | _: AboveFirst | _: NearFirst | _: NotLast => true
        case _: NoFirst | _: LastIsNot => true
        case other => other.local
      }
      val offsets = read.rows.toSeq.map(register => register -> rows.offset(symbol, register))
      Option.when(isPlain && offsets.forall(_._2.isDefined)) {
        offsets.map { case (register, offset) => register -> offset.get }.toMap
      }
    }
    Option.when(found.forall(_.isDefined))(found.map(_.get))
  }

  /** Set before the first anchored test. */
  var anchoredRows: IndexedSeq[Map[Int, Int]] = _

  override def testAnchored(symbol: Int, start: Long, row: Long): Int =
    testPath(symbol, new AnchoredPath(anchoredRows(symbol), start, row))

  /** Now and then a row too early, as an index that does not know everything may be. */
  override def steadyEnd(
      symbol: Int,
      isTrue: Boolean,
      start: Long,
      row: Long,
      limit: Long
  ): Long = {
    def agrees(other: Long) =
      testAnchored(symbol, start, other) == (if (isTrue) Truth.True else Truth.False)
    val end = (row + 1 until limit).find(!agrees(_)).getOrElse(limit)
    skipped += end - row - 1
    if ((row + start) % 3 == 0) (row + 1).max(end - 1) else end
  }

  /** Rows that `steadyEnd` passed over. */
  var skipped = 0L

  private def truth(evaluation: => Boolean): Int = {
    count()
    try if (evaluation) Truth.True else Truth.False
    catch {
      case NotYet => Truth.Undecided
      case error: Failure =>
        lastFailure = error
        Truth.Failed
    }
  }

  private def evaluate(
      condition: Condition,
      row: Int,
      path: Option[Path],
      within: (Int, Int) = (0, values.length)
  ): Boolean = {
    val value = values(row)
    def read(register: Option[RowRegister]) = {
      val target = path.get.rowRegister(rowRegisters.indexOf(register.get))
      if (target < 0) None else Some(values(target.toInt))
    }
    def fold: Long = path.get.fold(foldRegisters.indexOf(foldOf(condition).get)) match {
      case number: java.lang.Long => number
      case failed: Failure => throw failed
      case other => throw new IllegalStateException(other.toString)
    }
    condition match {
      case Always => true
      case AtMost(limit) => value <= limit
      case IsNot(other) => value != other
      case AboveNext if row + 1 >= known && known < values.length => throw NotYet
      case AboveNext => row + 1 < within._2 && value > values(row + 1)
      case AboveBack(distance, orNone) =>
        if (row - distance < within._1) orNone else value > values(row - distance)
      case _: AboveLast | _: AboveFirst => read(rowRegister(condition)).exists(value > _)
      case NearFirst(_, distance) => read(rowRegister(condition)).exists(value <= _ + distance)
      case _: NotLast => read(rowRegister(condition)).exists(value != _)
      case _: NoFirst => read(rowRegister(condition)).isEmpty
      case LastIsNot(_, _, other) => read(rowRegister(condition)).forall(_ != other)
      case CountAtMost(_, count) => fold <= count
      case SumAtMost(_, sum) => fold <= sum
      case SumAbove(_, sum) => fold > sum
      case _: CountIsOdd | _: FailingSumIsOdd => fold % 2 == 1
      case PreviousLabelIs(variable) =>
        path.get.row > path.get.start &&
        path.get.symbolOf(path.get.row - 1) == symbols.indexOf(variable)
      case LabelIs(_, _, _, variable) =>
        val row = path.get.rowRegister(rowRegisters.indexOf(rowRegister(condition).get))
        row >= 0 && path.get.symbolOf(row) == symbols.indexOf(variable)
      case MatchNumberIsOdd => search.currentMatchNumber % 2 == 1
      case FailsOn(bad, inner) =>
        if (value == bad) throw Failure(s"value at $row")
        evaluate(inner, row, path, within)
      case Both(a, b) => evaluate(a, row, path, within) && evaluate(b, row, path, within)
      case Either(a, b) => evaluate(a, row, path, within) || evaluate(b, row, path, within)
    }
  }
}

/** A condition reads a row that has not arrived. */
private object NotYet extends RuntimeException

object ConditionInput {
  final class NoMemory extends RuntimeException
}

/**
 * A path as anchored conditions see it: only registers that hold rows at fixed distances from the
 * first one.
 *
 * @param distances
 *   by register
 */
private final class AnchoredPath(
    distances: Map[Int, Int],
    val start: Long,
    val row: Long
) extends Path {
  override def rowRegister(register: Int): Long = {
    val read = start + distances(register)
    if (read <= row) read else -1
  }
  override def fold(fold: Int): AnyRef = throw new IllegalStateException("a fold was read")
  override def symbolOf(row: Long): Int = throw new IllegalStateException("a label was read")
}
