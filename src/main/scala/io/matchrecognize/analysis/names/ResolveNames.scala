package io.matchrecognize.analysis.names

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeSeq,
  CurrentTimestamp,
  Expression,
  Literal
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, MatchRecognizeException}
import io.matchrecognize.expressions._
import io.matchrecognize.plans.UnresolvedMatchRecognize

/** The columns of an input, the hidden ones last. */
final class InputColumns(input: LogicalPlan) {
  val visible: Seq[Attribute] = input.output
  val columns: Seq[Seq[Attribute]] = Seq(visible, input.metadataOutput)
  lazy val qualified: Seq[AttributeSeq] = columns.map(AttributeSeq(_))

  /** After a variable no name of an input follows. */
  lazy val ofVariable: Seq[AttributeSeq] =
    columns.map(c => AttributeSeq(c.map(_.withQualifier(Nil))))
}

/**
 * First pass of resolving MEASURES and DEFINE: resolves names. Input: an expression of the parser
 * whose columns are [[ColumnReference]]s. Output: the same expression with columns of the input as
 * [[VariableColumn]]s and the clause's functions as nodes that Spark's rules can type.
 *
 * `x.y` is, in this order: a pattern variable and its column, a column qualified by an input, a
 * field of a column, and then, as Spark's rules find it, a column of the outer query or a session
 * variable. But for the variables, this is Spark's order, and so that of the keys. The standard
 * lets only variables qualify a column here; an alias is an extension, and the name of a table
 * stays an error. A row pattern window is part of a query whose FROM may name several inputs, so
 * there every name of one qualifies a column.
 *
 * @param input
 *   the columns of `written.child`
 * @param clause
 *   MEASURES or DEFINE with the variable, for messages
 */
