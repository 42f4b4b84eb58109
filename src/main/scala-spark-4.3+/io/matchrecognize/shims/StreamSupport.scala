package io.matchrecognize.shims

object StreamSupport {

  /** Whether the plugin can run a clause on a stream of this Spark; if not, analysis refuses it. */
  val isAvailable: Boolean = true
}
