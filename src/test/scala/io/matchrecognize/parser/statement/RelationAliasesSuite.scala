package io.matchrecognize.parser.statement

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.parser.RelationForms

class RelationAliasesSuite extends AnyFunSuite {
  private val mr = "MATCH_RECOGNIZE (ORDER BY k MEASURES count(*) AS c PATTERN (A+))"

  /** How often the clauses of a statement make Spark's grammar read it. */
  private def reads(sql: String): Int = {
    var count = 0
    val scanner = new RelationScanner(
      new StatementText(sql),
      { tokens =>
        count += 1
        new Surroundings(tokens)
      }
    )
    assert(scanner.groups.nonEmpty, sql)
    count
  }

  test("Spark's grammar does not read a statement for clauses after names and queries") {
    Seq(
      s"FROM t $mr SELECT c",
      s"SELECT * FROM t $mr",
      s"SELECT a.*, c FROM a.b.`t u` $mr AS m",
      s"SELECT t.* FROM t x $mr m, b",
      s"SELECT c + 1 FROM t AS `x y` $mr JOIN t.data y $mr ON true",
      s"SELECT (SELECT max(c) FROM t $mr $mr)",
      s"SELECT * FROM a LEFT JOIN t $mr ON true JOIN u AS x $mr ON true",
      s"SELECT * FROM (SELECT * FROM t $mr) $mr",
      s"SELECT DISTINCT * FROM (a JOIN b USING (k)) AS x $mr",
      s"INSERT INTO a SELECT * FROM t $mr"
    ).foreach(sql => assert(reads(sql) == 0, sql))
    val queries = (0 until 60).map(i => s"c$i AS (SELECT * FROM t$i $mr)")
    assert(reads(s"WITH ${queries.mkString(", ")} SELECT * FROM c0") == 0)
  }

  test("it reads a statement once for all other clauses") {
    Seq(
      s"SELECT * FROM t x(a) $mr",
      s"SELECT * FROM a, t $mr",
      s"SELECT * FROM f(1) $mr",
      s"SELECT * FROM t TABLESAMPLE (2 ROWS) $mr",
      s"SELECT * FROM (a) $mr, (SELECT * FROM b) $mr, t VERSION AS OF 1 $mr"
    ).foreach(sql => assert(reads(sql) == 1, sql))
  }

  test("it reads a statement again for words that may be names of functions") {
    val call = "match_recognize(pattern(k) > 1)"
    assert(reads(s"SELECT * FROM data $mr, t AS data $mr, u $mr JOIN date $mr") == 1)
    assert(reads(s"SELECT $call AS c FROM t $mr WHERE NOT $call") <= 2)
  }

  test("what the words tell is what Spark's grammar reads", Slow) {
    val aliases =
      Seq("", " s", " AS s", " `s s`", " s(a)", " data", " AS s (a, b)", ".s", " from s")
    val before = Seq(
      "SELECT * FROM ",
      "SELECT * FROM a JOIN ",
      "SELECT 1 FROM a NATURAL JOIN ",
      "SELECT a FROM b, ",
      "SELECT * FROM from, from ",
      "SELECT 2 * from ",
      "SELECT a.from ",
      "SELECT join ",
      "SELECT a IS DISTINCT FROM "
    )
    val found = for {
      start <- before
      relation <- RelationForms.relations
      alias <- aliases
      sql = s"$start$relation$alias $mr"
      statement = new StatementText(sql)
      word = statement.tokens.lastIndexWhere(StatementText.isWord(_, "MATCH_RECOGNIZE"))
      evident <- new RelationAliases(statement, _ => false).evident(word)
    } yield {
      val place = statement.tokens(word - 1).getStartIndex
      val rest = statement.replaced(Seq((word, statement.tokens.length - 2, Nil)))
      // It reads nothing if the statement has another mistake.
      new Surroundings(rest).endingAt(place).foreach(r => assert(r == evident, sql))
      evident
    }
    assert(found.length > 100)
    assert(found.exists(_.alias.isEmpty) && found.exists(_.alias.isDefined))
  }
}
