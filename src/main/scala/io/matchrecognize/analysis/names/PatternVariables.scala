package io.matchrecognize.analysis.names

import java.util.Locale

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.{MatchRecognizeErrors, UserText}
import io.matchrecognize.pattern.{AfterMatchSkip, RowPattern, RowPatternAnalysis}
import io.matchrecognize.plans.{Subset, UnresolvedMatchRecognize}

/**
 * The row pattern variables of one clause, each with one spelling: that of PATTERN, or of SUBSET
 * for a union variable. Names are compared by the session's case sensitivity.
 */
final class PatternVariables private (
    val primary: Seq[String],
    val subsets: Seq[Subset],
    canonical: String => String
) {
  private val spelling: Map[String, String] =
    (primary ++ subsets.map(_.name)).map(name => canonical(name) -> name).toMap

  val all: Seq[String] = primary ++ subsets.map(_.name)

  /** The declared spelling of a name, if it is a variable. */
  def find(name: String): Option[String] = spelling.get(canonical(name))

  /** The pattern with one spelling for each variable. */
  def respell(pattern: RowPattern): RowPattern = pattern match {
    case RowPattern.Variable(name) => RowPattern.Variable(find(name).getOrElse(name))
    case other => other.mapChildren(respell)
  }

  /** The declared spelling, or the error that says what the name could have been. */
  def require(name: String, origin: Origin): String =
    find(name).getOrElse(throw MatchRecognizeErrors.unknownVariable(name, all, origin))
}

object PatternVariables {

  /** Maps two spellings of one name to equal texts, by the session's case sensitivity. */
  def canonical: String => String =
    if (SQLConf.get.caseSensitiveAnalysis) identity else _.toLowerCase(Locale.ROOT)

  /** Where a name is used, with its spelling there if it differs. */
  private def place(clause: String, spelling: String, name: String): String =
    if (spelling == name) clause else s"$clause as ${UserText.quoted(spelling)}"

  /**
   * Reads and checks the names that PATTERN, SUBSET, DEFINE and AFTER MATCH SKIP declare or use.
   */
  def of(node: UnresolvedMatchRecognize): PatternVariables = {
    val clause = node.clause
    val canonical = this.canonical
    val primary = RowPatternAnalysis.variables(clause.pattern, canonical)
    val primaryNames = primary.map(name => canonical(name) -> name).toMap
    val positions = node.positions

    clause.subsets.zipWithIndex.foreach { case (subset, i) =>
      val origin = positions.subsetNames(i)
      def duplicate(first: String, spelling: String, second: String) =
        throw MatchRecognizeErrors
          .duplicateVariable(subset.name, place(first, spelling, subset.name), second, origin)
      primaryNames.get(canonical(subset.name)).foreach(duplicate("PATTERN", _, "SUBSET"))
      clause.subsets
        .take(i)
        .find(s => canonical(s.name) == canonical(subset.name))
        .foreach(s => duplicate("SUBSET", s.name, "SUBSET again"))
    }
    def primaryIn(clauseText: String, name: String, origin: Origin): String =
      primaryNames.getOrElse(
        canonical(name),
        throw MatchRecognizeErrors.notPrimary(name, clauseText, primary, origin)
      )
    val subsets = clause.subsets.zipWithIndex.map { case (subset, i) =>
      val members = subset.members.zip(positions.subsetMembers(i)).map { case (member, origin) =>
        primaryIn("SUBSET", member, origin)
      }
      Subset(subset.name, members.distinct)
    }
    clause.definedVariables.zipWithIndex.foreach { case (name, i) =>
      val origin = positions.definedVariables(i)
      clause.definedVariables.take(i).find(v => canonical(v) == canonical(name)).foreach { v =>
        val first = place("DEFINE", v, name)
        throw MatchRecognizeErrors.duplicateVariable(name, first, "DEFINE again", origin)
      }
      primaryIn("DEFINE", name, origin)
    }
    val variables = new PatternVariables(primary, subsets, canonical)
    clause.afterMatchSkip match {
      case AfterMatchSkip.ToVariable(name, _) => variables.require(name, positions.skipTarget)
      case _ =>
    }
    variables
  }
}
