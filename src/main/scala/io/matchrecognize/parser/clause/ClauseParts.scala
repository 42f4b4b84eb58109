package io.matchrecognize.parser.clause

import java.util.Locale

import org.antlr.v4.runtime.ParserRuleContext
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText
import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/** Checks which parts a clause has, in which order, and which of them exclude each other. */
private[clause] final class ClauseParts(statement: StatementText, isWindow: Boolean) {
  import ClauseParts._

  private var parts = Vector.empty[RowPatternPartContext]

  private def refuse(condition: String, part: ParserRuleContext, more: (String, String)*): Nothing =
    SyntaxErrors.own(statement.origin(part), condition, more: _*)

  /** What only MATCH_RECOGNIZE has, or only a window. */
  private def checkKind(part: RowPatternPartContext): Unit = part match {
    case _: InitialOrSeekContext if !isWindow =>
      refuse("INVALID_CLAUSE.SEARCH_MODIFIER", part, "modifier" -> nameOf(part))
    case _ if !isWindow =>
    case _: OneRowPerMatchContext | _: AllRowsPerMatchContext =>
      refuse("INVALID_WINDOW.ROWS_PER_MATCH", part)
    case _: WithinContext => refuse("INVALID_WINDOW.WITHIN", part)
    case exclude: ExcludeContext =>
      val words =
        statement.between(part.start, part.stop).split("\\s+").map(_.toUpperCase(Locale.ROOT))
      if (words.toSeq != Seq("EXCLUDE", "NO", "OTHERS"))
        refuse("INVALID_WINDOW.EXCLUDE", exclude, "exclusion" -> words.mkString(" "))
    case pattern: PatternContext =>
      PatternBuilder.nodes(pattern.rowPattern).foreach {
        case exclusion: ExclusionContext => refuse("INVALID_WINDOW.EXCLUSION", exclusion)
        case anchor: StartAnchorContext => refuseAnchor(anchor)
        case anchor: EndAnchorContext => refuseAnchor(anchor)
        case _ =>
      }
    case _ =>
  }

  private def refuseAnchor(anchor: RowPatternPrimaryContext): Nothing =
    refuse("INVALID_WINDOW.ANCHOR", anchor, "anchor" -> UserText.quoted(anchor.getText))

  /** Checks a part against the earlier ones, and adds it. */
  def add(part: RowPatternPartContext): Unit = {
    checkKind(part)
    if (parts.exists(rank(_) == rank(part))) {
      val name = Map("clauseName" -> nameOf(part))
      throw SyntaxErrors.spark(statement, part.start, "DUPLICATE_CLAUSES", name)
    }
    parts.find(rank(_) > rank(part)).foreach { previous =>
      val kind = if (isWindow) "INVALID_WINDOW" else "INVALID_CLAUSE"
      val names = Seq("clause" -> nameOf(part), "previous" -> nameOf(previous))
      refuse(s"$kind.CLAUSE_ORDER", part, names: _*)
    }
    parts :+= part
  }

  /** Makes the checks that need the whole clause, and returns its parts. */
  def complete(clause: Origin): Seq[RowPatternPartContext] = {
    val pattern = parts.collectFirst { case p: PatternContext => p.rowPattern }
    if (pattern.isEmpty) SyntaxErrors.own(clause, "INVALID_CLAUSE.MISSING_PATTERN")
    if (isWindow && !parts.exists(p => rank(p) == ClauseGrammar.FRAME))
      SyntaxErrors.own(clause, "INVALID_WINDOW.MISSING_FRAME")
    val hasWithin = parts.exists(_.isInstanceOf[WithinContext])
    parts.foreach {
      case one: OneRowPerMatchContext if one.TIMEOUT != null && !hasWithin =>
        refuse("INVALID_CLAUSE.TIMEOUT_WITHOUT_WITHIN", one)
      case all: AllRowsPerMatchContext =>
        all.rowPatternEmptyMatchHandling match {
          case _: WithUnmatchedRowsContext => pattern.foreach(refuseExclusion)
          case _ =>
        }
      case _ =>
    }
    parts
  }

  private def refuseExclusion(pattern: RowPatternContext): Unit =
    PatternBuilder.nodes(pattern).foreach {
      case exclusion: ExclusionContext =>
        val text = UserText.quoted(statement.between(exclusion.start, exclusion.stop))
        val condition = "INVALID_PATTERN.EXCLUSION_WITH_UNMATCHED_ROWS"
        refuse(condition, exclusion, "exclusion" -> text)
      case _ =>
    }
}

private[clause] object ClauseParts {

  /** The keywords of each part by the first of them, as messages show them. */
  private val Keywords: Map[String, String] = Seq(
    "PARTITION BY",
    "ORDER BY",
    "MEASURES",
    "ONE ROW PER MATCH",
    "ALL ROWS PER MATCH",
    "AFTER MATCH SKIP",
    "INITIAL",
    "SEEK",
    "PATTERN",
    "WITHIN",
    "SUBSET",
    "DEFINE"
  ).map(words => words.takeWhile(_ != ' ') -> words).toMap

  /** The keywords of the part that begins with a word, "" if none does. */
  def keywords(word: String): String = Keywords.getOrElse(word.toUpperCase(Locale.ROOT), "")

  def nameOf(part: RowPatternPartContext): String = part match {
    case _: FrameContext | _: ShortFrameContext | _: ExcludeContext =>
      part.start.getText.toUpperCase(Locale.ROOT)
    case _ => keywords(part.start.getText)
  }

  /** The parts in their order, which is that of the grammar's tokens. */
  private def rank(part: RowPatternPartContext): Int = part.start.getType match {
    case ClauseGrammar.ALL => ClauseGrammar.ONE
    case ClauseGrammar.SHORT_FRAME => ClauseGrammar.FRAME
    case ClauseGrammar.SEEK => ClauseGrammar.INITIAL
    case kind => kind
  }
}
