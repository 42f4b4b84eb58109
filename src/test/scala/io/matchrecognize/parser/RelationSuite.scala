package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.analysis.UnresolvedSubqueryColumnAliases
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.plans.UnresolvedMatchRecognize

/** Two clauses, aliases, names and texts of a statement; [[RelationFormsSuite]] has its places. */
class RelationSuite extends AnyFunSuite with ParserSupport {
  private val mr =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES A.v AS m PATTERN (A{1,2} $) DEFINE A AS v > 1)"

  test("two clauses") {
    val both = plan(s"SELECT * FROM t $mr AS a JOIN t $mr AS b ON a.m = b.m")
    assert(count(both) == 2)
    val chained = plan(s"SELECT * FROM t AS s $mr AS a (x) $mr AS b")
    assert(count(chained) == 2)
    val outer = UnresolvedClauses.of(chained).head
    outer.child match {
      case SubqueryAlias(name, UnresolvedSubqueryColumnAliases(columns, inner)) =>
        assert(name.name == "a" && columns == Seq("x"))
        val node = inner.asInstanceOf[UnresolvedMatchRecognize]
        assert(node.child.asInstanceOf[SubqueryAlias].identifier.name == "s")
      case other => fail(other.treeString)
    }
    assert(count(plan(s"SELECT * FROM (SELECT * FROM t $mr) $mr")) == 2)
    assert(count(plan(s"FROM t $mr |> WHERE k > 1 |> $mr AS m |> SELECT m.m")) == 2)
  }

  test("aliases") {
    val named = plan(s"SELECT * FROM t AS s (x, y) $mr AS m (a, b)").children.head
    named match {
      case SubqueryAlias(m, UnresolvedSubqueryColumnAliases(ab, node: UnresolvedMatchRecognize)) =>
        assert(m.name == "m" && ab == Seq("a", "b"))
        val SubqueryAlias(s, UnresolvedSubqueryColumnAliases(xy, _)) =
          node.child: @unchecked
        assert(s.name == "s" && xy == Seq("x", "y"))
      case other => fail(other.treeString)
    }
    val bare = plan(s"SELECT * FROM t $mr").children.head
    assert(bare.isInstanceOf[UnresolvedMatchRecognize])
    assert(bare.children.head.nodeName == "UnresolvedRelation")
  }

  test("a table whose name is a keyword, whatever part precedes PATTERN") {
    Seq("", "ALL ROWS PER MATCH", "ALL ROWS PER MATCH WITH UNMATCHED ROWS").foreach { rows =>
      val clause = mr.replace("PATTERN", s"$rows PATTERN")
      assert(count(plan(s"SELECT * FROM day $clause WHERE k > 1")) == 1)
    }
    assert(count(plan("SELECT * FROM day MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS v > 1)")) == 1)
  }

  test("no clause") {
    Seq(
      "SELECT * FROM t match_recognize (a, b)",
      "SELECT * FROM t AS match_recognize (a, b)",
      "SELECT match_recognize(x) FROM t",
      "SELECT a, match_recognize(x + 1) FROM t",
      "SELECT 1 + match_recognize(x + 1) FROM t",
      "SELECT * FROM t WHERE match_recognize(x > 1)",
      "SELECT 'a MATCH_RECOGNIZE (PATTERN (A))' FROM t",
      "SELECT 1 -- FROM t MATCH_RECOGNIZE (PATTERN (A))",
      "SELECT 1 /* FROM t MATCH_RECOGNIZE (PATTERN (A)) */",
      "SELECT 1 /* /* x */ FROM t MATCH_RECOGNIZE (PATTERN (A)) */",
      "SELECT `t MATCH_RECOGNIZE (PATTERN (A))` FROM t",
      "SELECT match_recognize FROM match_recognize",
      "SELECT * FROM match_recognize(1 + 1)",
      "CREATE TABLE match_recognize (a INT, b STRING) USING parquet",
      "WITH match_recognize (a, b) AS (SELECT 1, 2) SELECT * FROM match_recognize"
    ).foreach { sql =>
      assert(count(plan(sql)) == 0, sql)
    }
  }

  test("texts that Spark keeps are the user's") {
    Seq(
      s"CREATE VIEW a AS SELECT * FROM t AS s $mr AS m -- end",
      s"CREATE OR REPLACE TEMPORARY VIEW a AS SELECT * FROM t $mr",
      s"CACHE TABLE a AS SELECT * FROM t $mr",
      s"CREATE FUNCTION f() RETURNS INT RETURN (SELECT max(m) FROM t $mr)"
    ).foreach { sql =>
      val strings = stringsOf(parser.parsePlan(sql)).filter(_.contains("MATCH_RECOGNIZE"))
      assert(strings.nonEmpty, sql)
      strings.foreach(s => assert(sql.contains(s) && s.contains(mr), s))
    }
  }

  test("all nodes quote the user's text, to the end of the clause") {
    Seq(
      s"SELECT a + 1 FROM t AS s\n$mr AS m",
      s"BEGIN SELECT * FROM t $mr; SELECT 2; END",
      s"WITH c AS (SELECT * FROM t $mr) SELECT (SELECT max(m) FROM t $mr) FROM c"
    ).foreach { sql =>
      val nodes = nodesOf(parser.parsePlan(sql))
      assert(nodes.length > 10)
      nodes.foreach(n => assert(n.origin.sqlText.forall(_ == sql), n))
      val fragments = nodes.filter(_.origin.sqlText.isDefined).map(_.origin.context.fragment)
      assert(fragments.exists(f => f.startsWith("SELECT") && f.contains(mr)), fragments)
    }
  }

  private def nodesOf(value: Any): Seq[TreeNode[_]] = value match {
    case node: TreeNode[_] => node +: node.productIterator.toSeq.flatMap(nodesOf)
    case items: Iterable[_] => items.toSeq.flatMap(nodesOf)
    case p: Product => p.productIterator.toSeq.flatMap(nodesOf)
    case _ => Nil
  }

  test("placeholders avoid names of the statement") {
    assert(count(parser.parsePlan(s"SELECT __mr_0__ FROM t AS __mr_0__ $mr")) == 1)
  }

  test("text outside the basic plane") {
    val sql = s"SELECT '\uD83D\uDE00' AS e FROM t AS s $mr AS m WHERE x = '\uD83D\uDE00'"
    assert(clause(sql).positions.pattern.context.fragment == "A{1,2} $")
  }

  private def stringsOf(value: Any): Seq[String] = value match {
    case s: String => Seq(s)
    case items: Iterable[_] => items.toSeq.flatMap(stringsOf)
    case p: Product => p.productIterator.toSeq.flatMap(stringsOf)
    case _ => Nil
  }

  private def count(value: Any): Int = value match {
    case node: UnresolvedMatchRecognize => 1 + count(node.child)
    case items: Iterable[_] => items.map(count).sum
    case p: Product => p.productIterator.map(count).sum
    case _ => 0
  }

  test("very many clauses one after the other") {
    def chain(count: Int): String = "SELECT * FROM t" + " MATCH_RECOGNIZE (PATTERN (A))" * count
    assert(UnresolvedClauses.of(parser.parsePlan(chain(100))).length == 100)
    val error = intercept[ParseException](parser.parsePlan(chain(2000)))
    assert(error.getCondition == "PARSE_SYNTAX_ERROR")
    assert(error.getMessage.contains("at most 100 clauses follow one another"))
  }
}
