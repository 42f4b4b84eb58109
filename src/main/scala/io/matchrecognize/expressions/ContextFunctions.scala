package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.shims.MinorClass

/** Functions whose value depends on when or where they are computed. */
object ContextFunctions {

  /**
   * Whether it reads the clock. Spark replaces all such functions of a query by one time, after
   * analysis: so they are constant within a query, but not yet when it is analysed.
   */
  def isCurrentTime(e: Expression): Boolean = e match {
    case _: CurrentTimestampLike | _: LocalTimestamp | _: CurrentDate => true
    case other => MinorClass.CurrentTime.isClassOf(other)
  }

  /** Whether it has a value only in the task that reads a file, not in that of the search. */
  def isOfFile(e: Expression): Boolean = e match {
    case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
    case _ => false
  }
}
