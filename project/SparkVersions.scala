/** One supported Spark minor. `shims` are the source folders under `src/main` it compiles besides
  * `scala`; `scala` is the oldest patch version that Spark or a platform ships with this minor,
  * because a jar that was compiled against a newer one dies there with NoSuchMethodError. (Spark
  * 4.1 has 2.13.17, and Fabric's runtime 2.0 pairs it with 2.13.16.)
  */
final case class SparkVersion(spark: String, scala: String, shims: Seq[String]) {
  val minor: String = spark.split('.').take(2).mkString(".")
}

/** The one table of Spark minors. `-Dspark.minor=4.2` (or the variable SPARK_MINOR) picks the row. */
object SparkVersions {
  val all: Seq[SparkVersion] = Seq(
    SparkVersion("4.0.5", "2.13.16", Seq("scala-spark-4.0", "scala-spark-4.0-4.2")),
    SparkVersion("4.1.4", "2.13.16", Seq("scala-spark-4.1+", "scala-spark-4.0-4.2", "scala-spark-4.1-4.2")),
    SparkVersion("4.2.1", "2.13.18", Seq("scala-spark-4.1+", "scala-spark-4.0-4.2", "scala-spark-4.1-4.2")),
    SparkVersion("4.3.0", "2.13.18", Seq("scala-spark-4.1+", "scala-spark-4.3+"))
  )

  val selected: SparkVersion = {
    val minor = sys.props.get("spark.minor").orElse(sys.env.get("SPARK_MINOR")).getOrElse(all.last.minor)
    all
      .find(_.minor == minor)
      .getOrElse(sys.error(s"Spark $minor is not one of ${all.map(_.minor).mkString(", ")}"))
  }
}
