package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.trees.Origin

/** Origins: places in a text. */
object Origins {

  /**
   * A place in `text`, by indexes of the String; `outer` has the object that the text belongs to.
   */
  def apply(
      line: Int,
      position: Int,
      start: Int,
      stop: Int,
      text: String,
      outer: Origin
  ): Origin =
    OriginConstructors.origin(
      Some(line),
      Some(position),
      Some(start),
      Some(stop),
      text,
      outer.objectType,
      outer.objectName,
      None,
      None
    )
}
