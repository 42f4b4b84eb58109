package io.matchrecognize.pattern

import scala.collection.mutable.ArrayBuffer

/**
 * A row pattern as a program whose order of choices is the preferment: bounded quantifiers and
 * PERMUTE are written out, and each `Row` instruction is one position of the automaton.
 *
 * Loops whose body may map no row are bracketed by `Enter` and `Leave`. Both carry the number of
 * such loops around them, so that a walk needs to remember only one number: the outermost loop that
 * it has entered since the last row. All loops inside it were entered later.
 */
private[pattern] final class PatternProgram {
  import PatternProgram._

  private val instructions = ArrayBuffer.empty[Instruction]
  private var rows = 0

  def size: Int = instructions.size
  def positions: Int = rows
  def apply(pc: Int): Instruction = instructions(pc)

  def emit(instruction: Instruction): Unit = instructions += instruction

  /** Emits the next position. */
  def emitRow(symbol: Int, excluded: Boolean): Unit = {
    emit(Row(rows, symbol, excluded))
    rows += 1
  }

  /** Jumps to the target lead to the next instruction. */
  def place(target: Target): Unit = target.pc = size
}

private[pattern] object PatternProgram {

  /** The index of an instruction, known once it has been placed. */
  final class Target { var pc: Int = -1 }

  sealed trait Instruction
  final case class Row(position: Int, symbol: Int, excluded: Boolean) extends Instruction
  final case class Jump(to: Target) extends Instruction

  /** Continues at one of the choices, most preferred first. */
  final case class Split(choices: Array[Target]) extends Instruction

  /** @param depth the number of enclosing loops */
  final case class Enter(depth: Int) extends Instruction

  /** @param exit where an iteration that mapped no row continues, after the loop */
  final case class Leave(depth: Int, exit: Target) extends Instruction
  case object AtStart extends Instruction
  case object AtEnd extends Instruction
  case object Accept extends Instruction
}
