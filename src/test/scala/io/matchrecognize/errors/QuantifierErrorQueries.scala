package io.matchrecognize.errors

/** Mistakes in quantifiers with bounds that are parameters or session variables. */
object QuantifierErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_INVALID_PATTERN"

  private def of(quantifier: String, condition: String, at: String): ErrorQuery = ErrorQuery(
    ErrorQuery.of(s"ORDER BY k MEASURES COUNT(*) AS n PATTERN (A (B C)$quantifier)"),
    condition,
    at
  )

  private def value(quantifier: String, at: String): ErrorQuery =
    of(quantifier, s"$prefix.QUANTIFIER_VALUE", at)

  private def bounds(quantifier: String): ErrorQuery =
    of(quantifier, s"$prefix.QUANTIFIER_BOUNDS", quantifier)

  val all: Seq[ErrorQuery] = Seq(
    value("{var_null}", "var_null}"),
    value("{var_text,}", "var_text,"),
    value("{2,var_minus}?", "var_minus}"),
    value("{session.var_minus,system.session.var_two}", "session.var_minus"),
    value("{v}", "v}"),
    value("{current_date}", "current_date}"),
    bounds("{var_zero}"),
    bounds("{,var_zero}"),
    bounds("{3,var_two}"),
    bounds("{var_two,1}"),
    bounds("{var_large,}"),
    of("{:n,}", "UNBOUND_SQL_PARAMETER", ":n"),
    of("{1,?}", "UNBOUND_SQL_PARAMETER", "?"),
    of("{var_twoo}", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "var_twoo"),
    ErrorQuery(
      "SELECT count(*) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING " +
        "PATTERN (A{var_null}))\nFROM t",
      s"$prefix.QUANTIFIER_VALUE",
      "var_null}"
    )
  )
}
