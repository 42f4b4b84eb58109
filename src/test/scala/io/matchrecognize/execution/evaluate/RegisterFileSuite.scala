package io.matchrecognize.execution.evaluate

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.{RowRegister, SymbolSet}

class RegisterFileSuite extends AnyFunSuite {

  test("LAST with any offset, over matches of different lengths") {
    val offsets = Seq(0, 1, 14, 15, 16, 17, 40, 99, 1000, Int.MaxValue - 1, Int.MaxValue)
    val own = SymbolSet(Set(0))
    val file = new RegisterFile(offsets.map(RowRegister(own, false, _)).toIndexedSeq, symbols = 2)
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
}
