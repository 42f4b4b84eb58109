package io.matchrecognize.execution.truth

import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.{CodeGeneratorWithInterpretedFallback, UnsafeRow}
import org.apache.spark.sql.types.DecimalType

import io.matchrecognize.execution.compile.RowConditions
import io.matchrecognize.execution.pointer.PointerField
import io.matchrecognize.execution.rows.{RowChunk, Rows}
import io.matchrecognize.expressions.FloatingComparison

/** The truths of row-local conditions, found for many rows by one loop over their vectors. */
abstract class TruthLoop {

  /**
   * Finds the truths on the rows from index `from` to before `to` of a chunk, where all rows that
   * the conditions read are rows of the chunk. Bits are set as in [[TruthBits]].
   *
   * @param at
   *   the index in `truths` of the chunk's first row
   */
  def find(chunk: RowChunk, keys: UnsafeRow, from: Int, to: Int, truths: Array[Byte], at: Int): Unit
}

/**
 * The truths of one partition that a generated loop finds, for as many rows at a time as
 * [[TruthBits]] has in an array.
 */
final class ChunkTruths private (program: LoopedConditions, loop: TruthLoop, store: Rows) {

  /** Finds the truths on all rows of a block. */
  def find(number: Int, keys: UnsafeRow, truths: Array[Byte]): Unit = {
    var row = number.toLong << RowChunk.Shift
    val end = math.min(row + RowChunk.MaxRows, store.length)
    while (row < end) {
      val chunk = store.chunk(row)
      if (chunk == null) row = end
      else {
        val (until, at) = (chunk.length - program.ahead, row.toInt & RowChunk.Mask)
        loop.find(chunk, keys, program.back, until, truths, at)
        row += chunk.length
      }
    }
  }
}

object ChunkTruths {

  /** None if no condition is evaluated by a loop. */
  def apply(conditions: RowConditions, store: Rows): Option[ChunkTruths] =
    for {
      looped <- LoopedConditions.of(conditions)
      loop <- GenerateTruthLoop.createObject(looped)
    } yield new ChunkTruths(looped, loop, store)
}

