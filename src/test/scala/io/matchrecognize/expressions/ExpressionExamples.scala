package io.matchrecognize.expressions

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.matchrecognize.shims.MinorClass

/**
 * For each class of expressions that the plugin knows something of, expressions over columns of all
 * types, or of all pairs of types, that Spark allows. Their ordinals are from 0.
 */
trait ExpressionExamples extends ExtremeValues {

  private def isTyped(e: Expression): Boolean =
    Try(e.resolved && e.checkInputDataTypes().isSuccess).getOrElse(false)

  private def unary(make: Expression => Expression): () => Seq[Expression] =
    () => allTypes.map(t => make(ref(0, t)))

  private def binary(make: (Expression, Expression) => Expression): () => Seq[Expression] =
    () => for (x <- allTypes; y <- allTypes) yield make(ref(0, x), ref(1, y))

  private def same(make: DataType => Seq[Expression]): () => Seq[Expression] =
    () => allTypes.flatMap(make)

  private def zone: Option[String] = Some(SQLConf.get.sessionLocalTimeZone)

  private def casts(): Seq[Expression] = for (from <- allTypes; to <- allTypes)
    yield Cast(ref(0, from), to, zone)

  private def literalsOf(dataType: DataType, count: Int): Seq[Literal] =
    Seq.fill(count)(pick(values(dataType))).map(Literal(_, dataType))

  private def arithmetic(make: (Expression, Expression) => Expression): () => Seq[Expression] =
    () => {
      val columns = for (x <- allTypes; y <- allTypes) yield make(ref(0, x), ref(1, y))
      val constants =
        Seq(Literal(3L), Literal(-2L), Literal(7), Literal(0.7), Literal(1.5f), Literal(1e300)) ++
          Seq(Literal(Decimal("2.5")), Literal(Decimal("0.001"))) ++
          numbers.flatMap(literalsOf(_, 2))
      columns ++ constants.flatMap { l =>
        val x = ref(0, l.dataType)
        Seq(make(x, l), make(l, x))
      }
    }

  /** By their class; they have the modes of the session. */
  private val makers: Map[Class[_], () => Seq[Expression]] = Map[Class[_], () => Seq[Expression]](
    classOf[BoundReference] -> unary(identity),
    classOf[Literal] -> same(literalsOf(_, 2)),
    classOf[EqualTo] -> binary(EqualTo(_, _)),
    classOf[EqualNullSafe] -> binary(EqualNullSafe(_, _)),
    classOf[LessThan] -> binary(LessThan(_, _)),
    classOf[LessThanOrEqual] -> binary(LessThanOrEqual(_, _)),
    classOf[GreaterThan] -> binary(GreaterThan(_, _)),
    classOf[GreaterThanOrEqual] -> binary(GreaterThanOrEqual(_, _)),
    classOf[And] -> binary(And(_, _)),
    classOf[Or] -> binary(Or(_, _)),
    classOf[Not] -> unary(Not(_)),
    classOf[IsNull] -> unary(IsNull(_)),
    classOf[IsNotNull] -> unary(IsNotNull(_)),
    classOf[IsNaN] -> unary(IsNaN(_)),
    classOf[In] -> same(t => Seq(In(ref(0, t), Seq(ref(1, t), Literal(pick(values(t)), t))))),
    classOf[InSet] -> same { t =>
      val found = values(t).filter(_ != null)
      // Spark makes sets of lists that it has checked.
      if (!isTyped(In(ref(0, t), Seq(ref(0, t))))) Nil
      else
        Seq(3, 300).map(n => InSet(ref(0, t), random.shuffle(found).take(n).toSet)) :+
          InSet(ref(0, t), (found.take(2) :+ null).toSet)
    },
    classOf[Coalesce] -> same(t => Seq(Coalesce(Seq(ref(0, t), ref(1, t))))),
    classOf[If] -> same(t => Seq(If(IsNull(ref(0, t)), ref(1, t), ref(0, t)))),
    classOf[CaseWhen] -> same { t =>
      val (x, y) = (ref(0, t), ref(1, t))
      Seq(CaseWhen(Seq(IsNull(x) -> y, IsNotNull(y) -> x)), CaseWhen(Seq(IsNull(x) -> y), Some(x)))
    },
    classOf[Length] -> unary(Length(_)),
    classOf[GetStructField] -> same {
      case s: StructType => s.fields.indices.map(GetStructField(ref(0, s), _))
      case _ => Nil
    },
    classOf[BitwiseAnd] -> binary(BitwiseAnd(_, _)),
    classOf[BitwiseOr] -> binary(BitwiseOr(_, _)),
    classOf[BitwiseXor] -> binary(BitwiseXor(_, _)),
    classOf[BitwiseNot] -> unary(BitwiseNot(_)),
    classOf[ConditionBit] -> (() => Seq(ConditionBit(ref(0, LongType), 70, "condition"))),
    classOf[InCollectedSet] -> same { t =>
      val found = values(t).filter(_ != null)
      val some = new GenericArrayData(random.shuffle(found).take(9).toArray[Any])
      if (!RowOrdering.isOrderable(t)) Nil
      else Seq(InCollectedSet(Literal(some, ArrayType(t, containsNull = false)), ref(0, t)))
    },
    classOf[StartsWith] -> binary(StartsWith(_, _)),
    classOf[EndsWith] -> binary(EndsWith(_, _)),
    classOf[Contains] -> binary(Contains(_, _)),
    classOf[Upper] -> unary(Upper(_)),
    classOf[Lower] -> unary(Lower(_)),
    classOf[Add] -> arithmetic(new Add(_, _)),
    classOf[Subtract] -> arithmetic(new Subtract(_, _)),
    classOf[Multiply] -> arithmetic(new Multiply(_, _)),
    classOf[Divide] -> arithmetic(new Divide(_, _)),
    classOf[IntegralDivide] -> arithmetic(new IntegralDivide(_, _)),
    classOf[UnaryMinus] -> unary(new UnaryMinus(_)),
    classOf[Abs] -> unary(new Abs(_)),
    classOf[Cast] -> (() => casts()),
    classOf[SubtractTimestamps] -> binary(SubtractTimestamps(_, _, legacyInterval = false, zone)),
    classOf[SubtractDates] -> binary(SubtractDates(_, _, legacyInterval = false)),
    classOf[ExactDateDiff] -> (() => Seq(ExactDateDiff(ref(0, DateType), ref(1, DateType)))),
    classOf[UnixSeconds] -> unary(UnixSeconds(_)),
    classOf[UnixMillis] -> unary(UnixMillis(_)),
    classOf[UnixMicros] -> unary(UnixMicros(_)),
    classOf[UnixTimestamp] -> unary(UnixTimestamp(_, Literal("yyyy"), zone, failOnError = true)),
    classOf[ToUnixTimestamp] ->
      unary(ToUnixTimestamp(_, Literal("yyyy"), zone, failOnError = false))
  ) ++ Seq(MinorClass.TimeAdd, MinorClass.TimestampAddInterval)
    .flatMap(_.found)
    .map(found => (found: Class[_]) -> (() => plusIntervals(found)))

