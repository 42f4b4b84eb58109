package io.matchrecognize.analysis.stream

import java.util.UUID

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.expressions.StreamColumn
import io.matchrecognize.pattern.RowPattern.EndAnchor
import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Checks the requirements of a clause on a stream, and prepares its input: the default watermark if
 * the stream has none, and a Project of a [[StreamColumn]] for each column, without the event-time
 * metadata, since only MATCH_ROWTIME carries it.
 */
object StreamInput {

  /** Refuses key types that state cannot hold; call it before the order of the keys is checked. */
  def checkTypes(node: UnresolvedMatchRecognize): Unit =
    node.partitionKeys.find { case (key, _) => !isStateKey(key.dataType) }.foreach {
      case (key, place) => throw Errors.streamKeyType(key, place)
    }

  private def isStateKey(dataType: DataType): Boolean = dataType match {
    case _: MapType | _: VariantType | _: CalendarIntervalType => false
    case ArrayType(element, _) => isStateKey(element)
    case StructType(fields) => fields.forall(f => isStateKey(f.dataType))
    case ofUser: UserDefinedType[_] => isStateKey(ofUser.sqlType)
    case other => !Seq("geometry", "geography").exists(other.typeName.startsWith)
  }

  /**
   * The clause over its prepared input.
   *
   * @param queries
   *   those of WITH that the input may refer to
   */
  def prepare(node: UnresolvedMatchRecognize, queries: WithQueries): UnresolvedMatchRecognize = {
    if (node.clause.pattern.exists(_ == EndAnchor))
      throw Errors.endAnchorInStream(node.positions.pattern)
    withStreamColumns(withWatermark(node, queries))
  }

  private def withWatermark(
      node: UnresolvedMatchRecognize,
      queries: WithQueries
  ): UnresolvedMatchRecognize = {
    val marked = node.child.output.filter(c => StreamPlans.isEventTime(c) && isTime(c))
    node.clause.orderSpec.headOption match {
      case None => throw leadingKey(node, "no ORDER BY", node.positions.clause)
      case Some(order) =>
        val place = node.orderKeys.head._2
        order.child match {
          case a: Attribute if order.direction == Descending && isTime(a) =>
            throw leadingKey(node, s"${UserText.quotedKey(a)} descending", place)
          case a: Attribute if marked.exists(_.exprId == a.exprId) => node
          case a: Attribute if marked.isEmpty && isTime(a) =>
            withDefaultWatermark(node, a, place, queries)
          case other => throw leadingKey(node, UserText.quotedKey(other), place)
        }
    }
  }

  private def isTime(a: Attribute): Boolean =
    a.dataType == TimestampType || a.dataType == TimestampNTZType

  private def leadingKey(
      node: UnresolvedMatchRecognize,
      found: String,
      origin: Origin
  ): Throwable = {
    val output = node.child.output
    val column = output.find(StreamPlans.isEventTime).orElse(output.find(isTime))
    val name = column.map(c => UserText.quoted(c.name)).getOrElse("(the one with a watermark)")
    Errors.streamLeadingKey(name, found, origin)
  }

  private def withDefaultWatermark(
      node: UnresolvedMatchRecognize,
      time: Attribute,
      place: Origin,
      queries: WithQueries
  ): UnresolvedMatchRecognize = {
    StreamPlans.watermarkOf(node.child, queries).foreach { below =>
      throw Errors.lostWatermark(time, place, StreamPlans.name(below))
    }
    val config = MatchRecognizeConf.DefaultWatermarkDelay
    SQLConf.get.getConf(config) match {
      case None => throw Errors.noWatermark(time, place, s""""${config.key}"""")
      case Some(delay) =>
        val column = node.child.output.find(_.exprId == time.exprId).get
        node.copy(child =
          EventTimeWatermark(
            UUID.randomUUID(),
            column,
            IntervalUtils.fromIntervalString(delay),
            node.child
          )
        )
    }
  }

  /** The metadata of a former event-time column. */
  private final val Mark = "matchRecognize.eventTime"

  private def withStreamColumns(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize = {
    val columns = node.child.output.map { a =>
      val metadata = if (StreamPlans.isEventTime(a)) markRemoved(a) else a.metadata
      val column = StreamColumn(a, nullable(a.dataType))
      a.exprId -> Alias(column, a.name)(explicitMetadata = Some(metadata))
    }
    val renamed = columns.map { case (id, alias) => id -> alias.toAttribute }.toMap
    node
      .mapExpressions(_.transformUp {
        case a: AttributeReference if renamed.contains(a.exprId) => copied(renamed(a.exprId))
        // An implicit one of an array of a column that could not be NULL.
        case cast: Cast if cast.childrenResolved && !cast.resolved =>
          cast.copy(dataType = nullable(cast.dataType))
      })
      .asInstanceOf[UnresolvedMatchRecognize]
      .copy(child = Project(columns.map(_._2), node.child): LogicalPlan)
  }

  private def markRemoved(a: Attribute): Metadata = new MetadataBuilder()
    .withMetadata(a.metadata)
    .remove(EventTimeWatermark.delayKey)
    .putBoolean(Mark, value = true)
    .build()

  /**
   * A type whose parts may all be NULL, and none of whose fields has the metadata of an event time:
   * a field has that of the column that it was made of, which Spark takes from there when the field
   * becomes a column.
   */
  private def nullable(dataType: DataType): DataType = dataType match {
    case StructType(fields) =>
      StructType(fields.map { field =>
        val plain = new MetadataBuilder().withMetadata(field.metadata)
        StructField(
          field.name,
          nullable(field.dataType),
          nullable = true,
          plain.remove(EventTimeWatermark.delayKey).build()
        )
      })
    case ArrayType(element, _) => ArrayType(nullable(element), containsNull = true)
    case MapType(key, value, _) => MapType(nullable(key), nullable(value), valueContainsNull = true)
    case other => other
  }

  // A new node takes the origin that is current in the statement.
  private def copied(a: Attribute): Attribute =
    AttributeReference(a.name, a.dataType, a.nullable, a.metadata)(a.exprId, a.qualifier)
}
