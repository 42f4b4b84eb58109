package io.matchrecognize.pattern

/** Writes a row pattern as SQL text. */
private[pattern] object RowPatternText {
  def render(pattern: RowPattern): String = pattern.toString
}
