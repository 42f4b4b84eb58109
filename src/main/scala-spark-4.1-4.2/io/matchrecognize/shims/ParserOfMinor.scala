package io.matchrecognize.shims

/** The parser methods specific to Spark 4.1 and 4.2. */
trait ParserOfMinor extends ParserWithParameters
