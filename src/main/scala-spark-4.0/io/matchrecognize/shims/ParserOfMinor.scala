package io.matchrecognize.shims

/**
 * The parser methods specific to Spark 4.0: none. Parameter markers stay in the tree and Spark
 * binds them by their positions.
 */
trait ParserOfMinor extends ParserWithMarkers
