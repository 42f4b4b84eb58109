import sbt.Keys._

val spark = SparkVersions.selected
val sparkJars = settingKey[File]("the jars of the pyspark that this build compiles against")
val opens = Seq("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net",
  "java.nio", "java.util", "java.util.concurrent", "java.util.concurrent.atomic")
  .map(p => s"--add-opens=java.base/$p=ALL-UNNAMED") ++
  Seq("sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar")
    .map(p => s"--add-opens=java.base/$p=ALL-UNNAMED") ++
  Seq("-Djdk.reflect.useDirectMethodHandle=false", "-Dio.netty.tryReflectionSetAccessible=true")

lazy val root = (project in file("."))
  .settings(Publishing.settings(spark))
  .settings(
    name := s"spark-match-recognize-spark-${spark.minor}",
    organization := "io.matchrecognize",
    version := IO.read(file("VERSION")).trim,
    scalaVersion := spark.scala,
    licenses := Seq(License.Apache2),
    autoScalaLibrary := true,
    target := baseDirectory.value / "target" / s"spark-${spark.minor}",
    sparkJars := baseDirectory.value / ".spark" / spark.spark / "pyspark" / "jars",
    Compile / unmanagedSourceDirectories ++=
      spark.shims.map(shim => (Compile / sourceDirectory).value / shim),
    Test / unmanagedSourceDirectories ++=
      spark.shims.map(shim => (Test / sourceDirectory).value / shim),
    Compile / unmanagedJars ++= (sparkJars.value ** "*.jar").classpath,
    // A class is looked for in one jar after the other, and code that is compiled asks for many
    // names that no jar has: Spark's own jars come first, and those of other clusters are left out.
    Test / unmanagedJars := {
      val unused = "(spark-)?(kubernetes|volcano|vertx|hive|yarn|datanucleus|derby).*"
      val jars = (sparkJars.value ** "*.jar").get.filterNot(_.getName.matches(unused))
      val (sparks, others) = jars.sortBy(_.getName).partition(_.getName.startsWith("spark-"))
      (sparks ++ others).classpath
    },
    Compile / sourceGenerators += Def.task {
      val source = (Compile / sourceDirectory).value / "antlr4"
      val out = (Compile / sourceManaged).value
      FileFunction.cached(streams.value.cacheDirectory / "antlr4") { (in: Set[File]) =>
        Antlr.generate(source, out, "io.matchrecognize.parser.clause").toSet
      }((source ** "*.g4").get.toSet).toSeq
    }.taskValue,
    Compile / sourceGenerators += Def.task {
      val file = (Compile / sourceManaged).value / "BuildInfo.scala"
      val text = s"""package io.matchrecognize
        |
        |/** What this jar was built as. */
        |object BuildInfo {
        |  val version: String = "${version.value}"
        |  val sparkVersion: String = "${spark.spark}"
        |  val sparkMinor: String = "${spark.minor}"
        |}
        |""".stripMargin
      if (!file.exists || IO.read(file) != text) IO.write(file, text)
      Seq(file)
    }.taskValue,
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Wunused", "-Werror",
      "-release:17", "-Wconf:src=src_managed/.*:silent"),
    javacOptions ++= Seq("--release", "17"),
    libraryDependencies ++= Seq(
      "org.scalatest" %% "scalatest" % "3.2.19" % Test,
      "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0" % Test
    ),
    Test / fork := true,
    Test / testForkedParallel := false,
    // Two JVMs of about the same time, the suites of one in turn; and in `make test-slow` one for a
    // suite whose failures Spark's local mode does not quite recover from.
    Test / testGrouping := {
      val options = (Test / forkOptions).value
      val apart = Seq("streaming", "parser", "analysis", "fuzz")
      val isSlow = (Test / javaOptions).value.contains("-Dtest.all")
      (Test / definedTests).value
        .filter(isSlow || !_.name.endsWith(".LostBlocksSuite"))
        .groupBy {
          case test if test.name.endsWith(".LostBlocksSuite") => "alone"
          case test if apart.exists(part => test.name.contains(s".$part.")) => "apart"
          case _ => "others"
        }
        .map { case (name, suites) => Tests.Group(name, suites, Tests.SubProcess(options)) }
        .toSeq
    },
    Global / concurrentRestrictions := Seq(Tags.limit(Tags.ForkedTestGroup, 2)),
    // Thousands of small queries: optimising compilation costs more than it saves. Without it the
    // code cache is small by default, and the JVM would search it for code to evict all the time.
    Test / javaOptions ++= opens ++ Seq("-Xmx2g", "-Xmn800m", "-Xss4m", "-XX:+UseSerialGC") ++
      Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=512m", "-XX:-UseCodeCacheFlushing",
        "-XX:MetaspaceSize=400m"), // fewer collections of everything
    Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oDF"),
    // `make test-slow` has them, too.
    Test / testOptions ++= {
      if ((Test / javaOptions).value.contains("-Dtest.all")) Nil
      else Seq(Tests.Argument(TestFrameworks.ScalaTest, "-l", "org.scalatest.tags.Slow"))
    },
    Compile / packageBin / mappings ++=
      Seq("LICENSE", "NOTICE").map(f => baseDirectory.value / f -> s"META-INF/$f"),
    artifactName := { (_, _, artifact) =>
      val classifier = artifact.classifier.fold("")("-" + _)
      s"${artifact.name}_2.13-${version.value}$classifier.${artifact.extension}"
    },
    Compile / packageBin / artifactPath := target.value /
      s"spark-match-recognize-spark-${spark.minor}_2.13-${version.value}.jar"
  )
