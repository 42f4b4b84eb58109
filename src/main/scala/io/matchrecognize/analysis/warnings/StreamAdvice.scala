package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.sources.{RelationProvider, SchemaRelationProvider}

import io.matchrecognize.plans.MatchRecognize

/** What to do where the data of a clause are wanted and it reads a stream. */
private[warnings] object StreamAdvice {
  def of(node: MatchRecognize): String =
    "The clause reads a stream, so its data was not checked: ties, NULLs, gaps and texts in its keys, " +
      "conditions that no row satisfies, and the sizes of partitions. " + cure(sources(node))

  private def cure(found: Seq[Option[String]]): String = found.flatten.distinct match {
    case Seq() => "Write some of its rows into a table, and check the same clause over that table."
    case readable =>
      s"Check the same clause over ${readable.mkString(" and ")}, or over some of its rows."
  }

  private def sources(node: LogicalPlan): Seq[Option[String]] =
    node.collectLeaves().filter(_.isStreaming).map {
      case relation: StreamingRelationV2 => ofTable(relation)
      case leaf =>
        leaf.productIterator.collectFirst { case source: DataSource => source }.flatMap(ofSource)
    }

  private def ofTable(relation: StreamingRelationV2): Option[String] = {
    val isReadable = relation.table.capabilities.contains(TableCapability.BATCH_READ)
    val name = relation.identifier.map(id => (id.namespace :+ id.name).mkString("."))
    Option.when(isReadable) {
      name.fold(s"""spark.read.format("${relation.sourceName}")""")(table)
    }
  }

  private def ofSource(source: DataSource): Option[String] = {
    val isReadable = isBatch(source.providingClass)
    val read = s"""spark.read.format("${source.className}")"""
    source.catalogTable.map(t => table(t.identifier.unquotedString)).orElse {
      Option.when(isReadable)(
        source.options.get("path").fold(read)(path => s"""$read.load("$path")""")
      )
    }
  }

  /** Files, and sources such as Delta. */
  private def isBatch(provider: Class[_]): Boolean = Seq(
    classOf[org.apache.spark.sql.execution.datasources.FileFormat],
    classOf[RelationProvider],
    classOf[SchemaRelationProvider]
  ).exists(_.isAssignableFrom(provider))

  private def table(name: String): String = s"the table $name, without STREAM"
}
