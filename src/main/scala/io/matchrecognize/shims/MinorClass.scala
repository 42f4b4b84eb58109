package io.matchrecognize.shims

/**
 * A class of Spark that is missing in some minors, so that code cannot name its type. All other
 * classes are compared as types. `MinorClassSuite` says which minors have it.
 *
 * @param name
 *   with the package, because classes of other packages may have the same one
 */
final class MinorClass private (val name: String) {

  /** None if Spark does not have it. */
  lazy val found: Option[Class[_]] =
    try Some(Class.forName(name, false, MinorClass.loader))
    catch { case _: ClassNotFoundException => None }

  def isClassOf(value: Any): Boolean = found.exists(_.isInstance(value))
}

object MinorClass {
  private val catalyst = "org.apache.spark.sql.catalyst"
  private val loader =
    classOf[org.apache.spark.sql.catalyst.trees.TreeNode[_]].getClassLoader

  // Expressions.
  val CurrentTime = new MinorClass(s"$catalyst.expressions.CurrentTime")
  val SemiStructuredExtract = new MinorClass(s"$catalyst.expressions.SemiStructuredExtract")
  // A timestamp and an interval: one name before Spark 4.1, another one since.
  val TimeAdd = new MinorClass(s"$catalyst.expressions.TimeAdd")
  val TimestampAddInterval = new MinorClass(s"$catalyst.expressions.TimestampAddInterval")
  val TimestampNanosType = new MinorClass("org.apache.spark.sql.types.AnyTimestampNanoType")

  // EXECUTE IMMEDIATE as it is parsed: one name before Spark 4.1, another one since.
  val ExecuteImmediateQuery = new MinorClass(s"$catalyst.analysis.ExecuteImmediateQuery")
  val UnresolvedExecuteImmediate = new MinorClass(s"$catalyst.analysis.UnresolvedExecuteImmediate")
  val NamedStreamingRelation = new MinorClass(s"$catalyst.analysis.NamedStreamingRelation")
  val UnresolvedEventTimeWatermark =
    new MinorClass(s"$catalyst.analysis.UnresolvedEventTimeWatermark")
  val UnresolvedQualify = new MinorClass(s"$catalyst.analysis.UnresolvedQualify")

  // transformWithState of Python: one name before Spark 4.1, another one since.
  val TransformWithStateInPandas =
    new MinorClass(s"$catalyst.plans.logical.TransformWithStateInPandas")
  val TransformWithStateInPySpark =
    new MinorClass(s"$catalyst.plans.logical.TransformWithStateInPySpark")
}
