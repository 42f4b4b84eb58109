package io.matchrecognize.execution.search

import java.lang.reflect.Modifier
import java.nio.file.Paths
import java.util.jar.JarFile

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.ml.linalg.Vectors
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}
import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.Outcome

import io.matchrecognize.{Minor, QuerySuite, Sampled}

/**
 * Every type of Spark through the operator: as a column, in measures and conditions, as a key. A
 * window function over the type is the oracle for keys.
 */
class TypesSuite extends QuerySuite with TypeRoles {

  // What some minors have behind settings.
  private val previews = Seq(
    "spark.sql.geospatial.enabled",
    "spark.sql.timeType.enabled",
    "spark.sql.timestampNanosTypes.enabled"
  ).map(_ -> "true")

  private def query(clause: String): Seq[Row] = rows(
    s"SELECT * FROM typed MATCH_RECOGNIZE ($clause)"
  )

  private def outcome(run: => Seq[Seq[Int]]): Either[String, Seq[Seq[Int]]] =
    try Right(run)
    catch { case e: SparkThrowable => Left(e.getCondition) }

  private def groups(found: Seq[Row]): Seq[Seq[Int]] =
    found.map(r => r.getSeq[Int](r.length - 1).sorted).distinct.sortBy(_.head)

  /** The view `typed` has the columns t, 1 to 4, and v. */
  private def checkType(name: String, isOrdered: Boolean = true): Unit = {
    val dataType = spark.table("typed").schema("v").dataType
    val v = rows("SELECT v FROM typed ORDER BY t").map(_.get(0))

    val frame = spark.sql(
      """SELECT * FROM typed MATCH_RECOGNIZE (ORDER BY t
        |MEASURES FIRST(v) AS f, LAST(v) AS l, PREV(v) AS p, NEXT(v) AS n, FINAL LAST(v) AS e,
        |  LAST(struct(v, t)).v AS s
        |ALL ROWS PER MATCH PATTERN (A+) DEFINE A AS v IS NULL OR PREV(v) IS NULL OR v IS NOT NULL)
        |""".stripMargin
    )
    frame.schema.tail.foreach(field => assert(field.dataType == dataType, s"$name: ${field.name}"))
    val expected = (0 until 4).map { i =>
      Row(i + 1, v(0), v(i), if (i == 0) null else v(i - 1), v.lift(i + 1).orNull, v(3), v(i), v(i))
    }
    assert(frame.collect().toSeq.sortBy(_.getInt(0)) == expected, name)

    withConf("spark.sql.codegen.factoryMode" -> "NO_CODEGEN")(checkKeys(name, isOrdered))
  }

  private def checkKeys(name: String, isOrdered: Boolean): Unit = {
    val isVoid = name == "void"
    val partitions = outcome(
      groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
    )
    val order = outcome(
      query("ORDER BY v, t MEASURES collect_list(t) AS n PATTERN (A+)").map(_.getSeq[Int](0))
    )
    if (!isOrdered) {
      // Spark 4.1 takes GEOMETRY and GEOGRAPHY for ordered, and its own ORDER BY fails in a task.
      val isLate = name.startsWith("geo") && !Minor.has("4.2")
      val refused = Left(if (isLate) null else "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE")
      assert(partitions == refused, name)
      assert(order == refused, name)
      // As in a window.
      assert(
        outcome(groups(rows("SELECT collect_list(t) OVER (PARTITION BY v) FROM typed"))).isLeft
      )
    } else {
      val expectedGroups = if (isVoid) Seq(Seq(1, 2, 3, 4)) else Seq(Seq(1, 4), Seq(2), Seq(3))
      assert(partitions == Right(expectedGroups), name)
      assert(order == Right(Seq(if (isVoid) Seq(1, 2, 3, 4) else Seq(2, 3, 1, 4))), name)
      val equal = query(
        "ORDER BY t MEASURES CLASSIFIER() AS n PATTERN (A | B) DEFINE A AS v <=> FIRST(v) AND " +
          "v = NEXT(v, 3)"
      ).map(_.getString(0))
      assert(equal == Seq(if (isVoid) "B" else "A", "B", "B", "B"), name)
    }
  }

