package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.Attribute

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.pointer.AggregateProgram
import io.matchrecognize.expressions.ConditionBit
import io.matchrecognize.matcher.{RegisterReads, RowRegister, SymbolSet}

/**
 * What compiled clauses keep between micro-batches, as text: the columns of the rows, the registers
 * and aggregates of the threads in their order, and which of them each condition reads. They are
 * written without their names, so the state of another layout would be misread.
 *
 * The conditions are those that the optimizer has left, and it may leave others when the query
 * starts again: with other rules, in another version of Spark, or because a value of the session is
 * another one.
 */
object StateDescription {

  /** What the clauses share. */
  def of(program: StreamProgram): Seq[(String, String)] = Seq("rows in the state" -> rows(program))

  /** What a clause has alone. */
  def of(program: StreamProgram, number: Int): Seq[(String, String)] = {
    val (clause, streamed) = (program.clauses(number), program.perClause(number))
    val conditions = clause.conditions
    val names = clause.automaton.symbols
    val plan = conditions.registers
    def all[T](items: Seq[T])(text: T => String): String = items.map(text).mkString(", ")
    val bits = conditions.bySymbol.toSeq.flatten.flatMap(_.expression.collect {
      case bit: ConditionBit => bit
    })
    val layout = Seq(
      "rows before a match" -> streamed.lookBack.toString,
      "state without a match" -> streamed.endless.mkString(", "),
      "registers of DEFINE" -> all(plan.rows)(register(_, names)),
      "labels of DEFINE" -> all(plan.labels)(register(_, names)),
      "aggregates of DEFINE" -> all(conditions.folds.toSeq)(aggregate),
      "bits of DEFINE" -> all(bits.distinct)(bit => s"${bit.number} ${bit.written}"),
      // Searches are saved in another form with them, and queued for them.
      "deadlines of DEFINE" -> (if (conditions.deadlines.isDefined) "found" else "")
    )
    val reads = names.zip(plan.reads).zip(conditions.bySymbol).collect {
      case ((name, read), Some(condition)) =>
        s"state for DEFINE ${UserText.quoted(name)}" ->
          (if (condition.rowLocal) "" else readBy(read))
    }
    layout ++ reads
  }

  /** Columns with their types. */
  def columns(all: Seq[Attribute]): String =
    all.map(c => s"${UserText.quoted(c.name)} ${c.dataType.sql}").mkString(", ")

  private def rows(program: StreamProgram): String = {
    val schema = program.task.schema
    columns((schema.fixed ++ schema.variable).toSeq.map(program.task.input))
  }

  private def register(register: RowRegister, names: IndexedSeq[String]): String = {
    val function = if (register.fromFirst) "FIRST" else "LAST"
    s"$function(${symbols(register.symbols, names)}, ${register.offset})"
  }

  private def symbols(set: SymbolSet, names: IndexedSeq[String]): String =
    names.indices.filter(set.contains).map(names).mkString(" | ")

  private def aggregate(program: AggregateProgram): String = {
    val function = program.function
    val types = function.children.map(_.dataType.sql).mkString(", ")
    val buffer = function.aggBufferSchema.map(_.dataType.sql).mkString(", ")
    s"${program.written} of ($types) as ($buffer)"
  }

  private def readBy(read: RegisterReads): String = {
    def numbers(what: String, set: Set[Int]): Option[String] =
      Option.when(set.nonEmpty)(s"$what ${set.toSeq.sorted.mkString(", ")}")
    val parts = Seq(
      numbers("registers", read.rows),
      numbers("labels", read.labels),
      numbers("aggregates", read.folds),
      Option.when(read.allLabels)("all labels")
    ).flatten
    if (parts.isEmpty) "the match" else parts.mkString("; ")
  }
}
