package io.matchrecognize

/**
 * A part of many cases that are alike. `make test` takes one in some, `make test-slow` and a run
 * with `-Dtest.all` as a Java option of the tests' process take all of them.
 */
object Sampled {
  val all: Boolean = sys.props.contains("test.all")

  /** One in so many of the cases, the first one among them. */
  def oneIn[T](parts: Int, cases: Seq[T]): Seq[T] =
    if (all) cases else cases.zipWithIndex.collect { case (c, n) if n % parts == 0 => c }

  /** A size: all, or what is enough for `make test`. */
  def size(all: Int, sample: Int): Int = if (this.all) all else sample
}
