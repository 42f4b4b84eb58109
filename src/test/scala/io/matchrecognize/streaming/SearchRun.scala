package io.matchrecognize.streaming

import java.util.Locale

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.expressions.GroupingKey
import io.matchrecognize.fuzz.{FuzzKey, FuzzRow}
import io.matchrecognize.streaming.state.PartitionState
import io.matchrecognize.streaming.task.{
  DeadlineTimes,
  StreamClauseSearch,
  StreamProgram,
  StreamTuning
}

/**
 * Runs the search of a stream's partitions without a query: micro-batch by micro-batch, each key
 * from its state, which is kept in memory. As in the operator, a key is searched if it has rows or
 * its deadline has passed.
 *
 * Runs inside one task.
 *
 * @param columns
 *   output columns in the order in which rows are returned
 */
final class SearchRun(
    spec: ClauseSpec,
    program: StreamProgram,
    columns: Seq[String],
    tuning: StreamTuning
) {
  private val states = mutable.Map.empty[UnsafeRow, mutable.Map[Long, Array[Byte]]]
  private val deadlines = mutable.Map.empty[UnsafeRow, Long]
  private val resources = new TaskResources(TaskContext.get(), _ => ())
  private var search = newSearch()

  private val toInput = UnsafeProjection.create(spec.input.map(_.dataType).toArray)
  private val toKey = UnsafeProjection.create(
    spec.clause.partitionSpec.map(e =>
      GroupingKey.normalize(BindReferences.bindReference(e, spec.input))
    )
  )
  private val shown = columns.map { name =>
    val ordinal = spec.output.indexWhere(_.name == name)
    val dataType = spec.output(ordinal).dataType
    val convert = CatalystTypeConverters.createToScalaConverter(dataType)
    (row: InternalRow) => convert(if (row.isNullAt(ordinal)) null else row.get(ordinal, dataType))
  }

  /** Matches and time-outs that the searches say they found. */
  var found: Long = 0

  /** The process ends here; what is saved stays. */
  def restart(): Unit = search = newSearch()

  private def newSearch(): StreamClauseSearch =
    new StreamClauseSearch(program, resources, 0, tuning)

  def key(row: FuzzRow): UnsafeRow = toKey(input(row)).copy()

  /** How many entries the state of a key has. */
  def entries(key: UnsafeRow): Int = states.get(key).fold(0)(_.size)

  /** The output rows of one key in one micro-batch; `ready` are its new rows, in order. */
  def advance(key: UnsafeRow, ready: Seq[FuzzRow], watermark: Long): Vector[Seq[Any]] = {
    val isDue = deadlines.get(key).exists(_ <= watermark)
    if (ready.isEmpty && !isDue) Vector.empty
    else {
      search.begin(key, stateOf(key))
      if (isDue) {
        deadlines.remove(key)
        search.queuedDeadline = DeadlineTimes.Never
      }
      ready.foreach(row => search.append(input(row)))
      search.advanceTo(watermark)
      val rows = Iterator
        .continually(search.nextRow())
        .takeWhile(_ != null)
        .map(row => shown.map(_(row)))
        .toVector
      found += search.matches + search.timeOuts
      if (search.deadline < search.queuedDeadline) {
        deadlines(key) = search.deadline
        search.queuedDeadline = search.deadline
      }
      search.save()
      rows
    }
  }

  private def stateOf(key: UnsafeRow): PartitionState = {
    val entries = states.getOrElseUpdate(key, mutable.Map.empty)
    new PartitionState {
      override def get(number: Long): Array[Byte] = entries.get(number).map(_.clone).orNull
      override def put(number: Long, value: Array[Byte]): Unit = entries(number) = value.clone
      override def remove(number: Long): Unit = entries -= number
    }
  }

  private def input(row: FuzzRow): UnsafeRow = {
    def text(value: Any): Any = value match {
      case string: String => UTF8String.fromString(string)
      case other => other
    }
    def int(value: Any): Any = value match {
      case number: Long => number.toInt
      case other => other
    }
    val values = spec.input.map { column =>
      column.name.toLowerCase(Locale.ROOT) match {
        case "p" => if (row.v == null) null else InternalRow(int(row.v), text(row.s))
        case "t" => row.t
        case "o" => FuzzKey.internal(row.o, column.dataType)
        case name => int(text(row(name)))
      }
    }
    toInput(InternalRow.fromSeq(values))
  }
}
