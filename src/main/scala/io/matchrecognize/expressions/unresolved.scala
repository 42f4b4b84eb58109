package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.analysis.UnresolvedException
import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression, Unevaluable}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types.DataType

/** An expression that analysis replaces, until when it has no type. */
trait UntypedExpression extends Expression with Unevaluable {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = throw new UnresolvedException("dataType")
  override def nullable: Boolean = throw new UnresolvedException("nullable")
}

/** Nodes that the parser puts into MEASURES and DEFINE for `ResolveMatchRecognize`. */
sealed trait UnresolvedPatternExpression extends UntypedExpression

/**
 * A column. `nameParts` are the identifiers as written, including the variable: analysis decides
 * which of them is a row pattern variable, a struct or a session variable.
 */
final case class ColumnReference(nameParts: Seq[String])
    extends LeafExpression
    with UnresolvedPatternExpression {
  override def sql: String = nameParts.map(quoteIfNeeded).mkString(".")
  override def toString: String = sql
}

/** `A.*` as written; `nameParts` are the identifiers before the star. */
final case class VariableStar(nameParts: Seq[String])
    extends LeafExpression
    with UnresolvedPatternExpression {
  override def toString: String = (nameParts :+ "*").mkString(".")
}

/**
 * A call of a function of the clause: PREV, NEXT, FIRST, LAST, CLASSIFIER, MATCH_NUMBER,
 * MATCH_ROWTIME, MATCH_PROCTIME, or of one that other systems have in it.
 *
 * @param name
 *   in upper case
 */
final case class PatternFunctionCall(name: String, arguments: Seq[Expression])
    extends UnresolvedPatternExpression {
  override def children: Seq[Expression] = arguments
  override def toString: String = s"$name(${arguments.mkString(", ")})"
  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): PatternFunctionCall = copy(arguments = newChildren)
}

/**
 * A bound of WITHIN that is not a valid interval, such as `INTERVAL 'x' HOUR`: analysis, which
 * knows the key, reports what it must be.
 */
final case class MalformedBound(text: String)
    extends LeafExpression
    with UnresolvedPatternExpression {
  override def sql: String = text
  override def toString: String = text
}
