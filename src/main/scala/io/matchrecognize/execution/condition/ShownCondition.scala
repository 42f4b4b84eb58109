package io.matchrecognize.execution.condition

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.CharStreams
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.types.StringType

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.expressions.ConditionShape.{Compared, Listed}
import io.matchrecognize.expressions._

/**
 * A part of a condition as the user wrote it, and how a task evaluates it on its own, over the row
 * that the condition reads.
 */
final class ShownValue(val text: String, expression: Expression, val isString: Boolean = false)
    extends Serializable {
  @transient private lazy val value =
    LateCompiled[InternalRow => Any](Seq(expression), ShownValue.InterpretedUses) {
      expression.eval(_)
    } {
      val generated = ConditionValues(Seq(expression))
      row =>
        val value = generated(row)
        if (value.isNullAt(0)) null else value.get(0, expression.dataType)
    }

  /** `Failed` if the evaluation fails; the next one may change the value. */
  def on(row: InternalRow): Any =
    try value.get()(row)
    catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => ShownValue.Failed }
}

object ShownValue {
  private final val InterpretedUses = 10000
  case object Failed
}

/**
 * An operand of the outermost ANDs of a condition, as a trace shows it.
 *
 * @param isLocal
 *   whether it can be judged on a row alone
 * @param reads
 *   what it reads, as strings
 * @param pieces
 *   its text cut at what it reads: pieces of text, and indexes into `reads`; empty if their places
 *   in the text are not known
 * @param compared
 *   a value, as a string, that is compared with constants, and those of them that are strings: TRUE
 *   if it is one
 */
final case class ShownConjunct(
    truth: ShownValue,
    isLocal: Boolean,
    reads: Seq[ShownValue],
    pieces: Seq[Either[String, Int]],
    compared: Option[(ShownValue, Seq[String])]
) {
  def text: String = truth.text
}

object ShownCondition {

  /**
   * @param asText
   *   a part of the condition as it is written, bound as the compiler does, as a string
   */
  def of(condition: ConditionFacts, asText: Expression => Expression): Seq[ShownConjunct] = {
    def read(e: Expression) =
      new ShownValue(UserText.of(e), asText(e), e.dataType.isInstanceOf[StringType])
    operands(condition).map { case Conjunct(written, part) =>
      val found = reads(written)
      val distinct = found.distinctBy(UserText.of(_)).map(read)
      ShownConjunct(
        new ShownValue(UserText.of(written, place(written).getOrElse(Origin())), part.expression),
        part.rowLocal,
        distinct,
        pieces(written, found, distinct.map(_.text)),
        compared(written).map { case (value, wanted) => read(value) -> wanted }
      )
    }
  }

  private def compared(conjunct: Expression): Option[(Expression, Seq[String])] = {
    val sides = ConditionShape.of(conjunct) match {
      case Compared(a, comparison, b) if comparison.isEquality => Seq(a -> Seq(b), b -> Seq(a))
      case Listed(value, list) => Seq(value -> list)
      case _ => Nil
    }
    sides.collectFirst {
      case (value, list) if list.forall(c => c.isInstanceOf[Literal] && !c.nullable) =>
        value -> list.collect { case Literal(text, _: StringType) => text.toString }
    }
  }

  private def reads(e: Expression): Seq[Expression] = e match {
    case _: Navigation | _: PatternAggregate | _: MatchNumber => Seq(e)
    case other => other.children.flatMap(reads)
  }

  /** The operands of the ANDs that the user wrote: BETWEEN is one, of two comparisons. */
  private def operands(condition: ConditionFacts): Seq[Conjunct] =
    condition.conjuncts.foldLeft(Seq.empty[Conjunct]) {
      case (others :+ Conjunct(last, part), Conjunct(next, more))
          if place(last).isDefined && place(last) == place(next) =>
        val both = CurrentOrigin.withOrigin(last.origin)(And(last, next))
        others :+ Conjunct(both, condition.and(part, more))
      case (others, next) => others :+ next
    }

  private def own(e: Expression): Option[Origin] = Some(e.origin).filter(UserText.of(_).isDefined)

  /** Spark's place of a predicate, such as IN and BETWEEN, begins after the value before it. */
  private def place(e: Expression): Option[Origin] = own(e).map { whole =>
    val text = whole.sqlText.get
    // A column's own place may be where the input makes it.
    val parts = e.collect { case part if !part.isInstanceOf[Attribute] => own(part) }
    val before = parts.flatten.filter { part =>
      part.sqlText == whole.sqlText && part.stopIndex.get < whole.startIndex.get
    }
    val first = (whole +: before).map(_.startIndex.get).min
    // The value may be in parentheses.
    Iterator
      .iterate(first)(_ - 1)
      .takeWhile(i => i >= 0 && (i == first || text(i) == '(' || text(i).isWhitespace))
      .filter(i => !text(i).isWhitespace && isBalanced(text.substring(i, whole.stopIndex.get + 1)))
      .map(i => whole.copy(startIndex = Some(i)))
      .nextOption()
      .getOrElse(whole)
  }

  /** Of the parentheses outside strings, quoted names and comments. */
  private def isBalanced(text: String): Boolean = {
    // Spark's grammar has its words, such as the R of a raw string, in upper case.
    val lexer = new SqlBaseLexer(CharStreams.fromString(text.toUpperCase(Locale.ROOT)))
    lexer.removeErrorListeners()
    val depths = lexer.getAllTokens.asScala.map(_.getType).scanLeft(0) {
      case (depth, SqlBaseLexer.LEFT_PAREN) => depth + 1
      case (depth, SqlBaseLexer.RIGHT_PAREN) => depth - 1
      case (depth, _) => depth
    }
    depths.min >= 0 && depths.last == 0
  }

  private def pieces(
      conjunct: Expression,
      found: Seq[Expression],
      names: Seq[String]
  ): Seq[Either[String, Int]] = {
    val whole = place(conjunct).filter(of => found.forall(own(_).exists(_.sqlText == of.sqlText)))
    whole.toSeq.flatMap { of =>
      val inside = found.map(_.origin).distinct.sortBy(_.startIndex.get)
      val starts = of.startIndex.get +: inside.map(_.stopIndex.get + 1)
      val between = starts.zip(inside.map(_.startIndex.get) :+ (of.stopIndex.get + 1))
      // One may be inside another one, or none of the text.
      if (between.exists { case (from, to) => from > to }) Nil
      else {
        val texts = between.map { case (from, to) => Left(of.sqlText.get.substring(from, to)) }
        val values = inside.map(origin => Right(names.indexOf(UserText.of(origin).get)))
        texts.head +: values.zip(texts.tail).flatMap { case (value, text) => Seq(value, text) }
      }
    }
  }
}
