package io.matchrecognize.fuzz

/** An expression of MEASURES or DEFINE, as the fuzz suites write and judge it. */
sealed trait FuzzExpression {
  import FuzzExpression._

  /** SQL text; `spell` writes the name of a variable in some letter case. */
  def sql(spell: String => String): String = {
    def text(e: FuzzExpression): String = e.sql(spell)
    def list(es: Seq[FuzzExpression]): String = es.map(text).mkString(", ")
    def mode(m: String): String = if (m.isEmpty) "" else s"$m "
    this match {
      case Column(variable, name) => variable.fold("")(v => s"${spell(v)}.") + name
      case Constant(value) => constant(value)
      case KeyConstant(key, units) => key.distanceSql(units)
      case Star(variable) => variable.fold("")(v => s"${spell(v)}.") + "*"
      case Classifier(variable) => s"CLASSIFIER(${variable.fold("")(spell)})"
      case MatchNumber => "MATCH_NUMBER()"
      case RowTime(variable) => s"MATCH_ROWTIME(${variable.fold("")(spell)})"
      case Navigation(function, m, argument, offset) =>
        s"${mode(m)}$function(${text(
            argument
          )}${offset.fold("")(o => if (o == 3) ", 2 + 1" else s", $o")})"
      case Aggregate(function, distinct, arguments, filter, m) =>
        val where = filter.fold("")(f => s" FILTER (WHERE ${text(f)})")
        s"${mode(m)}$function(${if (distinct) "DISTINCT " else ""}${list(arguments)})$where"
      case Operation("NOT", Seq(a)) => s"(NOT ${text(a)})"
      case Operation(op @ ("IS NULL" | "IS NOT NULL"), Seq(a)) => s"(${text(a)} $op)"
      case Operation("BETWEEN", Seq(a, low, high)) =>
        s"(${text(a)} BETWEEN ${text(low)} AND ${text(high)})"
      // The parameter shadows a variable of this name.
      case Operation("EXISTS ABOVE", Seq(a, least)) =>
        s"EXISTS(${text(a)}, a -> a > ${text(least)})"
      case Operation("SECONDS LATER", Seq(a, Constant(n))) => s"(${text(a)} + INTERVAL '$n' SECOND)"
      case Operation("SECONDS EARLIER", Seq(a, Constant(n))) =>
        s"(${text(a)} - INTERVAL '$n' SECOND)"
      case Operation("SECONDS", Seq(Constant(n))) => s"INTERVAL '$n' SECOND"
      case Operation("DECIMAL", Seq(a)) => s"CAST(${text(a)} AS DECIMAL(12, 2))"
      case Operation(to @ ("DOUBLE" | "FLOAT" | "DATE"), Seq(a)) => s"CAST(${text(a)} AS $to)"
      case Operation("HALF", Seq(a)) => s"(${text(a)} / 2)"
      case Operation("NEGATE", Seq(a)) => s"(- ${text(a)})"
      case Operation("IN", a +: options) => s"(${text(a)} IN (${list(options)}))"
      case Operation("CASE", Seq(condition, value, other)) =>
        s"CASE WHEN ${text(condition)} THEN ${text(value)} ELSE ${text(other)} END"
      case Operation(op, Seq(a, b)) if infix(op) => s"(${text(a)} $op ${text(b)})"
      case Operation(function, arguments) => s"$function(${list(arguments)})"
    }
  }

  /** Parts, outermost first. */
  def parts: Seq[FuzzExpression] = this match {
    case Operation(_, arguments) => arguments
    case Navigation(_, _, argument, _) => Seq(argument)
    case Aggregate(_, _, arguments, filter, _) => arguments ++ filter
    case _ => Nil
  }

  def isConstant: Boolean = this match {
    case Constant(_) | KeyConstant(_, _) => true
    case Operation(_, arguments) => arguments.forall(_.isConstant)
    case _ => false
  }

  /** The variable of each column, star and classifier; None is the universal variable. */
  def variables: Seq[Option[String]] = this match {
    case Column(variable, _) => Seq(variable)
    case Star(variable) => Seq(variable)
    case Classifier(variable) => Seq(variable)
    case RowTime(variable) => Seq(variable)
    case _ => parts.flatMap(_.variables)
  }
}

object FuzzExpression {
  final case class Column(variable: Option[String], name: String) extends FuzzExpression

  /** Long, Double, String, Boolean, or null as an INT. */
  final case class Constant(value: Any) extends FuzzExpression

  /** A distance of the column `o`. */
  final case class KeyConstant(key: FuzzKey, units: Long) extends FuzzExpression

  /** The argument of COUNT(*) or COUNT(A.*). */
  final case class Star(variable: Option[String]) extends FuzzExpression
  final case class Classifier(variable: Option[String]) extends FuzzExpression
  case object MatchNumber extends FuzzExpression

  /** MATCH_ROWTIME, in a query in the order of the event time. */
  final case class RowTime(variable: Option[String]) extends FuzzExpression

  /**
   * FIRST, LAST, PREV or NEXT; the argument of the last two may be one of the first two.
   *
   * @param mode
   *   RUNNING, FINAL or empty
   */
  final case class Navigation(
      function: String,
      mode: String,
      argument: FuzzExpression,
      offset: Option[Int]
  ) extends FuzzExpression

  final case class Aggregate(
      function: String,
      distinct: Boolean,
      arguments: Seq[FuzzExpression],
      filter: Option[FuzzExpression],
      mode: String
  ) extends FuzzExpression

  /** A scalar function or operator by its SQL name. */
  final case class Operation(name: String, arguments: Seq[FuzzExpression]) extends FuzzExpression

  def op(name: String, arguments: FuzzExpression*): FuzzExpression = Operation(name, arguments)

  private val infix =
    Set("AND", "OR", "+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "<=>")

  private def constant(value: Any): String = value match {
    case null => "CAST(NULL AS INT)"
    case text: String => s"'$text'"
    case number: Double => s"${number}D"
    case boolean: Boolean => boolean.toString.toUpperCase
    case number: Long => if (number < 0) s"($number)" else number.toString
    case other => throw new IllegalStateException(other.toString)
  }
}
