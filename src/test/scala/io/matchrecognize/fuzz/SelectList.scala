package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.ListItem._

/**
 * An item of a SELECT list.
 *
 * @param text
 *   with calls over the window as `{function}`
 * @param name
 *   the alias; None if Spark names it
 * @param columns
 *   how many columns it has
 */
final case class ListItem(
    text: String,
    name: Option[String],
    kind: Kind = OfRow,
    columns: Int = 1
) {
  def calls: Seq[String] = Call.findAllMatchIn(text).map(_.group(1)).toSeq
  def sql(call: String => String): String = name.foldLeft(replaced(text, call))(_ + " AS " + _)
}

object ListItem {
  sealed trait Kind

  /** Determined by the row of the input. */
  case object OfRow extends Kind

  /** Made by a generator. */
  case object OfGenerator extends Kind

  /** Determined by the place of a row in the window. */
  case object OfOrder extends Kind

  private[fuzz] val Call = """\{([^}]*)\}""".r

  private[fuzz] def replaced(text: String, call: String => String): String =
    Call.replaceAllIn(text, m => java.util.regex.Matcher.quoteReplacement(call(m.group(1))))
}

/**
 * A query with a SELECT list, and the one that it is compared with.
 *
 * @param rest
 *   what follows FROM and the input, but for WINDOW
 * @param keys
 *   PARTITION BY and ORDER BY of the window
 * @param overSubquery
 *   whether it is compared with the list over a subquery
 */
final case class SelectList(
    items: Seq[ListItem],
    isDistinct: Boolean,
    rest: String,
    keys: String,
    overSubquery: Boolean,
    features: Set[String]
) {
  private def kindsOf[T](width: Int)(value: ListItem => T): Seq[T] = {
    // A star has as many columns as are left.
    val fixed = items.filterNot(_.columns == 0).map(_.columns).sum
    items.flatMap(i => Seq.fill(if (i.columns == 0) width - fixed else i.columns)(value(i)))
  }

  def kinds(width: Int): Seq[Kind] = kindsOf(width)(_.kind)

  /** For each column whether its name does not depend on the window. */
  def named(width: Int): Seq[Boolean] = kindsOf(width)(i => i.name.isDefined || i.calls.isEmpty)

  def queries: (String, String) =
    if (overSubquery) (query(reducing), subquery) else (query(plain), query(ordinary))

  private val frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
  private def ordinary = s"$keys $frame"
  private def plain = s"$ordinary AFTER MATCH SKIP TO NEXT ROW PATTERN (A+)"
  private def reducing = s"$ordinary AFTER MATCH SKIP TO NEXT ROW PATTERN (A B*) " +
    "DEFINE A AS k <> 2, B AS k % 3 <> 0 OR v > 6"

  private def query(window: String): String =
    select(call => s"$call OVER w") + s" FROM listed$rest WINDOW w AS ($window)"

  private def select(call: String => String): String =
    s"SELECT ${if (isDistinct) "DISTINCT " else ""}" + items.map(_.sql(call)).mkString(", ")

  private def subquery: String = {
    val calls = items.flatMap(_.calls).distinct
    def column(call: String) = s"call_${calls.indexOf(call)}"
    val computed = calls.map(c => s"$c OVER w AS ${column(c)}").mkString(", ")
    val hidden = calls.map(column).mkString(", ")
    val stars = items.map {
      case star if star.columns == 0 => star.copy(text = s"* EXCEPT ($hidden)")
      case other => other
    }
    copy(items = stars).select(column) +
      s" FROM (SELECT *, $computed FROM listed WINDOW w AS ($reducing)) AS listed$rest"
  }
}
