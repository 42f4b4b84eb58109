package io.matchrecognize.pattern

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

/**
 * A row pattern as a program whose order of choices is the preferment: bounded quantifiers and
 * PERMUTE are written out, each `Row` instruction is one position of the automaton.
 *
 * Loops whose body may map no row are bracketed by `Enter` and `Leave`. Both carry the number of
 * such loops around them, so that a walk needs to remember one number only: the outermost loop that
 * it entered since the last row. All loops inside that one were entered later, hence also since.
 */
private[pattern] final class PatternProgram {
  import PatternProgram._

  private val opcodes = new IntList
  private val operands = new IntList
  // Leave: the label after the loop.
  private val leaves = new IntList
  private val labelTargets = new IntList
  private val choices = ArrayBuffer.empty[Array[Int]]
  private val positionSymbols = new IntList
  private val positionExcluded = new IntList

  def size: Int = opcodes.size
  def positions: Int = positionSymbols.size
  def symbolOf(position: Int): Int = positionSymbols(position)
  def excluded(position: Int): Boolean = positionExcluded(position) != 0

  def opcode(pc: Int): Int = opcodes(pc)

  /** Row: the position. Enter and Leave: the number of loops around. */
  def operand(pc: Int): Int = operands(pc)

  /** Jump: where to go on. */
  def target(pc: Int): Int = labelTargets(operands(pc))

  /** Split: how many ways there are to go on. */
  def choiceCount(pc: Int): Int = choices(operands(pc)).length

  /** Split: where to go on, the most preferred way first. */
  def choice(pc: Int, index: Int): Int = labelTargets(choices(operands(pc))(index))

  /** Leave: where an iteration that mapped no row goes on, after the loop. */
  def emptyTarget(pc: Int): Int = labelTargets(leaves(pc))

  def newLabel(): Int = {
    labelTargets.add(-1)
    labelTargets.size - 1
  }

  def place(label: Int): Unit = labelTargets.update(label, size)

  /** Emits the next position. */
  def row(symbol: Int, excluded: Boolean): Unit = {
    positionSymbols.add(symbol)
    positionExcluded.add(if (excluded) 1 else 0)
    emit(Row, positions - 1)
  }

  def jump(label: Int): Unit = emit(Jump, label)

  def split(labels: Array[Int]): Unit = {
    choices += labels
    emit(Split, choices.size - 1)
  }

  def enter(depth: Int): Unit = emit(Enter, depth)
  def leave(depth: Int, emptyLabel: Int): Unit = emit(Leave, depth, emptyLabel)
  def startAnchor(): Unit = emit(Start, 0)
  def endAnchor(): Unit = emit(End, 0)
  def accept(): Unit = emit(Accept, 0)

  private def emit(opcode: Int, operand: Int, emptyLabel: Int = -1): Unit = {
    opcodes.add(opcode)
    operands.add(operand)
    leaves.add(emptyLabel)
  }
}

private[pattern] object PatternProgram {
  final val Row = 0
  final val Jump = 1
  final val Split = 2
  final val Enter = 3
  final val Leave = 4
  final val Start = 5
  final val End = 6
  final val Accept = 7
}

/** A growing list of numbers. */
private final class IntList {
  private var values = new Array[Int](16)
  private var count = 0

  def size: Int = count
  def apply(index: Int): Int = values(index)
  def update(index: Int, value: Int): Unit = values(index) = value

  def add(value: Int): Unit = {
    if (count == values.length) values = Arrays.copyOf(values, count * 2)
    values(count) = value
    count += 1
  }
}
