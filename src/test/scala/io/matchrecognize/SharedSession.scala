package io.matchrecognize

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.scalatest.{BeforeAndAfterAll, Suite}

import io.matchrecognize.execution.compile.SearchOptions
import io.matchrecognize.execution.plan.{MatchRecognizeExec, MatchRecognizeStrategy}

/** One session with the plugin for all suites of the JVM. */
trait SharedSession extends BeforeAndAfterAll { this: Suite =>
  protected def spark: SparkSession = SharedSession.session

  protected def parser: ParserInterface = SharedSession.parserOf(spark)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    SparkSession.setActiveSession(spark)
  }

  // Suites share the catalog, and which of them share a JVM may change.
  override protected def afterAll(): Unit = {
    val catalog = spark.asInstanceOf[ClassicSession].sessionState.catalog
    val left = catalog.listTables("default", "*", includeLocalTempViews = false)
    left.foreach(catalog.dropTable(_, ignoreIfNotExists = true, purge = false))
    super.afterAll()
  }

  /** Runs `body` with confs set, and restores them. */
  protected def withConf[T](confs: (String, String)*)(body: => T): T = {
    // Not `getOption`, which returns the default of what is not set.
    val set = spark.conf.getAll
    val before = confs.map { case (key, _) => key -> set.get(key) }
    confs.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally
      before.foreach {
        case (key, Some(value)) => spark.conf.set(key, value)
        case (key, None) => spark.conf.unset(key)
      }
  }

  /**
   * Plans and runs `body`, on tables, by searches that know less of conditions, and find the same.
   */
  protected def withSearch[T](deadlines: Boolean = true, anchored: Boolean = true)(
      body: => T
  ): T = {
    val options = SearchOptions.table.copy(deadlines = deadlines, anchoredThreads = anchored)
    val others = new SparkStrategy {
      override def apply(plan: LogicalPlan): Seq[SparkPlan] = MatchRecognizeStrategy(plan).map {
        case node: MatchRecognizeExec => node.copy(search = options)
        case other => other
      }
    }
    val methods = spark.asInstanceOf[ClassicSession].experimental
    val before = methods.extraStrategies
    methods.extraStrategies = Seq(others)
    try body
    finally methods.extraStrategies = before
  }
}

object SharedSession {
  lazy val session: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .appName("match-recognize")
    .config("spark.ui.enabled", "false")
    // What a page would show is neither renewed while a query runs nor kept for thousands of them.
    .config("spark.ui.liveUpdate.period", "-1")
    .config("spark.sql.ui.retainedExecutions", "50")
    .config("spark.ui.retainedJobs", "100")
    .config("spark.ui.retainedStages", "100")
    .config("spark.ui.retainedTasks", "1000")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.warehouse.dir", warehouse)
    .config("spark.sql.scripting.enabled", "true")
    .config("spark.sql.codegen.fallback", "false") // code that does not compile fails its test
    // A few rows take a page and their broadcast a block: by default of up to 64 and 4 MiB.
    .config("spark.buffer.pageSize", "4m")
    .config("spark.broadcast.blockSize", "64k")
    // Tasks would ask the driver for each class that compiled code names and that there is not.
    .config("spark.sql.artifact.isolation.enabled", "false")
    .config("spark.hadoop.fs.file.impl", classOf[PlainFiles].getName)
    .config("spark.hadoop.fs.AbstractFileSystem.file.impl", classOf[PlainFiles.Context].getName)
    .getOrCreate()

  /** A session of the same context, created without the plugin. */
  lazy val withoutPlugin: SparkSession = {
    val context = session.sparkContext
    val thread = Thread.currentThread()
    val loader = thread.getContextClassLoader
    thread.setContextClassLoader(new ClassLoader(loader) {
      override def getResources(name: String): java.util.Enumeration[java.net.URL] =
        if (name.endsWith("SparkSessionExtensionsProvider"))
          java.util.Collections.emptyEnumeration()
        else super.getResources(name)
    })
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try SparkSession.builder().config(context.getConf.getAll.toMap).getOrCreate()
    finally {
      thread.setContextClassLoader(loader)
      SparkSession.setActiveSession(session)
      SparkSession.setDefaultSession(session)
    }
  }

  private def warehouse: String =
    java.nio.file.Files.createTempDirectory("match-recognize").toString

  def parserOf(session: SparkSession): ParserInterface =
    session.asInstanceOf[ClassicSession].sessionState.sqlParser
}
