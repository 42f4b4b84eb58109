package io.matchrecognize.execution.truth

import java.util.Arrays
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled
import io.matchrecognize.execution.condition.RowExpression
import io.matchrecognize.execution.pointer.{PointerBase, PointerField, PointerProgram}
import io.matchrecognize.execution.rows.{RowChunk, StoreSchema}
import io.matchrecognize.expressions.{ExpressionExamples, Fallible, MayShare}
import io.matchrecognize.matcher.MatchInput

/**
 * Loops over rows that several threads run at the same time, of everything that such a loop takes:
 * expressions of all classes that cannot fail, over columns of all types.
 */
class SharedLoopsSuite extends AnyFunSuite with ExpressionExamples {
  private val chunkCount = 1
  private val rows = if (effort == 1) 100000 else 1000000

  private def isShared(e: Expression): Boolean = {
    val ctx = new CodegenContext
    e.genCode(ctx)
    MayShare(ctx.references)
  }

  private def isReadable(dataType: DataType): Boolean =
    !UnsafeRow.isFixedLength(dataType) || CodeGenerator.isPrimitiveType(dataType) ||
      dataType.isInstanceOf[DecimalType]

  /** A condition that depends on all values of an expression. */
  private def conditionOf(e: Expression): Expression =
    if (e.dataType == BooleanType) e
    else {
      val hash = Murmur3Hash(Seq(e), 42)
      // Spark has no code for the hash of some types.
      def hasCode = Try(hash.genCode(new CodegenContext)).isSuccess
      if (hash.checkInputDataTypes().isSuccess && hasCode)
        EqualTo(BitwiseAnd(hash, Literal(1)), Literal(0))
      else IsNull(e)
    }

  /** Examples of each class, over columns that the loop reads. */
  private def accepted: Seq[Expression] = {
    val found = examples(Fallible.infallible.contains)
      .filter(e => !Fallible(e) && columnsOf(e).nonEmpty && columnsOf(e).size <= 3)
      .filter(e => columnsOf(e).forall(c => isReadable(c.dataType)))
    found.groupBy(_.getClass).values.flatMap(random.shuffle(_).take(math.min(4 * effort, 12))).toSeq
  }

  /** Conditions of a loop, each over columns of its own, and chunks of rows. */
  private final class Loop(expressions: Seq[Expression]) {
    private val types = expressions.flatMap { e =>
      val columns = columnsOf(e)
      (0 to columns.last.ordinal).map(i =>
        columns.find(_.ordinal == i).fold[DataType](IntegerType)(_.dataType)
      )
    }
    private val starts = expressions.scanLeft(0)((at, e) => at + columnsOf(e).last.ordinal + 1)
    private val schema = StoreSchema.of(types.indices, types, _ => true)
    private val fields = types.zipWithIndex.map { case (t, i) =>
      if (UnsafeRow.isFixedLength(t)) PointerField.Fixed(1, schema.fixed.indexOf(i), t)
      else PointerField.Variable(1, schema.variable.indexOf(i), t)
    }
    private val pointer = PointerProgram(1, PointerBase.Current, 0)
    private val conditions = expressions.zip(starts).zipWithIndex.map { case ((e, start), symbol) =>
      val moved = e.transform { case r: BoundReference => r.copy(ordinal = r.ordinal + start) }
      symbol -> RowExpression(conditionOf(moved), Array(pointer), true, false, false)
    }
    private val truthBytes = MatchInput.truthBytes(expressions.length)
    val program: LoopedConditions = LoopedConditions(
      conditions,
      fields.toIndexedSeq,
      schema.variable.length,
      schema.fixedNullable.toIndexedSeq,
      truthBytes,
      isComplete = true
    )

    private val chunks: Seq[RowChunk] = {
      val toUnsafe = UnsafeProjection.create(types.toArray)
      val pools = types.distinct.map(t => t -> values(t)).toMap
      Seq.fill(chunkCount) {
        val chunk = new RowChunk(schema, RowChunk.MaxRows, RowChunk.FirstBytes)
        while (!chunk.isFull) {
          val row = toUnsafe(InternalRow(types.map(t => pick(pools(t))): _*))
          val grown = chunk.grownSize(row)
          if (grown > 0) chunk.grow(grown)
          chunk.append(row)
        }
        chunk
      }
    }

    def truths(loop: TruthLoop): Seq[Array[Byte]] = chunks.map { chunk =>
      val found = new Array[Byte](chunk.length * truthBytes)
      loop.find(chunk, null, 0, chunk.length, found)
      found
    }

    /** Whether a condition is TRUE on some rows and not on others. */
    def differs(truths: Seq[Array[Byte]]): Boolean = truths.exists(_.distinct.length > 1)
  }

  test("two loops at once find what one finds") {
    val pool = Executors.newFixedThreadPool(2)
    try
      Seq(true, false).take(effort).foreach { ansi =>
        val (shared, alone) = withSettings(ansi)(accepted).partition(isShared)
        val classes = shared.map(_.getClass).toSet
        // What no thread shares is not on the list for nothing: other loops take it.
        assert((alone.map(_.getClass).toSet -- classes) == Set.empty)
        withSettings(ansi) {
          Sampled.oneIn(2, shared.grouped(20).toSeq).foreach { some =>
            val loop = new Loop(some)
            val first = GenerateTruthLoop.createObject(loop.program).get
            assert(first.mayShare, some)
            val expected = loop.truths(first.loop)
            assert(loop.differs(expected))
            val rounds = math.max(1, rows / (chunkCount * RowChunk.MaxRows))
            val barrier = new CyclicBarrier(2)
            val runs =
              Seq(first.loop, GenerateTruthLoop.createObject(loop.program).get.loop).map { mine =>
                pool.submit(new Callable[Boolean] {
                  override def call(): Boolean = {
                    barrier.await()
                    (0 until rounds).forall { _ =>
                      loop.truths(mine).zip(expected).forall { case (a, b) => Arrays.equals(a, b) }
                    }
                  }
                })
              }
            assert(runs.forall(_.get), some)
          }
        }
      }
    finally pool.shutdownNow()
  }
}
