package io.matchrecognize.matcher.state

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Numbers and words as saved state has them. */
class StateBytesSuite extends AnyFunSuite {
  private val random = new Random(1)

  private def numbers: Seq[Long] = {
    val edges = (0 to 63).flatMap(i => Seq(1L << i, (1L << i) - 1, -(1L << i), 1000L << i))
    edges ++ Seq(0L, 1000L, -1000L, 999L, -1L, Long.MinValue, Long.MaxValue) ++
      Seq.fill(2000)(random.nextLong() >> random.nextInt(64)) ++
      Seq.fill(2000)((random.nextLong() >> random.nextInt(64)) * 1000)
  }

  test("short numbers take at most eight bytes, thousands fewer") {
    val out = new StateWriter
    numbers.filter(StateBytes.isShort).foreach { number =>
      out.clear()
      out.putShort(number)
      assert(out.length == StateBytes.size(number) && out.length <= 8)
      assert(new StateReader(out.toBytes).getShort() == number)
    }
    assert(Seq(1L << 54, -(1L << 54) - 1, Long.MinValue).forall(!StateBytes.isShort(_)))
    assert(StateBytes.isShort((1L << 54) - 1))
    assert(StateBytes.size(360000000L) == 3 && StateBytes.size(360000001L) == 5)
  }

  test("a word has its lowest byte first, on every machine") {
    val out = new StateWriter
    out.putFixed(0x0102030405060708L)
    assert(out.toBytes.toSeq == (8 to 1 by -1).map(_.toByte))
    assert(new StateReader(out.toBytes).getFixed() == 0x0102030405060708L)
  }

  test("words are written as differences from any others") {
    val pool = numbers.toIndexedSeq
    (0 until 2000).foreach { i =>
      def bytes(size: Int) = {
        val made = Array.fill(size)(random.nextInt().toByte)
        (0 to size - 8 by 8).foreach { at =>
          val word = pool(random.nextInt(pool.length))
          (0 until 8).foreach(b => made(at + b) = (word >>> b * 8).toByte)
        }
        made
      }
      val (from, start) = (random.nextInt(9), random.nextInt(9))
      val size = if (i < 20) i else random.nextInt(200)
      val (source, others) = (bytes(from + size), bytes(start + 200))
      val length = random.nextInt(201)
      val out = new StateWriter
      out.putByte(7)
      out.putDifferences(source, from, size, others, start, length)
      val read = new Array[Byte](from + size)
      val in = new StateReader(out.toBytes, 1)
      in.getDifferences(read, from, size, others, start, length)
      assert(read.drop(from).sameElements(source.drop(from)))
      assert(in.skip(0) == out.length && out.length <= size + size / 64 + 2)
    }
  }
}
