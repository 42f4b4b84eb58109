package io.matchrecognize.execution.trace

/** The variables of a path as text. */
private[execution] object PathText {

  /**
   * Equal variables in a row are written once, as in `A B{3}`.
   *
   * @param variables
   *   the names of the symbols as SQL
   */
  def of(variables: Array[String], symbols: collection.Seq[Int]): String = {
    val text = new StringBuilder
    var i = 0
    while (i < symbols.length) {
      var next = i
      while (next < symbols.length && symbols(next) == symbols(i)) next += 1
      if (i > 0) text.append(' ')
      text.append(variables(symbols(i)))
      if (next - i > 1) text.append(s"{${next - i}}")
      i = next
    }
    text.toString
  }
}
