package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.util.Random

/**
 * The choices that a generator makes, each a number below a bound. A record of them makes the same
 * case again, and a smaller record a smaller one: generators offer the simplest option first, and a
 * record that ends goes on with zeros.
 */
final class Choices(next: Int => Int) {
  private val record = mutable.ArrayBuffer.empty[Int]

  /** What was chosen until now. */
  def made: Seq[Int] = record.toSeq

  def below(bound: Int): Int = {
    val choice = math.min(next(bound), bound - 1)
    record += choice
    choice
  }

  def pick[T](options: T*): T = options(below(options.size))

  /** Whether something rare is made. */
  def oneIn(n: Int): Boolean = below(n) == n - 1

  /** In their order if all choices are zero. */
  def shuffle[T](items: Seq[T]): Seq[T] =
    if (items.size < 2) items
    else {
      val first = below(items.size)
      items(first) +: shuffle(items.patch(first, Nil, 1))
    }

  /** Each of the items with the same chance; none if all choices are zero. */
  def some[T](items: Seq[T]): Seq[T] = items.filter(_ => below(2) == 1)
}

object Choices {
  def random(seed: Long): Choices = {
    val random = new Random(seed)
    new Choices(random.nextInt(_))
  }

  def again(record: Seq[Int]): Choices = {
    val rest = record.iterator
    new Choices(_ => if (rest.hasNext) rest.next() else 0)
  }

  /** Smaller records, the much smaller ones first. */
  def smaller(record: Seq[Int]): Iterator[Seq[Int]] = {
    val sizes = Iterator.iterate(record.size / 2)(_ / 2).takeWhile(_ > 0).toSeq
    def spans = sizes.iterator.flatMap { size =>
      (0 to record.size - size by size).reverseIterator.map(_ -> size)
    }
    val cut = spans.map { case (from, size) => record.patch(from, Nil, size) }
    val zero = spans
      .map { case (from, size) => record.patch(from, Seq.fill(size)(0), size) }
    val lower = record.indices.iterator.filter(record(_) > 1).map(i => record.updated(i, 1))
    (cut ++ zero ++ lower).filter(_ != record)
  }

  /**
   * A smaller record of a case that fails in the same way, searched for a limited time, and how it
   * fails.
   *
   * @param failure
   *   of a case, if it fails in the same way
   */
  def reduced[T](record: Seq[Int], text: String, seconds: Long)(make: Choices => T)(
      failure: T => Option[String]
  ): (Seq[Int], String) = {
    val deadline = System.nanoTime() + seconds * 1000 * 1000 * 1000
    @annotation.tailrec
    def step(best: Seq[Int], why: String): (Seq[Int], String) =
      smaller(best)
        .takeWhile(_ => System.nanoTime() < deadline)
        .map { candidate =>
          val choices = again(candidate)
          val made = make(choices)
          val used = choices.made.reverse.dropWhile(_ == 0).reverse
          val isSmaller = used.size < best.size || (used.size == best.size && used.sum < best.sum)
          if (isSmaller) failure(made).map(used -> _) else None
        }
        .collectFirst { case Some(smaller) => smaller } match {
        case Some((found, again)) => step(found, again)
        case None => (best, why)
      }
    step(record, text)
  }
}
