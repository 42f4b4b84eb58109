package io.matchrecognize.matcher

import io.matchrecognize.matcher.BruteForceOracle.Failure
import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}

/** The folds of a [[ConditionInput]]: sums of ones or of values, which may fail on a value. */
abstract class FoldedInput extends MatchInput with FoldCodec {
  protected def values: Array[Int]
  protected def foldRegisters: IndexedSeq[ConditionFolds.Fold]
  def plan: RegisterPlan

  /** Otherwise threads that differ in folds only are compared one by one. */
  protected def hashFolds: Boolean

  /** Counts an evaluation. */
  protected def count(): Unit

  override def initialFold(fold: Int): AnyRef = java.lang.Long.valueOf(0)

  override def updateFold(fold: Int, value: AnyRef, row: Long, symbol: Int): AnyRef = value match {
    case failed: Failure => failed
    case number: java.lang.Long =>
      val (_, adds, bad) = foldRegisters(fold)
      if (values(row.toInt) == bad) Failure(s"sum at $row")
      else java.lang.Long.valueOf(number + (if (adds) values(row.toInt) else 1))
    case other => throw new IllegalStateException(other.toString)
  }

  override def canWrite(fold: Int, value: AnyRef): Boolean = !value.isInstanceOf[Failure]

  override def write(fold: Int, value: AnyRef, out: StateWriter): Unit =
    out.putLong(value.asInstanceOf[java.lang.Long])

  override def read(fold: Int, in: StateReader): AnyRef = java.lang.Long.valueOf(in.getLong())

  /** How many folds were compared. */
  var foldsCompared = 0L

  override def sameFold(fold: Int, a: AnyRef, b: AnyRef): Boolean = {
    foldsCompared += 1
    count()
    a == b
  }

  override def foldHash(fold: Int, value: AnyRef): Int = if (hashFolds) value.hashCode else 0
}
