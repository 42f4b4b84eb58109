package io.matchrecognize.matcher

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{Automaton, AutomatonBuilder}

class AnchoredRowsSuite extends AnyFunSuite {
  private def label(name: String) = Variable(name)
  private def plus(name: String) = Quantified(label(name), 1, None, greedy = true)

  private def offset(automaton: Automaton, register: RowRegister, symbol: String): Option[Int] =
    new AnchoredRows(automaton, Vector(register)).offset(automaton.symbols.indexOf(symbol), 0)

  test("a row is anchored if its distance from the first row is the same on all paths") {
    val automaton =
      AutomatonBuilder(Concatenation(Seq(label("A"), plus("B"), label("C"), label("D"))))
    def of(name: String, fromFirst: Boolean, offset: Int) =
      RowRegister(SymbolSet(Set(automaton.symbols.indexOf(name))), fromFirst, offset)
    assert(offset(automaton, of("A", fromFirst = false, 0), "C") == Some(0))
    assert(offset(automaton, of("B", fromFirst = true, 0), "D") == Some(1))
    assert(offset(automaton, of("B", fromFirst = false, 0), "D") == None)
    assert(offset(automaton, of("C", fromFirst = false, 0), "D") == None)
    assert(offset(automaton, of("A", fromFirst = false, 1), "C") == None)
    // Is there a second B?
    assert(offset(automaton, of("B", fromFirst = true, 1), "D") == None)
  }

  test("an anchored register holds that row on every path") {
    val names = Vector("A", "B", "C", "D")
    var anchored = 0
    (0 until 3000).foreach { seed =>
      val random = new Random(seed.toLong)
      val automaton = AutomatonBuilder(FuzzCase.randomPattern(random, 1 + random.nextInt(3)))
      val registers = Vector.fill(4) {
        val members = names.filter(_ => random.nextInt(2) == 0).map(automaton.symbols.indexOf(_))
        RowRegister(
          SymbolSet(members.filter(_ >= 0).toSet),
          random.nextBoolean(),
          random.nextInt(3)
        )
      }
      val rows = new AnchoredRows(automaton, registers)
      val fewest = automaton.fewestBefore
      def walk(state: Int, labels: Vector[Int]): Unit = if (labels.size < 7) {
        (automaton.firstEdge(state) until automaton.endEdge(state)).foreach { edge =>
          val target = automaton.target(edge)
          if (target != Automaton.Accept) {
            val symbol = automaton.symbolOf(target)
            assert(labels.size >= fewest(symbol))
            val path = labels :+ symbol
            registers.indices.foreach { r =>
              rows.offset(symbol, r).foreach { offset =>
                anchored += 1
                val own = path.indices.filter(i => registers(r).symbols.contains(path(i)))
                val ordered = if (registers(r).fromFirst) own else own.reverse
                // A clue of `assert` would be made each time.
                if (!ordered.lift(registers(r).offset).contains(offset)) fail(s"seed $seed: $path")
              }
            }
            walk(target, path)
          }
        }
      }
      if (automaton.positions < 12) walk(automaton.start, Vector.empty)
    }
    assert(anchored > 4000)
  }
}
