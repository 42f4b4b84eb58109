package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  DeclarativeAggregate,
  ImperativeAggregate,
  TypedImperativeAggregate
}
import org.apache.spark.sql.types.{BinaryType, DataType}

/**
 * One aggregate function on buffers of its own: how to make, update, copy and evaluate them, and
 * how to convert them to bytes.
 */
private[execution] abstract class AggregateRunner {
  def newBuffer(): InternalRow
  def update(buffer: InternalRow): Unit
  def copy(buffer: InternalRow): InternalRow = buffer.copy()
  def evaluate(buffer: InternalRow): Any

  /** Whether equal buffers mean equal values. */
  def comparable: Boolean = false

  def toBytes(buffer: InternalRow): Array[Byte]
  def fromBytes(bytes: Array[Byte]): InternalRow
}

private[execution] object AggregateRunner {

  def unsafeRow(bytes: Array[Byte], fields: Int): UnsafeRow = {
    val row = new UnsafeRow(fields)
    row.pointTo(bytes, bytes.length)
    row
  }

  /** Buffers of several values as an UnsafeRow and back. */
  private final class BufferBytes(types: Seq[DataType]) {
    private val toUnsafe = UnsafeProjection.create(types.toArray[DataType])

    def apply(buffer: InternalRow): Array[Byte] = toUnsafe(buffer).getBytes

    def read(bytes: Array[Byte]): InternalRow = {
      val values = unsafeRow(bytes, types.length).toSeq(types).map(InternalRow.copyValue)
      new GenericInternalRow(values.toArray)
    }
  }

  private def boundReferences(
      expression: Expression,
      buffer: Seq[AttributeReference]
  ): Expression = {
    // The pointer row's fields follow the buffer's in the joined row.
    val shifted = expression.transform { case BoundReference(ordinal, dataType, nullable) =>
      BoundReference(ordinal + buffer.length, dataType, nullable)
    }
    BindReferences.bindReference(shifted, buffer)
  }

  final class Declarative(function: DeclarativeAggregate, pointerRow: InternalRow)
      extends AggregateRunner {
    private val attributes = function.aggBufferAttributes
    private val types: Seq[DataType] = attributes.map(_.dataType)
    private val isUnsafe = types.forall(UnsafeRow.isMutable)
    // Interpreted, as the updates are at first; see LateCompiledProjection.
    private val initialValues = function.initialValues.map(_.eval()).toArray
    private val initialUnsafe: UnsafeRow =
      if (isUnsafe)
        InterpretedUnsafeProjection
          .createProjection(function.initialValues)(InternalRow.empty)
          .copy()
      else null
    private val updateBuffer =
      new LateCompiledProjection(function.updateExpressions.map(boundReferences(_, attributes)))
    private val evaluation: InternalRow => Any =
      boundReferences(function.evaluateExpression, attributes) match {
        case field: BoundReference => field.eval(_)
        case computed =>
          val result = new SpecificInternalRow(Seq(function.dataType))
          val projection = new LateCompiledProjection(Seq(computed))
          buffer => {
            projection(result, buffer)
            result.get(0, function.dataType)
          }
      }
    private val joined = new JoinedRow

    override def newBuffer(): InternalRow =
      if (isUnsafe) initialUnsafe.copy() else new GenericInternalRow(initialValues.clone())

    override def update(buffer: InternalRow): Unit =
      updateBuffer(buffer, joined(buffer, pointerRow))

    override def evaluate(buffer: InternalRow): Any = InternalRow.copyValue(evaluation(buffer))

    override def comparable: Boolean = true

    private lazy val bytes = new BufferBytes(types)

    override def toBytes(buffer: InternalRow): Array[Byte] = buffer match {
      case row: UnsafeRow => row.getBytes
      case row => bytes(row)
    }

    override def fromBytes(from: Array[Byte]): InternalRow =
      if (isUnsafe) unsafeRow(from, types.length) else bytes.read(from)
  }

  final class Imperative(function: ImperativeAggregate, pointerRow: InternalRow)
      extends AggregateRunner {
    private val own = function.withNewMutableAggBufferOffset(0).withNewInputAggBufferOffset(0)
    private val types = own.aggBufferSchema.map(_.dataType)
    private val binaryFields = types.indices.filter(types(_) == BinaryType)

    override def newBuffer(): InternalRow = {
      val buffer = new SpecificInternalRow(types)
      own.initialize(buffer)
      buffer
    }

    override def update(buffer: InternalRow): Unit = own.update(buffer, pointerRow)

    // Some functions change an array of bytes in place, which a row's copy shares.
    override def copy(buffer: InternalRow): InternalRow = {
      val copied = buffer.copy()
      binaryFields.foreach { i =>
        if (!copied.isNullAt(i)) copied.update(i, copied.getBinary(i).clone())
      }
      copied
    }

    override def evaluate(buffer: InternalRow): Any = own.eval(buffer)

    private lazy val bytes = new BufferBytes(types)

    override def toBytes(buffer: InternalRow): Array[Byte] = bytes(buffer)

    override def fromBytes(from: Array[Byte]): InternalRow = bytes.read(from)
  }

  /**
   * A buffer holds Spark's object and, as bytes, the state before the last copy if that cannot be
   * updated further. The two are merged for the result as Spark merges partial aggregates.
   */
  final class Typed[T](function: TypedImperativeAggregate[T], pointerRow: InternalRow)
      extends AggregateRunner {
    private val own = function
      .withNewMutableAggBufferOffset(0)
      .withNewInputAggBufferOffset(0)
      .asInstanceOf[TypedImperativeAggregate[T]]
    private lazy val updatable: Option[Class[_]] =
      Option(own.createAggregationBuffer()).map(_.getClass)

    override def newBuffer(): InternalRow = buffer(own.createAggregationBuffer(), null)

    private def buffer(latest: T, earlier: Array[Byte]): InternalRow =
      new GenericInternalRow(Array[Any](latest, earlier))

    override def update(buffer: InternalRow): Unit = own.update(buffer, pointerRow)

    // The function may reuse the array that it returns, and the copy may point into it.
    override def copy(buffer: InternalRow): InternalRow = fromBytes(toBytes(buffer).clone())

    override def evaluate(buffer: InternalRow): Any =
      own.eval(new GenericInternalRow(Array[Any](merged(buffer))))

    override def toBytes(buffer: InternalRow): Array[Byte] = own.serialize(merged(buffer))

    // Some sketches are deserialised to another class, which can only be merged. NULL has none: the
    // zero of a function of the user may be NULL, and so may a later buffer.
    override def fromBytes(bytes: Array[Byte]): InternalRow = {
      val read = own.deserialize(bytes)
      if (read == null || updatable.forall(_ == read.getClass)) buffer(read, null)
      else buffer(own.createAggregationBuffer(), bytes)
    }

    private def merged(buffer: InternalRow): T = {
      val values = buffer.asInstanceOf[GenericInternalRow].values
      val latest = values(0).asInstanceOf[T]
      val earlier = values(1).asInstanceOf[Array[Byte]]
      if (earlier == null) latest
      else {
        val first = own.merge(own.createAggregationBuffer(), own.deserialize(earlier.clone()))
        own.merge(first, own.deserialize(own.serialize(latest)))
      }
    }
  }
}
