package io.matchrecognize.errors

import java.util.Locale

/** The functions of the clause as hints name them. */
object ClauseFunctions {
  private val Names = Seq(
    "PREV",
    "NEXT",
    "FIRST",
    "LAST",
    "CLASSIFIER",
    "MATCH_NUMBER",
    "MATCH_ROWTIME",
    "MATCH_PROCTIME"
  )

  /** What other systems call them, and whole expressions for functions that only others have. */
  private val OtherNames = Map(
    "PREVIOUS" -> "PREV",
    "MATCH_NUM" -> "MATCH_NUMBER",
    "MATCH_NO" -> "MATCH_NUMBER",
    "EVENT_NAME" -> "CLASSIFIER()",
    "PATTERN_ID" -> "MATCH_NUMBER()",
    "MATCH_ID" -> "RUNNING COUNT(*)",
    "MATCH_SEQUENCE_NUMBER" -> "RUNNING COUNT(*)"
  )

  /** The function that an unknown name probably means; none if the name is one of the clause. */
  def meantBy(name: String): Option[String] = {
    val upper = name.toUpperCase(Locale.ROOT)
    if (Names.contains(upper)) None
    else
      OtherNames.get(upper).orElse(Names.filter(isMisspelt(upper, _)).minByOption(near(upper, _)))
  }

  /** A call of that function. */
  def call(meant: String, arguments: String = "()"): String =
    if (meant.endsWith(")")) meant else meant + arguments

  private def near(name: String, meant: String): Int = UserText.distance(name, meant)

  /** In a short word one letter may be wrong, or the letters may be in another order. */
  private def isMisspelt(name: String, meant: String): Boolean =
    if (meant.length > 5) near(name, meant) <= 2
    else near(name, meant) == 1 || name.sorted == meant.sorted

  /** How a function is called, for a call with too few or too many arguments. */
  def usage(function: String, arguments: Seq[String]): String = (function, arguments) match {
    case ("MATCH_NUMBER" | "MATCH_ROW_NUMBER" | "MATCH_PROCTIME", _) =>
      s"$function takes no arguments: write $function()."
    case ("CLASSIFIER" | "MATCH_ROWTIME", _) =>
      s"$function takes one variable or SUBSET, as in $function(A), or no argument."
    case (_, Seq(value, offset, default)) =>
      s"$function has no default value: write COALESCE($function($value, $offset), $default)."
    case _ =>
      s"$function takes an expression and an optional number of rows, as in $function(price, 1)."
  }
}
