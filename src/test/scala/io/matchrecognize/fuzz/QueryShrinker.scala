package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.matcher.PatternShrinker

/** Queries slightly smaller than a given one; some are not valid. */
object QueryShrinker {
  def smaller(query: FuzzQuery): Iterator[FuzzQuery] = {
    val partitions = query.partitions.map(_.toSet)
    val lessPartitions =
      if (partitions.size < 2) Iterator.empty
      else
        partitions.iterator.map(p => query.copy(rows = query.rows.filter(p))) ++
          partitions.iterator.map(p => query.copy(rows = query.rows.filterNot(p)))
    val lessMeasures = without(query.measures).map(m => query.copy(measures = m))
    val lessConditions = without(query.conditions).map(c => query.copy(conditions = c))
    val lessSubsets = without(query.subsets).map(s => query.copy(subsets = s))
    val lessOrder =
      without(query.order).filter(_.exists(_.column == "k")).map(o => query.copy(order = o))
    val modes = Iterator(
      query.copy(skip = FuzzSkip("PAST LAST ROW", None)),
      query.copy(rowsPerMatch = "ONE ROW PER MATCH"),
      query.copy(rowsPerMatch = "ONE ROW PER MATCH", within = None),
      query.copy(kept = Nil),
      query.copy(filter = None),
      query.copy(nested = false),
      query.copy(spelling = 0)
    ) ++ query.settings.smaller.map(s => query.copy(settings = s))
    val patterns = PatternShrinker.smaller(query.pattern).map(p => query.copy(pattern = p))
    val lessRows =
      if (query.rows.size > 30) {
        val (first, second) = query.rows.splitAt(query.rows.size / 2)
        Iterator(query.copy(rows = first), query.copy(rows = second))
      } else without(query.rows).map(r => query.copy(rows = r))
    val plainerConditions = query.conditions.indices.iterator.flatMap { i =>
      val (name, condition) = query.conditions(i)
      plainer(condition).map(c => query.copy(conditions = query.conditions.updated(i, name -> c)))
    }
    val plainerMeasures = query.measures.indices.iterator.flatMap { i =>
      plainer(query.measures(i)).map(m => query.copy(measures = query.measures.updated(i, m)))
    }
    (lessPartitions ++ lessMeasures ++ lessConditions ++ lessSubsets ++ lessOrder ++ modes ++
      patterns ++ lessRows ++ plainerConditions ++ plainerMeasures).filter(_ != query)
  }

  /** Whether a difference or a sum is of another type than its operands. */
  private def readsKey(e: FuzzExpression): Boolean = e match {
    case KeyConstant(_, _) | Column(_, "o" | "t") => true
    case other => other.parts.exists(readsKey)
  }

  private def without[T](items: Seq[T]): Iterator[Vector[T]] =
    items.indices.iterator.map(i => items.toVector.patch(i, Nil, 1))

  /** Simpler expressions of the same type. */
  private def plainer(e: FuzzExpression): Iterator[FuzzExpression] = {
    val here = e match {
      case Operation("+" | "-", _) if readsKey(e) => Iterator.empty
      case Operation("AND" | "OR" | "NOT" | "+" | "-" | "||" | "COALESCE", arguments) =>
        arguments.iterator
      case Operation("CASE", Seq(_, value, other)) => Iterator(value, other)
      case Operation("ABS" | "%" | "NULLIF", arguments) => Iterator(arguments.head)
      case a: Aggregate if a.filter.nonEmpty => Iterator(a.copy(filter = None))
      case a: Aggregate if a.distinct => Iterator(a.copy(distinct = false))
      case _ => Iterator.empty
    }
    def within(parts: Seq[FuzzExpression])(build: Seq[FuzzExpression] => FuzzExpression) =
      parts.indices.iterator.flatMap(i => plainer(parts(i)).map(p => build(parts.updated(i, p))))
    val inside = e match {
      case o: Operation => within(o.arguments)(parts => o.copy(arguments = parts))
      case n: Navigation => within(Seq(n.argument))(parts => n.copy(argument = parts.head))
      case a: Aggregate => within(a.arguments)(parts => a.copy(arguments = parts))
      case _ => Iterator.empty
    }
    here ++ inside
  }
}
