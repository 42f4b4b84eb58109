package io.matchrecognize.execution.condition

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.CharStreams
import org.apache.spark.sql.catalyst.expressions.{
  And,
  EqualNullSafe,
  EqualTo,
  Expression,
  In,
  InSet,
  Literal,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.types.StringType

import io.matchrecognize.errors.UserText
import io.matchrecognize.expressions.{MatchNumber, Navigation, PatternAggregate}

/** A value that a condition reads, as the user wrote it; `value` is its text. */
final case class ShownRead(name: String, value: Expression, isString: Boolean)

/**
 * A value that a condition compares with constants: TRUE if it is one of them.
 *
 * @param value
 *   as text
 * @param wanted
 *   the constants if they are strings
 */
final case class ComparedValue(
    name: String,
    value: Expression,
    isString: Boolean,
    wanted: Seq[String]
)

/**
 * An operand of the outermost ANDs of a condition.
 *
 * @param isLocal
 *   whether it can be judged on a row alone
 *
 * @param pieces
 *   `text` cut at what it reads: pieces of text, and indexes into `reads`; empty if their places in
 *   the text are not known
 */
final case class ShownConjunct(
    text: String,
    truth: Expression,
    isLocal: Boolean,
    reads: Seq[ShownRead],
    pieces: Seq[Either[String, Int]],
    compared: Option[ComparedValue]
)

/**
 * What a trace shows of a condition. Its expressions are parts of the compiled condition, over the
 * same [[PointerRow]].
 */
final case class ShownCondition(conjuncts: Seq[ShownConjunct])

object ShownCondition extends PredicateHelper {

  /**
   * @param bind
   *   binds a part of the condition as the compiler does
   * @param isLocal
   *   whether a part that is bound reads the tested row and its neighbours only
   * @param asText
   *   an expression as a string
   */
  def of(
      condition: Expression,
      bind: Expression => Expression,
      isLocal: Expression => Boolean,
      asText: Expression => Expression
  ): ShownCondition = ShownCondition(operands(condition).map { conjunct =>
    val found = reads(conjunct)
    val distinct = found.distinctBy(name)
    val bound = bind(conjunct)
    ShownConjunct(
      textOf(conjunct),
      bound,
      isLocal(bound),
      distinct.map(r => ShownRead(name(r), asText(bind(r)), r.dataType.isInstanceOf[StringType])),
      pieces(conjunct, found, distinct.map(name)),
      compared(conjunct).map { case (value, wanted) =>
        val isString = value.dataType.isInstanceOf[StringType]
        val texts = if (isString) wanted.filter(_ != null).map(_.toString) else Nil
        ComparedValue(UserText.of(value), asText(bind(value)), isString, texts)
      }
    )
  })

  private def compared(conjunct: Expression): Option[(Expression, Seq[Any])] = conjunct match {
    case EqualTo(value, Literal(wanted, _)) => Some(value -> Seq(wanted))
    case EqualTo(Literal(wanted, _), value) => Some(value -> Seq(wanted))
    case EqualNullSafe(value, Literal(wanted, _)) if wanted != null => Some(value -> Seq(wanted))
    case EqualNullSafe(Literal(wanted, _), value) if wanted != null => Some(value -> Seq(wanted))
    case In(value, list) if list.forall(_.isInstanceOf[Literal]) =>
      Some(value -> list.collect { case Literal(wanted, _) => wanted })
    case InSet(value, wanted) => Some(value -> wanted.toSeq)
    case _ => None
  }

  private def reads(e: Expression): Seq[Expression] = e match {
    case _: Navigation | _: PatternAggregate | _: MatchNumber => Seq(e)
    case other => other.children.flatMap(reads)
  }

  private def name(read: Expression): String = UserText.of(read)

  /** The operands of the ANDs that the user wrote: BETWEEN is one, of two comparisons. */
  private def operands(condition: Expression): Seq[Expression] =
    splitConjunctivePredicates(condition).foldLeft(Seq.empty[Expression]) {
      case (others :+ last, next) if place(last).isDefined && place(last) == place(next) =>
        others :+ CurrentOrigin.withOrigin(last.origin)(And(last, next))
      case (others, next) => others :+ next
    }

  private def textOf(conjunct: Expression): String =
    place(conjunct).fold(UserText.of(conjunct))(_.text)

  /** Where an expression is in a text, from its first character to its last one. */
  private final case class TextPlace(all: String, start: Int, stop: Int) {
    def text: String = all.substring(start, stop + 1)
  }

  /** Spark's place of a predicate, such as IN and BETWEEN, begins after the value before it. */
  private def place(e: Expression): Option[TextPlace] = {
    def own(e: Expression) = UserText.of(e.origin).map { _ =>
      TextPlace(e.origin.sqlText.get, e.origin.startIndex.get, e.origin.stopIndex.get)
    }
    own(e).map { whole =>
      val before = e.collect { case part => own(part) }.flatten.filter { part =>
        part.all == whole.all && part.stop < whole.start
      }
      val first = before.map(_.start).minOption.getOrElse(whole.start)
      // The value may be in parentheses.
      Iterator
        .iterate(first)(_ - 1)
        .takeWhile(i => i >= 0 && (i == first || whole.all(i) == '(' || whole.all(i).isWhitespace))
        .map(i => whole.copy(start = i))
        .find(wider => isBalanced(wider.text) && !wider.text.head.isWhitespace)
        .getOrElse(whole)
    }
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
    val whole = place(conjunct)
    val inside = found.map(_.origin).distinct.sortBy(_.startIndex.getOrElse(-1))
    val ends = inside.map(_.stopIndex.getOrElse(-1))
    val isPlaced = whole.exists { of =>
      inside.forall { origin =>
        UserText.of(origin).isDefined && origin.sqlText.contains(of.all) &&
        origin.startIndex.get >= of.start && origin.stopIndex.get <= of.stop
      }
    } && inside.drop(1).zip(ends).forall { case (next, end) => next.startIndex.get > end }
    if (!isPlaced) Nil
    else {
      val text = whole.get.all
      val starts = whole.get.start +: ends.map(_ + 1)
      val stops = inside.map(_.startIndex.get) :+ (whole.get.stop + 1)
      val between = starts.zip(stops).map { case (from, to) => Left(text.substring(from, to)) }
      val values = inside.map(origin => Right(names.indexOf(UserText.of(origin).get)))
      between.head +: values.zip(between.tail).flatMap { case (v, b) => Seq(v, b) }
    }
  }
}
