package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.analysis.UnresolvedSubqueryColumnAliases
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.plans.UnresolvedMatchRecognize

/** The places of a clause in a statement, and the aliases around it. */
class RelationSuite extends AnyFunSuite with ParserSupport {
  private val mr =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES A.v AS m PATTERN (A{1,2} $) DEFINE A AS v > 1)"

  private val positions = Seq(
    s"SELECT * FROM t $mr",
    s"SELECT * FROM t $mr AS m",
    s"SELECT * FROM t $mr m",
    s"SELECT * FROM t $mr `m n` (a, b)",
    s"SELECT * FROM a.b.t $mr WHERE x > 1",
    s"SELECT * FROM t $mr ORDER BY m LIMIT 10",
    s"SELECT m, count(*) FROM t $mr GROUP BY m HAVING count(*) > 1",
    s"SELECT * FROM t AS s $mr AS m",
    s"SELECT * FROM t s $mr AS m",
    s"SELECT * FROM t s (a, b) $mr AS m (c, d)",
    s"SELECT * FROM a JOIN t $mr AS m ON a.x = m.m",
    s"SELECT * FROM t $mr AS m JOIN a ON a.x = m.m",
    s"SELECT * FROM t $mr JOIN a USING (m)",
    s"SELECT * FROM t $mr LEFT JOIN a ON true",
    s"SELECT * FROM a, t $mr",
    s"SELECT * FROM t $mr, a",
    s"SELECT * FROM t $mr, LATERAL (SELECT 1) AS l",
    s"SELECT * FROM t $mr LATERAL VIEW explode(arr) x AS y",
    s"SELECT * FROM a, LATERAL (SELECT * FROM b) $mr AS m",
    s"SELECT * FROM (SELECT * FROM t) $mr",
    s"SELECT * FROM (SELECT * FROM t) AS s (x, y) $mr",
    s"SELECT * FROM (SELECT * FROM t $mr) AS s",
    s"SELECT * FROM (a JOIN b ON a.x = b.x) $mr",
    s"SELECT * FROM range(10) $mr",
    s"SELECT * FROM range(10) AS r (k) $mr",
    s"SELECT * FROM VALUES (1, 2), (3, 4) $mr",
    s"SELECT * FROM VALUES (1, 2), (3, 4) AS v (k, x) $mr",
    s"SELECT * FROM VALUES 1, 2 AS v (k) $mr",
    s"SELECT * FROM (VALUES (1, 2)) v(k, x) $mr AS m",
    s"SELECT * FROM t TABLESAMPLE (10 ROWS) $mr AS m",
    s"SELECT * FROM t TABLESAMPLE (10 PERCENT) REPEATABLE (3) AS s $mr AS m",
    s"SELECT * FROM (SELECT * FROM t) TABLESAMPLE (10 PERCENT) $mr",
    s"SELECT * FROM t VERSION AS OF 1 $mr",
    s"SELECT * FROM t TIMESTAMP AS OF '2020-01-01' AS s $mr",
    s"SELECT * FROM t $mr PIVOT (sum(m) FOR k IN (1, 2))",
    s"SELECT * FROM t $mr AS m UNPIVOT (x FOR y IN (a, b))",
    s"FROM t $mr SELECT *",
    s"FROM t $mr |> WHERE m > 1 |> SELECT m",
    s"FROM t |> WHERE k > 1 |> $mr |> SELECT m",
    s"FROM t |> AS s |> $mr AS m |> SELECT m.m",
    s"SELECT * FROM STREAM t $mr",
    s"WITH c AS (SELECT * FROM t $mr) SELECT * FROM c",
    s"WITH c (a) AS (SELECT m FROM t $mr), d AS (SELECT 1) SELECT * FROM c, d",
    s"SELECT (SELECT max(m) FROM t $mr)",
    s"SELECT * FROM a WHERE EXISTS (SELECT 1 FROM t $mr)",
    s"SELECT * FROM a WHERE x IN (SELECT m FROM t $mr AS q WHERE q.m = a.x)",
    s"SELECT transform(array(1), x -> x + (SELECT max(m) FROM t $mr))",
    s"SELECT * FROM a UNION ALL SELECT * FROM t $mr",
    s"SELECT * FROM t $mr UNION SELECT * FROM a",
    s"SELECT * FROM t $mr EXCEPT SELECT * FROM a",
    s"INSERT INTO a SELECT * FROM t $mr",
    s"INSERT OVERWRITE a SELECT * FROM t $mr m",
    s"CREATE TABLE a USING parquet AS SELECT * FROM t $mr",
    s"CREATE VIEW a AS SELECT * FROM t $mr",
    s"CREATE OR REPLACE TEMP VIEW a AS SELECT * FROM t $mr AS m",
    s"ALTER VIEW a AS SELECT * FROM t $mr AS m",
    s"CACHE TABLE a AS SELECT * FROM t $mr",
    s"EXPLAIN EXTENDED SELECT * FROM t $mr",
    s"DESCRIBE QUERY SELECT * FROM t $mr",
    s"MERGE INTO a USING t $mr AS m ON a.x = m.m WHEN MATCHED THEN DELETE",
    s"MERGE INTO a USING t AS s $mr AS m ON a.x = m.m WHEN NOT MATCHED THEN INSERT *",
    s"MERGE INTO a USING (SELECT * FROM t $mr) AS m ON a.x = m.m WHEN MATCHED THEN DELETE",
    s"DELETE FROM a WHERE x IN (SELECT m FROM t $mr)",
    s"UPDATE a SET x = (SELECT max(m) FROM t $mr)",
    s"CREATE FUNCTION f() RETURNS INT RETURN (SELECT max(m) FROM t $mr)",
    s"CREATE FUNCTION f() RETURNS TABLE RETURN SELECT m FROM t $mr",
    s"DECLARE x INT DEFAULT (SELECT max(m) FROM t $mr)",
    s"SET VAR x = (SELECT max(m) FROM t $mr)",
    s"BEGIN SELECT * FROM t $mr; END",
    s"BEGIN DECLARE x INT; SET x = (SELECT max(m) FROM t $mr); SELECT x; END",
    s"BEGIN IF EXISTS (SELECT 1 FROM t $mr) THEN SELECT 1; END IF; END",
    s"BEGIN FOR r AS SELECT m FROM t $mr DO SELECT r.m; END FOR; END",
    s"SELECT /*+ BROADCAST(t) */ * FROM t $mr",
    s"SELECT * FROM f(TABLE (SELECT * FROM t $mr))",
    s"SELECT * FROM IDENTIFIER('t') $mr",
    s"SELECT * FROM IDENTIFIER('a' || 'b') AS s $mr AS m",
    s"SELECT * FROM t $mr WINDOW w AS (ORDER BY m)",
    s"SELECT * FROM t $mr CROSS JOIN a",
    s"SELECT * FROM t $mr NATURAL JOIN a"
  )

  private val hasStream = isRead("SELECT * FROM STREAM t AS s")
  private val delay = "WATERMARK ts DELAY OF INTERVAL 10 MINUTES"

  positions.filter(sql => hasStream || !sql.contains("STREAM")).foreach { sql =>
    test(sql.replace(mr, "MR")) {
      // The body of a SQL function is kept as text.
      val words = if (sql.startsWith("CREATE FUNCTION")) 0 else 1
      assert(count(parser.parsePlan(sql)) == words)
      assert(!leaks(parser.parsePlan(sql)))
    }
  }

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

  test("a sample of the table is the clause's input") {
    Seq("10 ROWS" -> "GlobalLimit", "10 PERCENT" -> "Sample").foreach { case (size, node) =>
      val top = plan(s"SELECT * FROM t TABLESAMPLE ($size) AS s $mr AS m LIMIT 3")
      assert(UnresolvedClauses.of(top).head.child.find(_.nodeName == node).isDefined, top)
      val derived = plan(s"SELECT * FROM (SELECT * FROM t) TABLESAMPLE ($size) $mr")
      assert(UnresolvedClauses.of(derived).head.child.find(_.nodeName == node).isDefined, derived)
    }
    val piped = plan(s"FROM t TABLESAMPLE (10 ROWS) $mr |> LIMIT 3")
    assert(
      UnresolvedClauses
        .of(piped)
        .head
        .child
        .collect { case p if p.nodeName == "GlobalLimit" => p }
        .length == 1
    )
  }

  if (isRead(s"SELECT * FROM t $delay")) test("a watermark is below the clause") {
    Seq("t", "STREAM t", "(SELECT * FROM t)").foreach { input =>
      Seq("", " AS s", " s").foreach { alias =>
        val top = plan(s"SELECT * FROM $input $delay$alias $mr AS m")
        val clause = UnresolvedClauses.of(top).head
        assert(clause.child.find(_.nodeName == "UnresolvedEventTimeWatermark").isDefined, top)
        assert(alias.isEmpty || clause.child.find(_.isInstanceOf[SubqueryAlias]).isDefined, top)
      }
    }
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

  private def leaks(plan: LogicalPlan): Boolean = stringsOf(plan).exists(_.contains("__mr"))

  private def count(value: Any): Int = value match {
    case node: UnresolvedMatchRecognize => 1 + count(node.child)
    case items: Iterable[_] => items.map(count).sum
    case p: Product => p.productIterator.map(count).sum
    case _ => 0
  }
}
