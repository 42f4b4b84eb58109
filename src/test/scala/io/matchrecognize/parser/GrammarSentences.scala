package io.matchrecognize.parser

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.antlr.v4.runtime.Token
import org.antlr.v4.runtime.atn._
import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/**
 * Random sentences of Spark's own grammar: paths through the automaton that its parser is.
 * Predicates are ignored, so Spark refuses about half of the sentences.
 *
 * @param word
 *   a name, where the grammar has one
 * @param other
 *   what is written for a rule instead of a path through it, if anything
 */
final class GrammarSentences(
    random: Random,
    word: () => String,
    other: String => Option[String] = _ => None
) {
  import GrammarSentences._

  /** A sentence of a rule, which looks for an end after some words. */
  def next(rule: String, length: Int): String = {
    val words = mutable.ArrayBuffer.empty[String]
    walk(SqlBaseParser.ruleNames.indexOf(rule), words, length, 0)
    words.mkString(" ")
  }

  private def walk(rule: Int, words: mutable.ArrayBuffer[String], length: Int, depth: Int): Unit = {
    var state: ATNState = atn.ruleToStartState(rule)
    while (!state.isInstanceOf[RuleStopState]) {
      val isLong = words.length >= length || depth > 60
      val step = choose(state, isLong)
      step match {
        case call: RuleTransition =>
          val name = SqlBaseParser.ruleNames(call.target.ruleIndex)
          instead(name, isLong) match {
            case Some(text) => words += text
            case None => walk(call.target.ruleIndex, words, length, depth + 1)
          }
          state = call.followState
        case _ =>
          if (!step.isEpsilon) words += text(step)
          state = step.target
      }
    }
  }

  private def instead(rule: String, isLong: Boolean): Option[String] = other(rule).orElse {
    Option.when(Names(rule) && (isLong || random.nextInt(8) > 0))(word())
  }

  private def choose(state: ATNState, isLong: Boolean): Transition = {
    val steps = state.getTransitions.toIndexedSeq
    if (steps.length == 1) steps.head
    else {
      val least = steps.map(costOf).min
      val cheap = steps.filter(costOf(_) == least)
      if (isLong || random.nextInt(5) < 2) cheap(random.nextInt(cheap.length))
      else steps(random.nextInt(steps.length))
    }
  }

  private def text(step: Transition): String = {
    val kinds = step match {
      case _: WildcardTransition | _: NotSetTransition => IndexedSeq(SqlBaseParser.IDENTIFIER)
      case _ => step.label.toArray.toIndexedSeq.filter(_ != Token.EOF)
    }
    if (kinds.isEmpty) "" else written(kinds(random.nextInt(kinds.length)))
  }

  private def written(kind: Int): String = {
    def pick(texts: String*): String = texts(random.nextInt(texts.length))
    val names = SqlBaseParser.VOCABULARY
    names.getSymbolicName(kind) match {
      case "IDENTIFIER" => word()
      case "BACKQUOTED_IDENTIFIER" => s"`${word()}`"
      case "STRING_LITERAL" =>
        pick("'a'", "r'over (pattern (a))'", "'match_recognize (pattern (a))'", "'1'")
      case "DOUBLEQUOTED_STRING" => pick("\"a\"", "\"over\"")
      case "INTEGER_VALUE" => pick("0", "1", "7")
      case "BIGINT_LITERAL" => "1L"
      case "SMALLINT_LITERAL" => "1S"
      case "TINYINT_LITERAL" => "1Y"
      case "EXPONENT_VALUE" => "1E1"
      case "DECIMAL_VALUE" => "1.5"
      case "FLOAT_LITERAL" => "1F"
      case "DOUBLE_LITERAL" => "1D"
      case "BIGDECIMAL_LITERAL" => "1BD"
      case "BEGIN_DOLLAR_QUOTED_STRING" => "$$"
      case "END_DOLLAR_QUOTED_STRING" => "$$"
      case "DOLLAR_QUOTED_STRING_BODY" => "match_recognize (pattern (a))"
      case "HENT_START" => "/*+"
      case symbol =>
        val literal = Option(names.getLiteralName(kind)).map(_.stripPrefix("'").stripSuffix("'"))
        literal.orElse(Operators.get(symbol)).getOrElse(symbol)
    }
  }
}

private object GrammarSentences {
  private val atn: ATN = SqlBaseParser._ATN

  private val Names = Set("identifier", "errorCapturingIdentifier", "strictIdentifier")

  /** Tokens that the lexer writes in several ways. */
  private val Operators =
    Map("NEQ" -> "<>", "LTE" -> "<=", "GTE" -> ">=", "EQ" -> "=", "NOT" -> "NOT")

  private final val Endless = 1 << 20

  /** The least number of words from a state to the end of its rule. */
  private val cost: Array[Int] = {
    val found = Array.fill(atn.states.size)(Endless)
    val states = atn.states.asScala.filter(_ != null).toSeq
    states.foreach { case end: RuleStopState => found(end.stateNumber) = 0; case _ => }
    var changed = true
    while (changed) {
      changed = false
      states.filterNot(_.isInstanceOf[RuleStopState]).foreach { state =>
        val least = state.getTransitions.map(costWith(found, _)).minOption.getOrElse(Endless)
        if (least < found(state.stateNumber)) {
          found(state.stateNumber) = least
          changed = true
        }
      }
    }
    found
  }

  private def costWith(costs: Array[Int], step: Transition): Int = step match {
    case call: RuleTransition =>
      math.min(Endless, costs(call.target.stateNumber) + costs(call.followState.stateNumber) + 1)
    case _ => math.min(Endless, costs(step.target.stateNumber) + (if (step.isEpsilon) 0 else 1))
  }

  private def costOf(step: Transition): Int = costWith(cost, step)
}
