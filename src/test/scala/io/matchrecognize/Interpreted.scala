package io.matchrecognize

/**
 * Suites of many statements about what these mean, whatever runs them: code that is compiled for
 * each of them, and stages that are planned one after the other, would take most of their time.
 */
trait Interpreted extends QuerySuite {
  private val confs = Seq(
    "spark.sql.codegen.wholeStage" -> "false",
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
    "spark.sql.adaptive.enabled" -> "false"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    confs.foreach { case (key, value) => spark.conf.set(key, value) }
  }

  override protected def afterAll(): Unit =
    try confs.foreach { case (key, _) => spark.conf.unset(key) }
    finally super.afterAll()
}
