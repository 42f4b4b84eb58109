package io.matchrecognize.analysis.placement

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.analysis.checks.KeyChecks
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * `PARTITION BY expression AS name`: makes the key a column of the clause's input, so that
 * MEASURES, DEFINE and the output see it like any other column.
 */
object NamedKeys {

  /** @return the clause, unchanged until Spark's rules have resolved all named keys */
  def place(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize = {
    val named = node.clause.partitionSpec.collect { case key: Alias => key }
    if (!named.forall(_.resolved)) node
    else {
      node.partitionKeys.foreach {
        case (key: Alias, place) => KeyChecks.checkKey(key.child, place)
        case _ =>
      }
      named.indices.foreach(i => checkName(named(i), named.take(i), node))
      val computed = named.filterNot(keepsName)
      val keys = node.clause.partitionSpec.map {
        case key: Alias if keepsName(key) => key.child
        case key: Alias => key.toAttribute
        case other => other
      }
      val child =
        if (computed.isEmpty) node.child
        else Project(node.child.output ++ computed, node.child)
      node.copy(clause = node.clause.copy(partitionSpec = keys), child = child)
    }
  }

  /** Whether the key is a column that already has the name. */
  private def keepsName(key: Alias): Boolean = key.child match {
    case column: Attribute => SQLConf.get.resolver(column.name, key.name)
    case _ => false
  }

  private def checkName(key: Alias, earlier: Seq[Alias], node: UnresolvedMatchRecognize): Unit = {
    def same(name: String) = SQLConf.get.resolver(name, key.name)
    val other = earlier
      .find(k => same(k.name))
      .map(k => s"the key ${UserText.quotedKey(k.child)}")
      .orElse(
        node.child.output
          .find(c => same(c.name) && !keepsName(key))
          .map(c => s"the input column ${UserText.quoted(c.name)}")
      )
    val text = UserText.quotedKey(key.child)
    other.foreach(o => throw Errors.duplicateKey(key.name, text, o, key.origin))
  }
}
