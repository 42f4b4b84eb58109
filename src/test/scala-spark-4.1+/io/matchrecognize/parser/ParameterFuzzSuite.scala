package io.matchrecognize.parser

import java.sql.{Date, Timestamp}
import java.time.{Duration, LocalDateTime, Period}

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random values of parameters at random places of a statement with a clause, named and positional,
 * compared with the same statement with the literals written out. A long run:
 * `-Dfuzz.parameter.cases=2000 -Dfuzz.seed=7` as Java options of the test's process.
 */
class ParameterFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.parameter.cases").fold(Sampled.size(3, 2))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  private val local = LocalDateTime.parse("1970-01-01T00:00:03")

  /** Values, and the literals that Spark writes for them. */
  private val values: IndexedSeq[(Any, String)] = IndexedSeq(
    2 -> "2",
    0 -> "0",
    -2 -> "-2",
    3L -> "3L",
    "2" -> "'2'",
    "it's" -> """'it\'s'""",
    "!" -> "'!'",
    2.5 -> "2.5D",
    Double.NaN -> "CAST('NaN' AS DOUBLE)",
    new java.math.BigDecimal("2.50") -> "2.50BD",
    true -> "TRUE",
    (null, "NULL"),
    Date.valueOf("2024-02-29") -> "DATE'2024-02-29'",
    Timestamp.valueOf(local) -> "TIMESTAMP'1970-01-01 00:00:03'",
    local -> "TIMESTAMP_NTZ'1970-01-01 00:00:03'",
    Duration.ofSeconds(2) -> "INTERVAL '0 00:00:02' DAY TO SECOND",
    Period.ofMonths(14) -> "INTERVAL '1-2' YEAR TO MONTH",
    Array[Byte](1, 10) -> "X'010A'",
    Array(1, 2) -> "array(1, 2)"
  )

  /** Places of the statement, in its order, with what is there if they are not drawn. */
  private val places: Seq[(String, String)] = Seq(
    "outside" -> "0",
    "partition" -> "1",
    "order" -> "1",
    "measure" -> "1",
    "typeof" -> "1",
    "offset" -> "1",
    "length" -> "9",
    "text" -> "'b'",
    "limit" -> "2",
    "quantifier" -> "1",
    "bound" -> "5",
    "compared" -> "20",
    "escape" -> "'#'"
  )
  private val needLiterals = Set("length", "text", "bound", "escape")

  private def statement(at: String => String): String =
    s"""SELECT ${at("outside")} AS o, *
       |FROM (SELECT id, id * 10 AS v, concat('s', id) AS s, timestamp_seconds(id) AS ts FROM range(7))
       |MATCH_RECOGNIZE (PARTITION BY (${at("partition")}) AS key ORDER BY ts, (${at("order")})
       |MEASURES ${at("measure")} AS m, typeof(${at("typeof")}) AS t, PREV(v, ${at("offset")}) AS f,
       |  CAST(LAST(s) AS VARCHAR(${at("length")})) AS c, 'a' ${at("text")} AS a,
       |  (SELECT count(*) FROM (SELECT 1 FROM range(9) LIMIT ${at("limit")})) AS l, COUNT(*) AS n
       |PATTERN (A{${at("quantifier")}} B*) WITHIN INTERVAL ${at("bound")} SECOND
       |DEFINE B AS v > ${at("compared")} OR s LIKE 's' ESCAPE ${at("escape")})""".stripMargin

  private def answer(run: => org.apache.spark.sql.DataFrame): Either[String, Seq[String]] =
    try {
      val frame = run
      val types = frame.schema.map(f => s"${f.name} ${f.dataType.sql}").mkString(", ")
      Right(types +: frame.collect().toSeq.map(_.toSeq.map(shown).mkString(",")))
    } catch {
      case e: Throwable with SparkThrowable => Left(s"${e.getCondition} ${e.getSqlState}")
    }

  private def shown(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.toSeq.toString
    case other => String.valueOf(other)
  }

  test(s"$cases statements with parameters from seed $seed are those with literals") {
    val totals = mutable.Map.empty[String, Int].withDefaultValue(0)
    (0 until cases).foreach { i =>
      val random = new Random(seed * 1000000007L + i)
      val legacy = random.nextInt(4) == 0
      val allowed = places.map(_._1).filterNot(p => legacy && needLiterals(p))
      val drawn = random.shuffle(allowed).take(1 + random.nextInt(3))
      val chosen = places
        .map(_._1)
        .filter(drawn.contains)
        .map { place =>
          // Half of the values are integers, which fit in most places.
          val count = if (random.nextBoolean()) 3 else values.length
          place -> values(random.nextInt(count))
        }
      val confs = Seq(
        SQLConf.TIMESTAMP_TYPE.key ->
          Seq("TIMESTAMP_LTZ", "TIMESTAMP_NTZ")(random.nextInt(2)),
        SQLConf.ANSI_ENABLED.key -> random.nextBoolean().toString,
        SQLConf.LEGACY_PARAMETER_SUBSTITUTION_CONSTANTS_ONLY.key -> legacy.toString
      )
      val named = chosen.zipWithIndex.map { case ((place, _), k) => place -> s":p$k" }.toMap
      def literal(place: String): String = {
        val text = chosen.toMap.apply(place)._2
        if (legacy) text.replaceFirst("^TIMESTAMP'", "TIMESTAMP_LTZ'") else text
      }
      def filled(marker: String => String): String =
        statement(p => if (named.contains(p)) marker(p) else places.toMap.apply(p))
      val written = filled(literal)
      withClue(s"case $i, $confs:\n$written\n${chosen.map(_._1)}\n") {
        withConf(confs: _*) {
          val expected = answer(spark.sql(written))
          val arguments = chosen.zipWithIndex.map { case ((_, (v, _)), k) => s"p$k" -> v }
          Seq(
            answer(spark.sql(filled(named), arguments.toMap)),
            answer(spark.sql(filled(_ => "?"), chosen.map(_._2._1).toArray))
          ).foreach { found =>
            // A literal in a quantifier is a matter of the grammar.
            val isBound = named.contains("quantifier") && found.isLeft && expected.isLeft
            assert(isBound || found == expected)
            assert(!found.left.exists(_.contains("XX000")), found)
          }
          totals(expected.fold(identity, _ => "rows")) += 1
        }
      }
    }
    info(totals.toSeq.sorted.map { case (name, count) => s"$count $name" }.mkString(", "))
    assert(totals("rows") > cases / 4 && (cases < 12 || totals.size > 2))
  }
}
