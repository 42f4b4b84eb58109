package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.ListItem._

/** Draws SELECT lists; the simplest options come first. */
final class SelectListGenerator(choices: Choices) {
  import SelectListGenerator._
  import choices._

  def list(): SelectList = {
    val overSubquery = oneIn(3)
    val hasGenerator = !overSubquery && oneIn(3)
    val row = Seq.fill(1 + below(3))(named(pick(Scalars: _*)))
    val generator = if (hasGenerator) Seq(pick(Generators: _*)) else Nil
    val window = if (oneIn(3)) Seq(named(pick(Windows: _*))) else Nil
    val ofTask = if (!overSubquery && oneIn(3)) Seq(named(pick(OfTask: _*))) else Nil
    val subquery = if (oneIn(4)) Seq(named(pick(Subqueries: _*))) else Nil
    val star = if (oneIn(5)) Seq(ListItem("*", None, columns = 0)) else Nil
    val drawn = row ++ generator ++ window ++ ofTask ++ subquery ++ star ++ calls()
    val items = withReference(choices.shuffle(drawn), !hasGenerator && ofTask.isEmpty)
    SelectList(
      items,
      isDistinct = !hasGenerator && oneIn(6),
      pick("", "", " WHERE k <> 4", " LATERAL VIEW explode(array('x')) e AS x"),
      keys = "PARTITION BY g ORDER BY k",
      overSubquery,
      features(
        "a generator" -> hasGenerator,
        "a subquery" -> subquery.nonEmpty,
        "an ordinary window" -> window.nonEmpty,
        "a function of the task" -> ofTask.nonEmpty,
        "a star" -> star.nonEmpty,
        "a lateral alias" -> (items.length > drawn.length),
        "a list over a subquery" -> overSubquery
      )
    )
  }

  private def calls(): Seq[ListItem] =
    Seq.fill(1 + below(3)) {
      val call = s"{${pick(Functions: _*)}}"
      // A quotient that fails unless the window guards it.
      val guarded = s"if({count(*)} >= 0, $call IS NULL, 1 / (length(g) - length(g)) > rand(1))"
      val condition = s"CASE WHEN $call IS NULL THEN 1 END"
      named(pick(call, call, s"concat(g, '-', $call)", condition, guarded)).copy(kind = OfOrder)
    }

  /**
   * An item that reads another one by its name, which must not be that of a column. If it reads a
   * window, Spark computes functions of the task above its own windows.
   */
  private def withReference(items: Seq[ListItem], isAllowed: Boolean): Seq[ListItem] = {
    val read = items.filter(i => i.name.exists(_.startsWith("x")) && i.kind != OfGenerator)
    val named = read.flatMap(_.name)
    read.find(i => i.name.exists(n => named.count(_ == n) == 1)) match {
      case Some(item) if isAllowed && oneIn(2) =>
        items :+ ListItem(s"concat(${item.name.get}, '+')", Some("reference"), item.kind)
      case _ => items
    }
  }

  private var number = 0

  /** With a name, which may be that of a column. */
  private def named(text: String): ListItem = {
    number += 1
    val own = s"x$number"
    val name = if (oneIn(4)) None else Some(pick(own, own, "v", "k"))
    ListItem(text, name)
  }

  private def features(all: (String, Boolean)*): Set[String] =
    all.collect { case (feature, true) => feature }.toSet
}

object SelectListGenerator {
  val Features: Seq[String] = Seq(
    "a generator",
    "a subquery",
    "an ordinary window",
    "a function of the task",
    "a star",
    "a lateral alias",
    "a list over a subquery"
  )

  private val Scalars = Seq(
    "k",
    "listed.s",
    "v + 1",
    "g % 2 = 1 AND b",
    "coalesce(d, v)",
    "CAST(d AS STRING)",
    "upper(s)",
    "get(arr, 0)",
    "transform(arr, v -> v + 1)",
    "named_struct('a', k, 'b', d)",
    "CASE WHEN v > 5 THEN s ELSE 'none' END",
    "NULL",
    "1.5",
    "map(k, s)[k]",
    "current_date() IS NULL",
    "DATE '2024-01-01' + k"
  )

  private val Windows = Seq(
    "max(v) OVER (PARTITION BY g)",
    "rank() OVER (ORDER BY k)",
    "sum(k) OVER (PARTITION BY b ORDER BY k RANGE BETWEEN 2 PRECEDING AND CURRENT ROW)",
    "1 + min(d) OVER (ORDER BY g, k)"
  )

  /** What depends on the task that computes it. */
  private val OfTask = Seq(
    "input_file_name()",
    "input_file_block_length() > 0",
    "spark_partition_id() + k",
    "monotonically_increasing_id()",
    "rand(3) > 0.5",
    "CASE WHEN k > 3 THEN input_file_name() END",
    "max(input_file_name()) OVER (PARTITION BY g)"
  )

  private val Subqueries = Seq(
    "(SELECT max(k) FROM listed)",
    "(SELECT max(o.k) FROM listed AS o WHERE o.g = listed.g)",
    "k IN (SELECT v FROM listed)",
    "EXISTS (SELECT 1 FROM listed AS o WHERE o.v = listed.k)"
  )

  private val Generators = Seq(
    ListItem("explode(arr)", Some("e"), OfGenerator),
    ListItem("explode_outer(arr)", None, OfGenerator),
    ListItem("posexplode(arr)", Some("(p, e)"), OfGenerator, 2),
    ListItem("inline(array(struct(k, s), struct(v, 'x')))", None, OfGenerator, 2),
    ListItem("stack(2, k, v)", Some("e"), OfGenerator),
    ListItem("json_tuple(s, 'a', 'b')", None, OfGenerator, 2)
  )

  private val Functions = Seq(
    "count(*)",
    "sum(v)",
    "max(d)",
    "min(s)",
    "avg(k)",
    "first_value(s)",
    "last_value(v)",
    "nth_value(k, 2)",
    "collect_list(v)",
    "count(v + 1)",
    "max(named_struct('a', d, 'b', s))",
    "any_value(b) IGNORE NULLS"
  )
}