  private def plusIntervals(found: Class[_]): Seq[Expression] = {
    val day = 86400000000L
    val steps = Seq(0L, 1L, 3600000000L, day - 1, day, 200000000000L).flatMap(s => Seq(s, -s)) ++
      Seq(Long.MinValue, Long.MaxValue)
    val constructor = found.getConstructors.find(_.getParameterCount == 3).get
    for {
      t <- allTypes
      step <- steps
    } yield constructor
      .newInstance(ref(0, t), Literal(step, interval), zone)
      .asInstanceOf[Expression]
  }

  /** The classes that there are examples of. */
  protected def classesOfExamples: Set[Class[_]] = makers.keySet

  /** Examples of some classes, as the session has them, that Spark can evaluate. */
  protected def examples(of: Class[_] => Boolean): Seq[Expression] =
    makers.toSeq.sortBy(_._1.getName).filter(m => of(m._1)).flatMap(_._2()).filter(isTyped)

  /** The columns of an expression, by their ordinals. */
  protected def columnsOf(e: Expression): Seq[BoundReference] =
    e.collect { case r: BoundReference => r }.distinctBy(_.ordinal).sortBy(_.ordinal)

  /** The expression with ordinals from `first`. */
  private def moved(e: Expression, first: Int): Expression = e.transform { case r: BoundReference =>
    r.copy(ordinal = r.ordinal + first)
  }

  /** An expression with others for some of its columns, of which each may occur more than once. */
  protected def composed(
      outer: Expression,
      inner: Map[DataType, IndexedSeq[Expression]]
  ): Expression = {
    var used = 0
    val parts = columnsOf(outer).map { column =>
      val choices = inner.getOrElse(column.dataType, IndexedSeq.empty)
      val part =
        if (choices.isEmpty || random.nextInt(4) == 0) column.copy(ordinal = 0)
        else choices(random.nextInt(choices.length))
      val at = used
      used += columnsOf(part).lastOption.fold(0)(_.ordinal + 1)
      column.ordinal -> moved(part, at)
    }.toMap
    outer.transformUp { case r: BoundReference => parts(r.ordinal) }
  }

  /** Whether the time zone of the session changes the values. */
  protected def readsZone(e: Expression): Boolean = e.exists {
    case c: Cast => c.needsTimeZone
    case other => other.isInstanceOf[TimeZoneAwareExpression]
  }
}
