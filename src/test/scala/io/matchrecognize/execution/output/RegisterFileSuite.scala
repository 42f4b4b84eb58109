package io.matchrecognize.execution.output

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.execution.rows.RowStoreFull
import io.matchrecognize.matcher.{RowRegister, SymbolSet}

class RegisterFileSuite extends AnyFunSuite {

  test("LAST with any offset, over matches of different lengths") {
    val offsets = Seq(0, 1, 14, 15, 16, 17, 40, 99, 1000, Int.MaxValue - 1, Int.MaxValue)
    val own = SymbolSet(Set(0))
    val registers = offsets.map(RowRegister(own, false, _)).toIndexedSeq
    val file = new RegisterFile(registers, symbols = 2, _ => ())
    Seq(5, 100, 17, 60).foreach { length =>
      file.reset()
      (0 until length).foreach { n =>
        // Every other row is of another variable.
        file.update(0, 2L * n)
        file.update(1, 2L * n + 1)
        val expected = offsets.map(offset => if (n >= offset) 2L * (n - offset) else -1L)
        assert(file.rows.toSeq == expected, s"row $n of $length")
      }
    }
  }

  test(
    "memory of LAST with an offset is reserved before it is taken, and stays for later matches"
  ) {
    val own = SymbolSet(Set(0))
    val registers = Vector(RowRegister(own, false, 100000), RowRegister(own, true, 100000))
    var reserved = 0L
    var limit = Long.MaxValue
    val file = new RegisterFile(
      registers,
      symbols = 1,
      bytes => {
        if (reserved + bytes > limit) throw new RowStoreFull(bytes)
        reserved += bytes
      }
    )
    def walk(rows: Int): Unit = {
      file.reset()
      (0 until rows).foreach(row => file.update(0, row.toLong))
    }
    walk(16)
    assert(reserved == 0)
    walk(1025)
    // Doubled from 16 to 2,048 elements.
    assert(reserved == (2048 - 16) * 8)
    walk(1000)
    assert(reserved == (2048 - 16) * 8)
    limit = 3000 * 8
    intercept[RowStoreFull](walk(3000))
    limit = Long.MaxValue
    walk(300000)
    assert(reserved == (100001 - 16) * 8)
    assert(file.rows.toSeq == Seq(199999L, 100000L))
  }
}
