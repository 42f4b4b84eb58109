package io.matchrecognize.parser

import org.apache.spark.sql.Row

import io.matchrecognize.{Interpreted, Sampled}

/** Every keyword of the clause is still an ordinary name, inside the clause and around it. */
class WordsSuite extends Interpreted {
  private val words = Seq(
    "pattern define measures match one row rows per after skip subset within permute final running",
    "first last next prev empty show omit unmatched classifier match_number match_recognize",
    "match_rowtime match_proctime matches past to initial seek timeout partition"
  ).mkString(" ").split(" ").toSeq

  // %s is the word; each returns one row for range(3).
  private val places = Seq(
    "SELECT MAX(n.%s), MAX(m), SUM(s) FROM (SELECT id AS %s, 1 AS k FROM range(3)) MATCH_RECOGNIZE (" +
      "PARTITION BY k ORDER BY %s MEASURES %s AS m, LAST(%s) + 1 AS l, A.%s AS a, SUM(%s) AS s, " +
      "%s IS NULL AS i ALL ROWS PER MATCH PATTERN (A+) DEFINE A AS %s >= 0 AND A.%s >= 0 AND " +
      "(PREV(%s) IS NULL OR %s > PREV(%s, 1))) AS n" -> Row(2L, 2L, 4L),
    "SELECT %s FROM range(3) MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS %s PATTERN (A+))" ->
      Row(3L),
    "SELECT %s FROM range(3) MATCH_RECOGNIZE (MEASURES COUNT(*) %s, 1 AS x PATTERN (A+))" ->
      Row(3L),
    "SELECT m, c FROM range(3) MATCH_RECOGNIZE (ORDER BY id MEASURES LAST(%s.id) AS m, " +
      "COUNT(%s.*) AS c PATTERN (%s+ B?) DEFINE %s AS id >= 0 AND %s.id >= 0, " +
      "B AS COUNT(%s.*) > 5)" -> Row(2L, 3L),
    "SELECT %s.m FROM range(3) AS %s MATCH_RECOGNIZE (ORDER BY %s.id MEASURES LAST(id) AS m " +
      "PATTERN (A+)) AS %s" -> Row(2L),
    "SELECT %s FROM range(3) MATCH_RECOGNIZE (ORDER BY id MEASURES MAX(id) AS m PATTERN (A+)) " +
      "AS x(%s)" -> Row(2L),
    "WITH %s AS (SELECT * FROM range(3)) SELECT m FROM %s MATCH_RECOGNIZE (ORDER BY id " +
      "MEASURES transform(array(LAST(id)), %s -> %s + 1)[0] AS m PATTERN (A+))" -> Row(3L),
    "SELECT m FROM (SELECT named_struct('a', id).a AS id, struct(id AS %s) AS s FROM range(3)) " +
      "MATCH_RECOGNIZE (ORDER BY id MEASURES LAST(s.%s) + FIRST(A.s.%s) AS m PATTERN (A+))" ->
      Row(2L)
  )

  test("as column, measure, variable, alias, table, field and lambda parameter", Slow) {
    for {
      (word, number) <- words.zipWithIndex
      ((place, expected), at) <- places.zipWithIndex
      // Half of the places, which differ from word to word; the other spellings at two of them.
      others = Seq(word.toUpperCase(java.util.Locale.ROOT), s"`$word`")
      spelled <- (number + at) % 4 match {
        case 0 => word +: others
        case 2 => Seq(word)
        case _ => Nil
      }
    } {
      val sql = place.replace("%s", spelled)
      // All are analysed, a few are executed.
      if (spelled == word && (word == "define" || word == "first"))
        assert(rows(sql) == Seq(expected), sql)
      else assert(spark.sql(sql).schema.nonEmpty, sql)
    }
  }

  test("as session variable and parameter of a SQL function") {
    Sampled.oneIn(3, words).foreach { word =>
      spark.sql(s"DECLARE OR REPLACE VARIABLE $word INT DEFAULT 7")
      spark.sql(
        s"CREATE OR REPLACE TEMPORARY FUNCTION with_word($word INT) RETURNS INT RETURN $word"
      )
      val sql = "SELECT m FROM range(3) MATCH_RECOGNIZE (ORDER BY id " +
        s"MEASURES with_word(CAST(LAST(id) AS INT)) + session.$word AS m PATTERN (A+) " +
        s"DEFINE A AS id < $word)"
      try
        if (word == "measures") assert(rows(sql) == Seq(Row(9)), sql)
        else assert(spark.sql(sql).schema.nonEmpty, sql)
      finally spark.sql(s"DROP TEMPORARY VARIABLE $word")
    }
  }

  test("CLASSIFIER and MATCH_NUMBER without parentheses, where nothing else has the name") {
    val sql = "SELECT * FROM (SELECT id, id %s FROM range(4)) MATCH_RECOGNIZE (ORDER BY id " +
      "MEASURES LOWER(classifier) AS c, MATCH_NUMBER + 0 AS m PATTERN (A B) " +
      "DEFINE B AS CLASSIFIER = 'B' AND match_number < 9)"
    assert(rows(sql.format("AS x")) == Seq(Row("b", 1L), Row("b", 2L)))
    assert(rows(sql.format("AS match_number")) == Seq(Row("b", 1L), Row("b", 3L)))
    spark.sql("DECLARE OR REPLACE VARIABLE match_number BIGINT DEFAULT 7")
    try assert(rows(sql.format("AS x")) == Seq(Row("b", 7L), Row("b", 7L)))
    finally spark.sql("DROP TEMPORARY VARIABLE match_number")
  }

