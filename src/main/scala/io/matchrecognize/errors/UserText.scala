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
  def cut(value: Any): String = cut(value, MaxValue)

  private def cut(value: Any, most: Int): String =
    if (value == null) "NULL"
    else {
      val text = value.toString
      if (text.length > most) text.take(most) + "..." else text
    }

  /**
   * A parameter of a message: a name or expression of any length, at most 1,000 characters of it.
   */
  def parameter(text: String): String = cut(text, MaxParameter)

  private final val MaxParameter = 1000

  /**
   * Warnings as lines of a log, a limited number of limited length. Names in backticks may have any
   * character, and a line break would begin what looks like another line of the log.
   */
  def logLines(warnings: Seq[String]): Seq[String] = {
    val rest = warnings.length - MaxWarnings
    warnings.take(MaxWarnings).map(logLine) ++
      Option.when(rest > 0)(s"There are ${Wording.number(rest)} more warnings of this kind.")
  }

  def logLine(text: String): String =
    NotInLine.replaceAllIn(parameter(text), c => f"\\\\u${c.matched.codePointAt(0)}%04x")

  private final val MaxWarnings = 20
  private val NotInLine = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]".r

  /** Characters of a value, or of another long text, that are shown. */
  final val MaxValue = 100

  /** At most five of `names`, the nearest spelling first. */
  def nearest(name: String, names: Seq[String]): String =
    if (names.isEmpty) "none" else quotedList(nearestOf(name, names))

  def nearestOf(name: String, names: Seq[String]): Seq[String] =
    names.take(MaxNames).map(other => distance(name, other) -> other).sortBy(_._1).take(5).map(_._2)

  /** Names that are compared with an unknown one. */
  private final val MaxNames = 5000

  /** Whether a word is probably a misspelling of another one: at most two letters differ. */
  def isNear(word: String, meant: String): Boolean =
    math.abs(word.length - meant.length) <= 2 && distance(word, meant) <= 2

  /** The letters that differ; nothing is near a text that is longer than a name usually is. */
  def distance(a: String, b: String): Int =
    if (a.length.max(b.length) > MaxCompared) Int.MaxValue
    else lowerCase(a).levenshteinDistance(lowerCase(b))

  private final val MaxCompared = 128

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