  // Many small queries: what they cost is planning and compiling.
  override protected def withFixture(test: NoArgTest): Outcome =
    withConf(
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.shuffle.partitions" -> "1",
      // Before 4.2 collations that trim are off.
      "spark.sql.collation.trim.enabled" -> "true"
    )(super.withFixture(test))

  Sampled.oneIn(36, TypedValues.all).foreach { typed =>
    test(s"type: ${typed.name}")(withConf(previews: _*) {
      if (typed.minor.forall(Minor.has)) {
        spark.sql(typed.query).createOrReplaceTempView("typed")
        checkType(typed.name, typed.isOrdered)
        checkRoles(typed.name)
      } else intercept[AnalysisException](spark.sql(s"SELECT ${typed.high} AS v"))
    })
  }

  test("types inside others")(withConf(previews: _*) {
    val present = TypedValues.all.filter(_.minor.forall(Minor.has))
    Sampled.oneIn(144, present.flatMap(_.nested)).foreach { typed =>
      spark.sql(typed.query).createOrReplaceTempView("typed")
      checkRoles(typed.name)
    }
  })

  // CHAR, VARCHAR and a type of users have tests of their own; objects are never columns of SQL.
  private val apart = Set("CharType", "VarcharType", "PythonUserDefinedType", "ObjectType")

  test("every type of this Spark is among them")(withConf(previews: _*) {
    def parts(dataType: DataType): Seq[DataType] = dataType +: (dataType match {
      case ArrayType(element, _) => parts(element)
      case MapType(key, value, _) => parts(key) ++ parts(value)
      case StructType(fields) => fields.toSeq.flatMap(field => parts(field.dataType))
      case _ => Nil
    })
    val present = TypedValues.all.filter(_.minor.forall(Minor.has))
    val tried =
      present.flatMap(t => parts(spark.sql(s"SELECT ${t.high} AS v").schema.head.dataType))
    val missing =
      SparksTypes.all.filterNot(c => apart(c.getSimpleName) || tried.exists(c.isInstance))
    assert(missing.map(_.getSimpleName) == Nil)
  })

  test("CHAR and VARCHAR columns of a table") {
    Sampled.oneIn(2, Seq("CHAR(5)", "VARCHAR(5)")).foreach { dataType =>
      spark.sql(s"CREATE TABLE lettered (t INT, v $dataType, x CHAR(8)) USING parquet")
      try {
        spark.sql(
          "INSERT INTO lettered VALUES (1, 'b', 'b'), (2, NULL, 'b'), (3, 'a', 'b'), (4, 'b', NULL)"
        )
        spark.sql("SELECT t, v FROM lettered").createOrReplaceTempView("typed")
        checkType(dataType)
        spark.table("lettered").createOrReplaceTempView("typed")
        // Columns that the clause does not read.
        assert(
          rows(
            "SELECT * FROM lettered MATCH_RECOGNIZE (ORDER BY t MEASURES LAST(t) AS l " +
              "ALL ROWS PER MATCH PATTERN (A+))"
          ) == rows("SELECT t, t AS l, v, x FROM lettered ORDER BY t"),
          dataType
        )
        // CHAR is compared as if padded.
        val conditions =
          Seq("v = 'b'", "'b' = v", "v IN ('b', 'c')", "v <=> 'b      '", "v > 'a'", "v = x")
        def all(form: String): String =
          conditions.zipWithIndex.map { case (c, i) => s"${form.format(c)} AS m$i" }.mkString(", ")
        val plain = rows(s"SELECT ${all("%s")} FROM lettered ORDER BY t")
        assert(query(s"ORDER BY t MEASURES ${all("%s")} PATTERN (A)") == plain, dataType)
        assert(query(s"ORDER BY t MEASURES ${all("LAST(%s)")} PATTERN (A)") == plain, dataType)
        Seq(0, 2, 5).foreach { i =>
          val classified = query(
            "ORDER BY t MEASURES CLASSIFIER() AS c PATTERN (A | B) " +
              s"DEFINE A AS ${conditions(i)}"
          )
          assert(
            classified.map(_.getString(0) == "A") == plain.map(_.get(i) == true),
            s"$dataType ${conditions(i)}"
          )
        }
      } finally spark.sql("DROP TABLE lettered")
    }
  }

