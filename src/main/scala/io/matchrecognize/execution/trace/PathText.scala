package io.matchrecognize.execution.trace

/** The variables of a path as text. */
private[execution] object PathText {

  /**
   * Equal variables in a row are written once, as in `A B{3}`.
   *
   * @param variables
   *   the names of the symbols as SQL
   */
  def of(variables: Array[String], symbols: collection.Seq[Int]): String =
    of(variables, symbols.length, Int.MaxValue)(row => symbols(row.toInt))

  /**
   * The same of a path of any length, as far as it is shown.
   *
   * @param most
   *   characters after which the text may end before the path does
   */
  def of(variables: Array[String], length: Long, most: Int)(symbolAt: Long => Int): String = {
    val text = new StringBuilder
    var i = 0L
    while (i < length && text.length <= most) {
      val symbol = symbolAt(i)
      var next = i + 1
      while (next < length && symbolAt(next) == symbol) next += 1
      if (i > 0) text.append(' ')
      text.append(variables(symbol))
      if (next - i > 1) text.append(s"{${next - i}}")
      i = next
    }
    text.toString
  }
}
