package io.matchrecognize.shims

/** What a parser of Spark 4.1 and 4.2 has of its own. */
trait ParserOfMinor extends ParserWithParameters
