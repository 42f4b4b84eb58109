package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.shims.MinorClass

/**
 * Functions that read the clock. Spark replaces all of a query by one time, after analysis: so they
 * are constant within a query, but not yet when it is analysed.
 */
object CurrentTimes {
  def isOne(e: Expression): Boolean = e match {
    case _: CurrentTimestampLike | _: LocalTimestamp | _: CurrentDate => true
    case other => MinorClass.CurrentTime.isClassOf(other)
  }

  def areIn(e: Expression): Boolean = e.exists(isOne)
}