  test("literals as variables, in backticks; bare they stay literals") {
    Seq("NULL", "TRUE", "FALSE").map(word => s"`$word`").foreach { name =>
      val sql =
        s"SELECT * FROM range(4) MATCH_RECOGNIZE (ORDER BY id MEASURES LAST($name.id) AS l, " +
          s"COUNT($name.*) AS n, CLASSIFIER($name) AS c, U.id AS u, id = 2 AS t, NULL AS o " +
          s"AFTER MATCH SKIP TO LAST $name PATTERN (A $name{2}) SUBSET U = (A, $name) " +
          s"DEFINE $name AS $name.id > 0 AND TRUE AND NOT FALSE AND NULL IS NULL)"
      val label = name.filter(_ != '`')
      assert(rows(sql) == Seq(Row(2L, 2L, label, 2L, true, null)))
    }
    assert(
      rows("SELECT * FROM range(1) MATCH_RECOGNIZE (MEASURES NULL[0] AS m PATTERN (A))").size == 1
    )
  }

  test("comments, hints and substitution inside the clause") {
    val sql =
      s"""SELECT /*+ BROADCAST(m) */ m FROM range(3) MATCH_RECOGNIZE ( /* PATTERN ( */
        |  ORDER BY id -- MEASURES )
        |  MEASURES /* { */ COUNT(*) /* nested /* ) */ */ AS m -- '
        |  PATTERN (A /* B */ {1,$${match.most}}) -- {
        |  DEFINE A AS /* AS */ id < $${match.below} AND '$${match.below}' = '2'
        |) AS m""".stripMargin
    spark.conf.set("match.most", "5")
    spark.conf.set("match.below", "2")
    try assert(rows(sql) == Seq(Row(2L)))
    finally {
      spark.conf.unset("match.most")
      spark.conf.unset("match.below")
    }
  }

  test("a variable whose name is a number is substituted, in and around the clause") {
    def sql(size: String) = s"SELECT m, '$${1}' AS s FROM range(3) MATCH_RECOGNIZE (ORDER BY id " +
      s"MEASURES COUNT(*) AS m PATTERN (A$size) DEFINE A AS '$${1}' = 'one')"
    withConf("1" -> "one", "2" -> "{2}")(assert(rows(sql(s"$${2}")) == Seq(Row(2L, "one"))))
    // Without one it is a quantifier of an anchor, in PATTERN, and empty text elsewhere.
    withConf("1" -> "one")(assert(rows(sql(s"+$${2}")) == Seq(Row(3L, "one"))))
    assert(rows(sql(s"+$${2}").replace("'one'", "''")) == Seq(Row(3L, "")))
  }

  test("the value of SET is any text") {
    Seq(
      "see match_recognize (and pattern)",
      "x OVER (PATTERN (a))",
      "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A B) DEFINE",
      "FROM t MATCH_RECOGNIZE (ORDER BY k PATTERN (A{))"
    ).foreach { value =>
      try {
        spark.sql(s"SET my.note = $value")
        assert(spark.conf.get("my.note") == value)
        assert(rows("SET my.note") == Seq(Row("my.note", value)))
      } finally spark.conf.unset("my.note")
    }
    spark.sql("DECLARE OR REPLACE VARIABLE note BIGINT")
    try {
      val clause = "MATCH_RECOGNIZE (MEASURES COUNT(*) AS n PATTERN (A+))"
      spark.sql(s"SET VARIABLE note = (SELECT n FROM range(3) $clause)")
      spark.sql(s"SET VAR (note) = (SELECT n FROM range(3) $clause)")
      assert(rows("SELECT note") == Seq(Row(3L)))
      // Here the word is a column, not a command.
      val list = spark.sql("SELECT 1L AS list")
      assert(list.where(s"list IN (SELECT n FROM range(1) $clause)").count() == 1)
    } finally spark.sql("DROP TEMPORARY VARIABLE note")
  }

  test("CLASSIFIER has the default collation of a view") {
    try {
      spark.sql(
        "CREATE OR REPLACE VIEW words_collated DEFAULT COLLATION UTF8_LCASE AS SELECT * FROM " +
          "range(3) MATCH_RECOGNIZE (ORDER BY id MEASURES count_if(CLASSIFIER() = 'A') AS m, " +
          "collation(CLASSIFIER()) AS c, FIRST(CLASSIFIER()) = 'A' AS f PATTERN (a+ b) " +
          "DEFINE b AS PREV(CLASSIFIER()) = 'A')"
      )
      val row = rows("SELECT * FROM words_collated").head
      assert((row.get(0), row.get(2)) == ((2L, true)))
      assert(row.getString(1).endsWith("UTF8_LCASE"))
    } finally spark.sql("DROP VIEW IF EXISTS words_collated")
  }

  test("the type STRUCT<>") {
    val empty = "CAST(NULL AS STRUCT<>) IS NULL"
    val found = rows(
      s"SELECT c, $empty FROM range(2) MATCH_RECOGNIZE (PARTITION BY $empty AS k ORDER BY id " +
        s"MEASURES $empty AND id >> 0 = 1 AS c PATTERN (A+) DEFINE A AS $empty AND id >> 5 = 0)"
    )
    assert(found == Seq(Row(true, true)))
  }
}
