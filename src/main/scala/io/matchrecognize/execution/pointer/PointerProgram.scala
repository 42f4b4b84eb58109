package io.matchrecognize.execution.pointer

/** How a pointer finds its row: a base row, then `physical` rows further within the partition. */
final case class PointerProgram(slot: Int, base: PointerBase, physical: Int)

/**
 * A row of the match so far, whose last row is the one under test or for which measures are
 * evaluated; with `isFinal`, of the whole match.
 */
sealed trait PointerBase

object PointerBase {

  /** `offset` rows before the last row, not before the match. */
  final case class BeforeLast(offset: Int, isFinal: Boolean) extends PointerBase

  /** `offset` rows after the first row, not after the last one. */
  final case class AfterFirst(offset: Int, isFinal: Boolean) extends PointerBase

  /** The row that a register holds at the last row. */
  final case class Register(number: Int, isFinal: Boolean) extends PointerBase

  val Current: PointerBase = BeforeLast(0, isFinal = false)
}
