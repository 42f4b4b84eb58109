package io.matchrecognize.errors

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

/** Pieces of the user's statement, quoted as the messages show them. */
object UserText {

  /** The text of an expression as the user wrote it, or its SQL form if no text is known. */
  def of(expression: Expression): String = of(expression.origin).getOrElse(expression.sql)

  def of(origin: Origin): Option[String] =
    for {
      text <- origin.sqlText
      start <- origin.startIndex
      stop <- origin.stopIndex
      if start >= 0 && stop >= start && stop < text.length
    } yield text.substring(start, stop + 1)

  /** In backticks, a backtick inside doubled. */
  def quoted(text: String): String = s"`${text.replace("`", "``")}`"

  def quoted(expression: Expression): String = quoted(of(expression))

  /** A column's name as SQL: in backticks if it is not one without. */
  def quotedIfNeeded(name: String): String =
    if (isColumn(name)) quoteIfNeeded(name) else quoted(name)

  /**
   * Whether Spark reads a text as a column of that name, also with the reserved words of ANSI mode.
   */
  private def isColumn(text: String): Boolean = {
    val ansi = SQLConf.get.clone()
    ansi.setConf(SQLConf.ANSI_ENABLED, true)
    ansi.setConf(SQLConf.ENFORCE_RESERVED_KEYWORDS, true)
    SQLConf.withExistingConf(ansi) {
      try
        CatalystSqlParser.parseExpression(text) match {
          case column: UnresolvedAttribute => column.nameParts == Seq(text)
          case _ => false
        }
      catch { case _: ParseException => false }
    }
  }

  /** The text at a place, instead of that of the expression's own origin; see `ClausePositions`. */
  def of(expression: Expression, place: Origin): String = of(place).getOrElse(expression.sql)

  /** A key; a column by its name, because Spark does not keep the place of every column. */
  def keyName(key: Expression): String = key match {
    case named: NamedExpression => named.name
    case other => of(other)
  }

  /** A key as SQL that reads it from the input of its clause. */
  def keySql(key: Expression): String = key match {
    case column: Attribute => quotedIfNeeded(column.name)
    case other => of(other)
  }

  def quotedKey(key: Expression): String = quoted(keyName(key))

  def quotedList(names: Seq[String]): String = names.map(quoted).mkString(", ")

  /** A value of a row, at most 100 characters of it. */
  def cut(value: Any): String =
    if (value == null) "NULL"
    else {
      val text = value.toString
      if (text.length > MaxValue) text.take(MaxValue) + "..." else text
    }

  /** Characters of a value, or of another long text, that are shown. */
  final val MaxValue = 100

  /** At most five of `names`, the nearest spelling first. */
  def nearest(name: String, names: Seq[String]): String =
    if (names.isEmpty) "none" else quotedList(nearestOf(name, names))

  def nearestOf(name: String, names: Seq[String]): Seq[String] =
    names.sortBy(distance(name, _)).take(5)

  /** Whether a word is probably a misspelling of another one: at most two letters differ. */
  def isNear(word: String, meant: String): Boolean = distance(word, meant) <= 2

  def distance(a: String, b: String): Int = lowerCase(a).levenshteinDistance(lowerCase(b))

  private def lowerCase(text: String): UTF8String =
    UTF8String.fromString(text.toLowerCase(java.util.Locale.ROOT))
}

/** Pieces of sentences. */
object Wording {

  /** `1,234`. */
  def number(value: Long): String = String.format(Locale.ROOT, "%,d", Long.box(value))

  /** `1 row`, `1,234 rows`. */
  def count(value: Long, one: String): String = count(value, one, s"${one}s")

  def count(value: Long, one: String, many: String): String =
    s"${number(value)} ${if (value == 1) one else many}"

  /** A piece of SQL. */
  def code(text: String): String = s"`$text`"

  /** The same text without line breaks, which SQL and values may have. */
  def oneLine(text: String): String = text.replaceAll("\\s*\\R\\s*", " ")

  /** `a, b and c`. */
  def list(items: Seq[String]): String =
    if (items.length < 2) items.mkString
    else s"${items.init.mkString(", ")} and ${items.last}"
}
