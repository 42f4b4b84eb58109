package io.matchrecognize.errors

import java.nio.channels.ClosedByInterruptException

import org.apache.spark.{SparkException, TaskKilledException}
import org.scalatest.funsuite.AnyFunSuite

class RuntimeErrorsSuite extends AnyFunSuite {
  private def ofFunction(cause: Throwable) = new SparkException("FAILED_EXECUTE_UDF", cause)

  test("errors of an expression") {
    for (error <- Seq(new ArithmeticException("overflow"), new java.io.IOException("no file")))
      for (told <- Seq(error, ofFunction(error), ofFunction(ofFunction(error))))
        assert(RuntimeErrors.isOfExpression(told))
  }

  test("errors of the task, also in a function of the user that Spark wraps") {
    val ofTask = Seq(
      new TaskKilledException("cancelled"),
      new InterruptedException,
      new ClosedByInterruptException,
      new OutOfMemoryError
    )
    for (error <- ofTask; told <- Seq(error, ofFunction(error), ofFunction(ofFunction(error))))
      assert(!RuntimeErrors.isOfExpression(told), told)
  }

  test("causes that are in a circle") {
    val (one, other) = (new ArithmeticException, new ArithmeticException)
    one.initCause(other)
    other.initCause(one)
    assert(RuntimeErrors.isOfExpression(one))
  }
}
