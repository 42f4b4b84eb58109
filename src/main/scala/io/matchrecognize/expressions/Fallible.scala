package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.execution.ScalarSubquery
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructType, UserDefinedType}

/**
 * Whether the evaluation of an expression may raise an error (ANSI mode's overflow, a bad cast, a
 * function's own). Only common expressions that cannot, for any values of their types, are
 * recognised; `ExpressionFactsSuite` evaluates each of them.
 */
object Fallible {
  def apply(e: Expression): Boolean = !cannotFail(e) || e.children.exists(apply)

  /** Whether an expression cannot fail if its children do not. */
  private[matchrecognize] def cannotFail(e: Expression): Boolean =
    infallible.get(e.getClass).exists(_(e))

  private[matchrecognize] val infallible: Map[Class[_], Expression => Boolean] =
    Seq[Class[_]](
      classOf[BoundReference],
      classOf[AttributeReference],
      classOf[Navigation],
      classOf[Literal],
      classOf[And],
      classOf[Or],
      classOf[Not],
      classOf[IsNull],
      classOf[IsNotNull],
      classOf[IsNaN],
      classOf[Coalesce],
      classOf[If],
      classOf[CaseWhen],
      classOf[Length],
      classOf[GetStructField],
      classOf[BitwiseAnd],
      classOf[BitwiseOr],
      classOf[BitwiseXor],
      classOf[BitwiseNot],
      classOf[ConditionBit],
      // Its subquery has run before the first row is tested, as that of InCollectedSet.
      classOf[ScalarSubquery]
    ).map(_ -> ((_: Expression) => true)).toMap ++
      Seq[Class[_]](
        classOf[EqualTo],
        classOf[EqualNullSafe],
        classOf[LessThan],
        classOf[LessThanOrEqual],
        classOf[GreaterThan],
        classOf[GreaterThanOrEqual],
        classOf[In],
        classOf[InSet],
        classOf[InCollectedSet]
      ).map(_ -> ((e: Expression) => e.children.forall(c => isCompared(c.dataType)))) ++
      Seq[Class[_]](
        classOf[StartsWith],
        classOf[EndsWith],
        classOf[Contains],
        classOf[Upper],
        classOf[Lower]
      ).map(_ -> ((e: Expression) => e.children.forall(_.dataType == StringType))) ++
      Seq[Class[_]](
        classOf[Add],
        classOf[Subtract],
        classOf[Multiply],
        classOf[UnaryMinus],
        classOf[Abs]
      ).map(_ -> ((e: Expression) => Floating(e.dataType))) +
      (classOf[Cast] -> {
        case c: Cast => Casts.cannotFail(c.child.dataType, c.dataType)
        case _ => false
      })

  /** Spark 4.1 lets GEOMETRY and GEOGRAPHY be compared, and each comparison fails. */
  private def isCompared(dataType: DataType): Boolean = dataType match {
    case ArrayType(element, _) => isCompared(element)
    case StructType(fields) => fields.forall(field => isCompared(field.dataType))
    case ofUser: UserDefinedType[_] => isCompared(ofUser.sqlType)
    case other => !other.typeName.startsWith("geo")
  }
}