final class ResolveNames(
    variables: PatternVariables,
    written: UnresolvedMatchRecognize,
    input: InputColumns,
    clause: String
) {
  import input._
  private val resolver = SQLConf.get.resolver

  def read(expression: Expression): Expression = expression.transformDown {
    case node: UnresolvedPatternExpression =>
      CurrentOrigin.withOrigin(node.origin)(readNode(node))
    case call: UnresolvedFunction if call.arguments.exists(_.isInstanceOf[VariableStar]) =>
      CurrentOrigin.withOrigin(call.origin)(readCount(call))
  }

  private def readNode(node: UnresolvedPatternExpression): Expression = node match {
    case reference: ColumnReference => column(reference)
    case star: VariableStar => throw Errors.variableStar(star, clause)
    case call: PatternFunctionCall => function(call)
    case bound: MalformedBound => bound
  }

  private def column(reference: ColumnReference): Expression = {
    val parts = reference.nameParts
    val variable = if (parts.length > 1) variables.find(parts.head) else None
    if (variable.isEmpty) refuseTable(parts, reference.origin)
    val found =
      if (variable.isEmpty) resolve(parts, reference.origin, qualified)
      else resolve(parts.tail, reference.origin, ofVariable)
    found match {
      case Some(column) => VariableColumn(variable, column)
      case None if variable.isDefined =>
        throw Errors.unresolvedColumn(parts, visible.map(_.name), reference.origin)
      case None =>
        SessionVariableOrNothing(UnresolvedAttribute(parts))
    }
  }

  /** Refuses a column that is qualified by a table, where only an alias may. */
  private def refuseTable(parts: Seq[String], origin: Origin): Unit =
    if (!written.inputQualifies)
      for {
        column <- columns.flatten
        name <- column.qualifier.tails.map(_ :+ column.name)
        if name.length > 1 && parts.length >= name.length &&
          parts.zip(name).forall(resolver.tupled)
      } throw Errors.inputQualifier(
        name.init.mkString("."),
        parts(name.length - 1),
        variables.primary,
        origin
      )

  private def resolve(
      name: Seq[String],
      origin: Origin,
      among: Seq[AttributeSeq]
  ): Option[Expression] =
    try
      among.iterator
        .flatMap(_.resolve(name, resolver))
        .nextOption()
        .map {
          case Alias(value, _) => value
          case column => column
        }
    catch {
      // Ambiguous columns and unknown fields; Spark does not know the place of the name.
      case e: AnalysisException if e.getQueryContext.isEmpty =>
        throw new MatchRecognizeException(e.getCondition, e.messageParameters, origin)
    }

  /** COUNT(A.*): the rows of A. */
  private def readCount(call: UnresolvedFunction): Expression = {
    val isCount = call.nameParts.lastOption.exists(_.equalsIgnoreCase("count"))
    call.arguments match {
      case Seq(star @ VariableStar(Seq(name))) if isCount && !call.isDistinct =>
        val rows = CurrentOrigin.withOrigin(star.origin) {
          VariableRows(variables.require(name, star.origin))
        }
        call.withNewChildren(rows +: call.children.tail)
      case arguments =>
        val star = arguments.collectFirst { case s: VariableStar => s }.get
        throw Errors.variableStar(star, clause)
    }
  }

  private def function(call: PatternFunctionCall): Expression = call.name match {
    case "PREV" | "NEXT" | "FIRST" | "LAST" | "LAG" | "LEAD" =>
      expectArguments(call, 1, 2)
      val function = call.name match {
        case "LAG" => "PREV"
        case "LEAD" => "NEXT"
        case name => name
      }
      NavigationCall(function, call.arguments.head, call.arguments.drop(1).headOption)
    case "CLASSIFIER" =>
      expectArguments(call, 0, 1)
      Classifier(variableArgument(call))
    case "MATCH_NUMBER" =>
      expectArguments(call, 0, 0)
      MatchNumber()
    case "MATCH_ROW_NUMBER" =>
      expectArguments(call, 0, 0)
      UnresolvedFunction("count", Seq(Literal(1)), isDistinct = false)
    case "MATCH_ROWTIME" =>
      expectArguments(call, 0, 1)
      if (clause != "MEASURES") throw Errors.measuresOnly("MATCH_ROWTIME", call, clause)
      val key = written.clause.orderSpec.headOption
        .getOrElse(throw Errors.missingOrderBy("MATCH_ROWTIME", call.origin))
        .child
      RowtimeCall(rowtimeArgument(call, key), key)
    case "MATCH_PROCTIME" =>
      expectArguments(call, 0, 0)
      if (clause != "MEASURES") throw Errors.measuresOnly("MATCH_PROCTIME", call, clause)
      CurrentTimestamp()
  }

  /** The variable that MATCH_ROWTIME names; none for the column `key`, as Flink names it. */
  private def rowtimeArgument(call: PatternFunctionCall, key: Expression): Option[String] =
    call.arguments match {
      case Seq(name @ ColumnReference(parts)) if parts.length > 1 || !isVariable(parts.head) =>
        column(name) match {
          case VariableColumn(None, column) if column.semanticEquals(key) => None
          case VariableColumn(variable, column) if !column.semanticEquals(key) =>
            throw Errors.rowtimeOfColumn(name, key, call, clause, variable)
          case _ => variableArgument(call)
        }
      case _ => variableArgument(call)
    }

  private def variableArgument(call: PatternFunctionCall): Option[String] =
    call.arguments.headOption.map {
      case name @ ColumnReference(Seq(single)) => variables.require(single, name.origin)
      case ColumnReference(parts) =>
        throw Errors.variableExpected(call.name, call, clause, variables.find(parts.head))
      case _ => throw Errors.variableExpected(call.name, call, clause, None)
    }

  private def isVariable(name: String): Boolean = variables.find(name).isDefined

  private def expectArguments(call: PatternFunctionCall, least: Int, most: Int): Unit = {
    val count = call.arguments.length
    if (count < least || count > most) {
      val expected = if (least == most) s"$least" else s"$least, $most"
      throw Errors.wrongArgumentCount(call.name, expected, call.arguments, call.origin)
    }
  }

  /**
   * Replaces a name that Spark's rules resolved to a session variable, or that is a function of the
   * clause without its parentheses; an unknown one fails.
   */
  def readSessionVariables(expression: Expression): Expression = expression.transformUp {
    case node: SessionVariableOrNothing if !node.isUnknown => node.child
    case SessionVariableOrNothing(name: UnresolvedAttribute) =>
      CurrentOrigin.withOrigin(name.origin) {
        name.nameParts.map(_.toUpperCase(Locale.ROOT)) match {
          case Seq("CLASSIFIER") => Classifier(None)
          case Seq("MATCH_NUMBER") => MatchNumber()
          case _ => throw unknown(name)
        }
      }
  }

  private def unknown(name: UnresolvedAttribute): Throwable = name.nameParts match {
    case Seq(variable) if isVariable(variable) =>
      Errors.variableAsColumn(name, clause)
    case Seq(variable, _, _*) if !visible.exists(c => resolver(c.name, variable)) =>
      Errors.unknownVariable(variable, variables.all, name.origin)
    case parts => Errors.unresolvedColumn(parts, visible.map(_.name), name.origin)
  }
}
