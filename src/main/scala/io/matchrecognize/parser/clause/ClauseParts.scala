package io.matchrecognize.parser.clause

import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText
import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/** Checks which parts a clause has, in which order, and which of them exclude each other. */
private[clause] final class ClauseParts(statement: StatementText) {
  import ClauseParts._

  private var before = Vector.empty[RowPatternPartContext]

  /** Checks a part against the earlier ones, and adds it. */
  def add(part: RowPatternPartContext): Unit = {
    part match {
      case _: InitialOrSeekContext =>
        SyntaxErrors.own(
          "MATCH_RECOGNIZE_INVALID_CLAUSE.SEARCH_MODIFIER",
          Map("modifier" -> nameOf(part)),
          statement.origin(part.start, part.stop)
        )
      case _ =>
    }
    if (before.exists(rank(_) == rank(part)))
      throw SyntaxErrors.spark(
        statement,
        part.start,
        "DUPLICATE_CLAUSES",
        Map("clauseName" -> nameOf(part))
      )
    before.find(rank(_) > rank(part)).foreach { previous =>
      SyntaxErrors.own(
        "MATCH_RECOGNIZE_INVALID_CLAUSE.CLAUSE_ORDER",
        Map("clause" -> nameOf(part), "previous" -> nameOf(previous)),
        statement.origin(part.start, part.stop)
      )
    }
    before :+= part
  }

  /** Makes the checks that need the whole clause, and returns its parts. */
  def complete(clause: Origin): Seq[RowPatternPartContext] = {
    val parts = before
    val pattern = parts.collectFirst { case p: PatternContext => p.rowPattern }
    if (pattern.isEmpty)
      SyntaxErrors.own("MATCH_RECOGNIZE_INVALID_CLAUSE.MISSING_PATTERN", Map.empty, clause)
    parts.foreach {
      case one: OneRowPerMatchContext if one.TIMEOUT != null && !parts.exists(isWithin) =>
        SyntaxErrors.own(
          "MATCH_RECOGNIZE_INVALID_CLAUSE.TIMEOUT_WITHOUT_WITHIN",
          Map.empty,
          statement.origin(one.start, one.stop)
        )
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
    PatternBuilder.firstExclusion(pattern).foreach { exclusion =>
      val text = statement.between(exclusion.start, exclusion.stop)
      SyntaxErrors.own(
        "MATCH_RECOGNIZE_INVALID_PATTERN.EXCLUSION_WITH_UNMATCHED_ROWS",
        Map("exclusion" -> UserText.quoted(text)),
        statement.origin(exclusion.start, exclusion.stop)
      )
    }

  private def isWithin(part: RowPatternPartContext): Boolean = part match {
    case _: WithinContext => true
    case _ => false
  }
}

private[clause] object ClauseParts {

  private def rank(part: RowPatternPartContext): Int = part match {
    case _: PartitionByContext => 0
    case _: OrderByContext => 1
    case _: MeasuresContext => 2
    case _: OneRowPerMatchContext | _: AllRowsPerMatchContext => 3
    case _: AfterMatchContext => 4
    case _: InitialOrSeekContext => 5
    case _: PatternContext => 6
    case _: WithinContext => 7
    case _: SubsetContext => 8
    case _ => 9
  }

  /** The keywords of the part, as messages show them. */
  def nameOf(part: RowPatternPartContext): String = part match {
    case _: PartitionByContext => "PARTITION BY"
    case _: OrderByContext => "ORDER BY"
    case _: MeasuresContext => "MEASURES"
    case _: OneRowPerMatchContext => "ONE ROW PER MATCH"
    case _: AllRowsPerMatchContext => "ALL ROWS PER MATCH"
    case _: AfterMatchContext => "AFTER MATCH SKIP"
    case modifier: InitialOrSeekContext =>
      modifier.modifier.getText.toUpperCase(java.util.Locale.ROOT)
    case _: PatternContext => "PATTERN"
    case _: WithinContext => "WITHIN"
    case _: SubsetContext => "SUBSET"
    case _ => "DEFINE"
  }
}
