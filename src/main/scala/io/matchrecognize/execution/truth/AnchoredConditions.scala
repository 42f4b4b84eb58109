package io.matchrecognize.execution.truth

import java.nio.ByteOrder

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BoundReference, IsNull}

import io.matchrecognize.execution.compile.ClauseProgram
import io.matchrecognize.execution.condition.{ConditionTree, Ordinals, RowExpression}
import io.matchrecognize.execution.pointer.{
  ExpressionFailure,
  PointerField,
  PointerProgram,
  PointerRow
}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.expressions.{ConditionPredicate, ConditionValues, LiteralTexts}
import io.matchrecognize.matcher.{AnchoredInput, Truth, WorkMeter}

/**
 * Answers `PikeMatcher`: whether a condition is TRUE on a row, and up to which row that does not
 * change.
 *
 * With the start row fixed, `price <= A.price + 10` is a threshold for the tested row. So the
 * smallest and largest price of a zone of rows, or of a zone of zones, may tell that it holds on
 * all of its rows or on none, and the zone is passed over. Of row-local parts it is known on which
 * rows of a zone they are TRUE; other parts are taken for unknown.
 *
 * @param input
 *   evaluates conditions as a whole
 */
final class AnchoredConditions(
    program: ClauseProgram,
    anchored: Array[Option[ConditionTree]],
    store: Rows,
    input: ClauseInput
) extends AnchoredInput
    with StartRow {
  private val conditions = program.conditions
  private val pointerRow = new PointerRow(conditions.fields, conditions.pointerCount, store, input)
  // Those of equal expressions are found once; those of row-local conditions by their ids.
  private val locals = mutable.Map.empty[Int, TestZones]
  private val tests = mutable.Map.empty[Any, TestZones]
  private val values = mutable.Map.empty[Any, ValueZones]
  private val nodes: Array[Node] = conditions.bySymbol.indices.map { symbol =>
    if (input.rowLocal(symbol))
      new TestNode(locals.getOrElseUpdate(input.truthOf(symbol), newTest(symbol)))
    else anchored(symbol).map(node(_)).orNull
  }.toArray
  private val work = new WorkMeter(store.checkCancelled _)
  private var rows = -1L
  private var startRow = -1L

  /** Begins a partition whose rows are in the store. */
  def reset(): Unit = rows = -1

  override def start: Long = startRow

  override def valueOf(e: RowExpression): Any = {
    // Nothing of a tested row.
    pointerRow.pointFrom(e.pointers, startRow, -1)
    e.expression.eval(pointerRow)
  }

  override def testAnchored(symbol: Int, start: Long, row: Long): Int =
    input.testAnchored(symbol, start, row)

  override def steadyEnd(
      symbol: Int,
      isTrue: Boolean,
      start: Long,
      row: Long,
      limit: Long
  ): Long = {
    if (rows < 0) begin()
    startRow = start
    val condition = nodes(symbol)
    val steady = if (isTrue) Zones.All else Zones.No
    var at = row + 1
    var isSteady = true
    while (isSteady && at < limit) {
      // Up to 64 rows of a zone, each of them compared.
      work.add(Zones.Size.toLong)
      val level = steadyLevel(condition, steady, at)
      if (level > 0) at = (at & -(1L << (level * Zones.Bits))) + (1L << (level * Zones.Bits))
      else {
        val zone = (at >>> Zones.Bits).toInt
        val later = -1L << at
        val rest =
          if (isTrue) later & ~condition.certain(zone, later)
          else condition.possible(zone, later)
        if (rest == 0) at = (zone + 1L) << Zones.Bits
        else {
          at = (zone.toLong << Zones.Bits) + java.lang.Long.numberOfTrailingZeros(rest)
          isSteady = false
        }
      }
    }
    at.min(limit)
  }

  /** The highest level whose zone begins at the row and is known to be steady, or 0. */
  private def steadyLevel(condition: Node, steady: Int, row: Long): Int = {
    // A zone of rows need not begin at the row, if it is steady.
    val canRise = condition.state(1, (row >>> Zones.Bits).toInt) == steady
    var level = if (canRise) 1 else 0
    while (
      canRise && isFirst(row, level + 1) && (1L << ((level + 1) * Zones.Bits)) < rows &&
      condition.state(level + 1, (row >>> ((level + 1) * Zones.Bits)).toInt) == steady
    ) level += 1
    level
  }

  private def isFirst(row: Long, level: Int): Boolean =
    (row & ((1L << (level * Zones.Bits)) - 1)) == 0

  private def begin(): Unit = {
    rows = store.length
    startRow = -1
    values.valuesIterator.foreach(_.reset(rows))
    nodes.foreach(n => if (n != null) n.reset(rows))
  }

  /** Of a row-local condition, whose truths the evaluator remembers. */
  private def newTest(symbol: Int): TestZones =
    new TestZones(input.testLocal(symbol, _), store, input.truthWords(symbol))

  private def newTest(test: RowExpression, nullIsFalse: Boolean): TestZones = {
    val predicate = ConditionPredicate(test.expression)
    val isNull = if (nullIsFalse) null else ConditionPredicate(IsNull(test.expression))
    def truth(row: Long): Int = {
      pointerRow.pointFrom(test.pointers, startRow, row)
      try
        if (predicate.eval(pointerRow)) Truth.True
        else if (isNull != null && isNull.eval(pointerRow)) Truth.Failed
        else Truth.False
      catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Truth.Failed }
    }
    new TestZones(truth, store)
  }

  private def newValues(value: RowExpression): ValueZones = {
    val dataType = value.expression.dataType
    value.expression match {
      case BoundReference(ordinal, _, _) if isOwnColumn(ordinal, value.pointers) =>
        val column = conditions.fields(ordinal).asInstanceOf[PointerField.Fixed].column
        new ValueZones(
          store.isNullFixed(column, _),
          row => Ordinals.ofRaw(store.fixed(column, row), dataType),
          store
        )
      case expression =>
        val projection = ConditionValues(Seq(expression))
        def evaluate(row: Long) = {
          pointerRow.pointFrom(value.pointers, startRow, row)
          projection(pointerRow)
        }
        new ValueZones(
          row => evaluate(row).isNullAt(0),
          row => Ordinals.of(evaluate(row).get(0, dataType)),
          store
        )
    }
  }

  private def isOwnColumn(ordinal: Int, pointers: Array[PointerProgram]): Boolean =
    conditions.fields(ordinal).isInstanceOf[PointerField.Fixed] &&
      pointers.forall(_.physical == 0) && ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  private def key(e: RowExpression): Any = (e.expression, LiteralTexts(e.expression))

  private def node(tree: ConditionTree): Node = tree match {
    case ConditionTree.RowLocal(test, nullIsFalse) =>
      val zones = tests.getOrElseUpdate((key(test), nullIsFalse), newTest(test, nullIsFalse))
      new TestNode(zones)
    case threshold: ConditionTree.Threshold =>
      val value = threshold.value
      val zones = values.getOrElseUpdate(key(value), newValues(value))
      threshold.function.fold[Node](new ThresholdNode(zones, threshold, this)) { function =>
        new FunctionNode(zones, threshold, function, this)
      }
    case ConditionTree.AllOf(parts) =>
      new AllNode(parts.map(node).toArray, parts.map(_.mayFail).toArray)
    case ConditionTree.AnyOf(parts) =>
      new AnyNode(parts.map(node).toArray, parts.map(_.mayFail).toArray)
    case _: ConditionTree.Opaque => OpaqueNode
  }
}