/** Generates the loop; None where code is not generated or does not compile. */
object GenerateTruthLoop
    extends CodeGeneratorWithInterpretedFallback[LoopedConditions, Option[TruthLoop]] {

  override protected def createInterpretedObject(in: LoopedConditions): Option[TruthLoop] = None

  override protected def createCodeGeneratedObject(in: LoopedConditions): Option[TruthLoop] =
    if (isVisible) generate(in) else None

  /** Janino finds classes by the thread's class loader, which may be another than the plugin's. */
  private def isVisible: Boolean = {
    val loader = Thread.currentThread.getContextClassLoader
    val ours = classOf[TruthLoop]
    try loader == null || (loader.loadClass(ours.getName) eq ours)
    catch { case _: ClassNotFoundException => false }
  }

  private def generate(in: LoopedConditions): Option[TruthLoop] = {
    val ctx = new CodegenContext
    val base = classOf[TruthLoop].getName
    val body = loop(ctx, in)
    val source = s"""
      |public java.lang.Object generate(Object[] references) {
      |  return new SpecificTruthLoop(references);
      |}
      |class SpecificTruthLoop extends $base {
      |  private Object[] references;
      |  ${ctx.declareMutableStates()}
      |  public SpecificTruthLoop(Object[] references) {
      |    this.references = references;
      |    ${ctx.initMutableStates()}
      |  }
      |  public void find(${classOf[RowChunk].getName} chunk, UnsafeRow keys, int from, int to,
      |      byte[] truths, int at) {
      |    $body
      |  }
      |  ${ctx.declareAddedFunctions()}
      |}""".stripMargin
    val code = CodeFormatter.stripOverlappingComments(
      new CodeAndComment(source, ctx.getPlaceHolderToComments())
    )
    val (made, stats) = CodeGenerator.compile(code)
    Option.when(stats.maxMethodCodeSize <= CodeGenerator.DEFAULT_JVM_HUGE_METHOD_LIMIT) {
      made.generate(ctx.references.toArray).asInstanceOf[TruthLoop]
    }
  }

  private def loop(ctx: CodegenContext, in: LoopedConditions): String = {
    val read = in.read
    val columns = read.map(in.fields).collect { case f: PointerField.Fixed => f.column }.distinct
    val isNullable = in.of.schema.fixedNullable
    val arrays = columns.map { c =>
      s"long[] column$c = chunk.longs()[$c];" +
        (if (isNullable(c)) s" byte[] nulls$c = chunk.nulls()[$c];" else "")
    }
    // A row for each pointer to variable-length columns.
    val pointers = read.map(in.fields).collect { case f: PointerField.Variable => f.pointer }
    val rows =
      pointers.distinct.map(p =>
        s"UnsafeRow row$p = new UnsafeRow(${in.of.schema.variable.length});"
      )
    val moves = pointers.distinct.map(p => s"chunk.pointTo(i + ${in.distances(p)}, row$p);")
    val (variables, reads) = read
      .map(i => i -> field(in, in.fields(i), i))
      .map { case (i, (variable, code)) =>
        (i -> variable, code)
      }
      .unzip
    val byOrdinal = variables.toMap
    ctx.INPUT_ROW = null
    ctx.currentVars = in.fields.indices.map(i => byOrdinal.getOrElse(i, null))
    val tests = in.conditions.groupBy(_._1 >> 2).toSeq.sortBy(_._1).map { case (byte, conditions) =>
      val bits = conditions.map { case (symbol, condition) =>
        val truth = FloatingComparison.in(condition.expression).genCode(ctx)
        s"""${truth.code}
           |bits$byte |= (!${truth.isNull} && ${truth.value} ? 3 : 1) << ${(symbol & 3) * 2};
         """.stripMargin
      }
      s"""int bits$byte = 0;
         |${bits.mkString("\n")}
         |truths[(at + i) * ${in.bytesPerRow} + $byte] |= (byte) bits$byte;""".stripMargin
    }
    s"""${(arrays ++ rows).mkString("\n")}
       |for (int i = from; i < to; i++) {
       |  ${(moves ++ reads ++ tests).mkString("\n")}
       |}""".stripMargin
  }

  /** A field's variables, and the code that sets them for row `i`. */
  private def field(in: LoopedConditions, of: PointerField, number: Int): (ExprCode, String) = {
    val javaType = CodeGenerator.javaType(of.dataType)
    def variables(value: String, isNull: String): (ExprCode, String) = (
      ExprCode(
        JavaCode.isNullVariable(s"isNull$number"),
        JavaCode.variable(s"value$number", of.dataType)
      ),
      s"""boolean isNull$number = $isNull;
         |$javaType value$number = isNull$number ?
         |  ${CodeGenerator.defaultValue(of.dataType)} : $value;""".stripMargin
    )
    of match {
      case PointerField.Fixed(pointer, column, dataType) =>
        val at = s"i + ${in.distances(pointer)}"
        val raw = s"column$column[$at]"
        val value = javaType match {
          case CodeGenerator.JAVA_BOOLEAN => s"((byte) $raw != 0)"
          case CodeGenerator.JAVA_LONG => raw
          case CodeGenerator.JAVA_DOUBLE => s"Double.longBitsToDouble($raw)"
          case CodeGenerator.JAVA_FLOAT => s"Float.intBitsToFloat((int) $raw)"
          case "Decimal" =>
            val decimal = dataType.asInstanceOf[DecimalType]
            s"Decimal.createUnsafe($raw, ${decimal.precision}, ${decimal.scale})"
          case narrow => s"($narrow) $raw"
        }
        variables(
          value,
          if (in.of.schema.fixedNullable(column)) s"nulls$column[$at] != 0" else "false"
        )
      case PointerField.Variable(pointer, column, dataType) =>
        val value = CodeGenerator.getValue(s"row$pointer", dataType, column.toString)
        variables(value, s"row$pointer.isNullAt($column)")
      case PointerField.Key(_, column, dataType) =>
        val value = CodeGenerator.getValue("keys", dataType, column.toString)
        variables(value, s"keys.isNullAt($column)")
      case _ => variables("true", "false")
    }
  }
}