  test("a user-defined type") {
    val session = spark
    import session.implicits._
    val (high, low) = (Vectors.dense(1, 2), Vectors.sparse(2, Array(1), Array(-1)))
    Seq((1, high), (2, null), (3, low), (4, high)).toDF("t", "v").createOrReplaceTempView("typed")
    val v = rows("SELECT v FROM typed ORDER BY t").map(_.get(0))
    val found = query(
      "ORDER BY t MEASURES FIRST(v) AS f, PREV(v) AS p ALL ROWS PER MATCH PATTERN (A+)"
    )
    assert(found == (0 until 4).map(i => Row(i + 1, v(0), if (i == 0) null else v(i - 1), v(i))))
    val partitions = outcome(
      groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
    )
    assert(
      partitions ==
        outcome(groups(rows("SELECT collect_list(t) OVER (PARTITION BY v) FROM typed")))
    )
  }

  test("NaN and negative zero as keys, bare and nested") {
    val wrappings = Seq("%s", "FLOAT(%s)", "named_struct('x', array(%s))")
    Sampled.oneIn(3, wrappings).foreach { wrapping =>
      val values = Seq("DOUBLE('NaN')", "-0.0D", "0.0D", "NULL", "-DOUBLE('NaN')", "NULL", "1.0D")
      val table = values.zipWithIndex
        .map { case (value, i) => s"(${i + 1}, ${wrapping.format(s"DOUBLE($value)")})" }
        .mkString(", ")
      spark.sql(s"SELECT * FROM VALUES $table AS x(t, v)").createOrReplaceTempView("typed")
      val partitions =
        groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
      assert(
        partitions == groups(rows("SELECT collect_list(t) FROM typed GROUP BY v")),
        wrapping
      )
      assert(partitions == Seq(Seq(1, 5), Seq(2, 3), Seq(4, 6), Seq(7)), wrapping)
      Seq("ASC", "DESC NULLS FIRST").foreach { direction =>
        val order = query(
          s"ORDER BY v $direction, t MEASURES collect_list(t) AS n PATTERN (A+)"
        ).head.getSeq[Int](0)
        val sorted = rows(s"SELECT t FROM typed ORDER BY v $direction, t").map(_.getInt(0))
        assert(order == sorted, s"$wrapping $direction")
      }
    }
  }

  test("collated strings as keys, bare and nested") {
    val wrappings =
      Seq("%s", "named_struct('x', %s, 'y', 1)", "array(%s, 'z')", "array(struct(%s))")
    Sampled.oneIn(2, wrappings).foreach { wrapping =>
      val table = Seq("'a'", "'A '", "'b'", "'A'", "NULL", "'B'", "NULL").zipWithIndex
        .map { case (value, i) =>
          s"(${i + 1}, ${wrapping.format(s"CAST($value AS STRING) COLLATE UTF8_LCASE")})"
        }
        .mkString(", ")
      spark.sql(s"SELECT * FROM VALUES $table AS x(t, v)").createOrReplaceTempView("typed")
      val partitions =
        groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
      assert(partitions == Seq(Seq(1, 4), Seq(2), Seq(3, 6), Seq(5, 7)), wrapping)
    }
  }
}

/** The classes of types that the Spark under test has. */
private object SparksTypes {
  private val TypeClass = """(org/apache/spark/sql/types/[A-Z]\w+Type)\.class""".r

  def all: Seq[Class[_]] = {
    val types = classOf[DataType]
    val jar = Paths.get(types.getProtectionDomain.getCodeSource.getLocation.toURI)
    val file = new JarFile(jar.toFile)
    val names =
      try file.entries.asScala.map(_.getName).toList
      finally file.close()
    val found = names.collect { case TypeClass(name) => Class.forName(name.replace('/', '.')) }
    val concrete =
      found.filter(c => types.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers))
    assert(concrete.length > 20)
    concrete
  }
}
