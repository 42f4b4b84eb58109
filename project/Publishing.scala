import scala.xml.transform.{RewriteRule, RuleTransformer}
import scala.xml.{Elem, Node}

import sbt._
import sbt.Keys._

/** How an artifact is described and published; the only repository is a folder, `dist/maven`.
  *
  * The POM names Spark and Scala as provided. sbt cannot write that by itself: Spark is a folder of
  * unmanaged jars here, and the tests' libraries do not concern a user.
  */
object Publishing {

  def settings(spark: SparkVersion): Seq[Setting[_]] = Seq(
    moduleName := name.value, // sbt would replace the dot of the minor
    description := s"MATCH_RECOGNIZE of SQL:2016 for Apache Spark ${spark.minor}",
    homepage := page.map(url(_)),
    organizationName := "the spark-match-recognize maintainers",
    organizationHomepage := homepage.value,
    startYear := Some(2026),
    developers := page.toList.map { page =>
      Developer("spark-match-recognize", "the spark-match-recognize maintainers", "", url(page))
    },
    scmInfo := page.map(page => ScmInfo(url(page), s"scm:git:$page.git")),
    versionScheme := Some("early-semver"),
    publishTo := Some(MavenCache("dist", repository.value)),
    pomIncludeRepository := (_ => false),
    pomPostProcess := withProvided(
      ("org.apache.spark", "spark-sql_2.13", spark.spark),
      ("org.scala-lang", "scala-library", spark.scala)
    ),
    // the classes that a user may name; everything else is internal
    Compile / doc / sources := (Compile / sources).value.filter(file => entry(file.getName)),
    Compile / doc / dependencyClasspath := (Compile / fullClasspath).value,
    Compile / doc / scalacOptions := Seq("-no-link-warnings", "-doc-title", name.value)
  )

  private val entry = Set("MatchRecognizeExtensions.scala", "BuildInfo.scala")

  /** The one setting of where the project is published, also read by `python/hatch_build.py`. */
  private val page = sys.env.get("PROJECT_URL").filter(_.nonEmpty)

  private val repository = Def.setting {
    sys.props.get("release.maven").map(file).getOrElse(baseDirectory.value / "dist" / "maven")
  }

  private def withProvided(provided: (String, String, String)*)(pom: Node): Node = {
    val dependencies = <dependencies>{
      provided.map { case (group, artifact, version) =>
        <dependency>
          <groupId>{group}</groupId>
          <artifactId>{artifact}</artifactId>
          <version>{version}</version>
          <scope>provided</scope>
        </dependency>
      }
    }</dependencies>
    val rule = new RewriteRule {
      override def transform(node: Node): Seq[Node] = node match {
        case elem: Elem if elem.label == "dependencies" => dependencies
        case other => other
      }
    }
    new RuleTransformer(rule).transform(pom).head
  }
}
