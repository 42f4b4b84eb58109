package io.matchrecognize.execution.explain

/**
 * How many rows all attempts of a task may read together, those that the query does not make too.
 */
private final class RowBudget(most: Long) {
  private var spent = 0L

  def spend(rows: Long): Unit = spent += rows

  def isSpent: Boolean = spent > most
}
