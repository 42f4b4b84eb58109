package io.matchrecognize

import scala.util.Random

/**
 * A part of many cases that are alike. `make test` takes one in some, `make test-slow` and a run
 * with `-Dtest.all` as a Java option of the tests' process take all of them. Only these have the
 * tests with the tag `Slow`, too: those that take seconds and whose faults others would mostly
 * find.
 */
object Sampled {
  val all: Boolean = sys.props.contains("test.all")

  /** One in so many of the cases, in their order: drawn, since cases may alternate. */
  def oneIn[T](parts: Int, cases: Seq[T]): Seq[T] =
    if (all) cases
    else {
      val drawn = new Random(1).shuffle(cases.indices.toVector)
      drawn.take((cases.length + parts - 1) / parts).sorted.map(cases)
    }

  /** A size: all, or what is enough for `make test`. */
  def size(all: Int, sample: Int): Int = if (this.all) all else sample
}
