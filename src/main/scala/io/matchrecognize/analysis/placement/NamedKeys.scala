package io.matchrecognize.analysis.placement

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.analysis.checks.KeyChecks
import io.matchrecognize.analysis.names.OuterConstants
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * `PARTITION BY expression AS name`: makes the key a column of the clause's input, so that later
 * keys, MEASURES, DEFINE and the output see it like any other column.
 */
object NamedKeys {

  /** The input of a resolved key with its column; an input column may keep its own name. */
  def place(named: Alias, place: Origin, input: LogicalPlan): LogicalPlan = {
    val key = named.mapChildren(OuterConstants.inline).asInstanceOf[Alias]
    KeyChecks.checkSession(key.child, input, place)
    KeyChecks.checkKey(key.child, place)
    if (keepsName(key)) input
    else {
      input.output.find(c => SQLConf.get.resolver(c.name, key.name)).foreach { c =>
        val column = s"the input column ${UserText.quoted(c.name)}"
        throw Errors.duplicateKey(key.name, UserText.quotedKey(key.child), column, key.origin)
      }
      Project(input.output :+ key, input)
    }
  }

  /** The clause with the columns that its named keys are, which have their names alone. */
  def read(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize = {
    val keys = node.clause.partitionSpec.map {
      case key: Alias if keepsName(key) => key.child
      case key: Alias =>
        // Not by their ids: Spark renews those of a plan that a statement reads twice.
        node.child.output.find(c => SQLConf.get.resolver(c.name, key.name)).getOrElse(key)
      case other => other
    }
    // The same node keeps its tags.
    if (keys == node.clause.partitionSpec) node
    else node.copy(clause = node.clause.copy(partitionSpec = keys))
  }

  /** Whether the key is a column that already has the name. */
  private def keepsName(key: Alias): Boolean = key.child match {
    case column: Attribute => SQLConf.get.resolver(column.name, key.name)
    case _ => false
  }
}
