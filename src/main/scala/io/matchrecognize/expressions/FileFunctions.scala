package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._

/** Functions that have a value only in the task that reads a file, not in that of the search. */
object FileFunctions {
  def isOne(e: Expression): Boolean = e match {
    case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
    case _ => false
  }
}
