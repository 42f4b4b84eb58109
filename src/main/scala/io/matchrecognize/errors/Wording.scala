package io.matchrecognize.errors

import java.util.Locale

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
