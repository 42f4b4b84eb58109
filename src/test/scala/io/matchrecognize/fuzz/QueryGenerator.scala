package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.matcher.FuzzCase
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{RowPattern, RowPatternAnalysis}

/** Random queries; the same seed gives the same query. */
object QueryGenerator {

  /** Maximum number of rows of a partition. */
  private val PartitionRows = 8

  /** Number of rows of a partition with several chunks. */
  private val LongPartition = 5000

  /** One in this many queries is over a long partition. */
  private val LongQueries = 80

  /** One in this many queries has conditions on the distance of its leading order key. */
  private val DistanceQueries = 3

  /** Number of rows of one of six of their partitions, whose conditions are tested in blocks. */
  private val DistanceRows = 200

  /** A variable at the end of their patterns. */
  private val LastName = "Zz"

  private val doubles = Seq(-0.0, 0.0, 0.5, 1.0, 1.5, 0.5, 1.0, Double.NaN, Double.NaN) ++
    Seq(Double.PositiveInfinity, Double.NegativeInfinity)

  private val spellings = Seq(
    Seq("A", "B", "C", "D"),
    Seq("A", "B", "C", "D"),
    Seq("A", "B", "C", "D"),
    // Variables named like columns, the table and words of the clause.
    Seq("V", "T", "Last", "d"),
    Seq("Start", "s", "Running", "g")
  )

  def random(seed: Long): FuzzQuery = {
    val random = new Random(seed)
    def oneIn(n: Int) = random.nextInt(n) == 0
    def pick[T](options: T*): T = options(random.nextInt(options.size))

    val rowsPerMatch = pick(
      "ONE ROW PER MATCH",
      "ONE ROW PER MATCH",
      "ONE ROW PER MATCH SHOW TIMEOUT MATCHES",
      "ALL ROWS PER MATCH",
      "ALL ROWS PER MATCH SHOW EMPTY MATCHES",
      "ALL ROWS PER MATCH OMIT EMPTY MATCHES",
      "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
    )
    val names = Seq("A", "B", "C", "D").zip(pick(spellings: _*)).toMap
    val key =
      if (oneIn(DistanceQueries)) Some(pick(FuzzKey.all ++ FuzzKey.all.take(2): _*)) else None
    val some = rename(FuzzCase.randomPattern(random, 1 + random.nextInt(4)), names)
    // A match that ends with a condition on the distance has a deadline.
    val drawn =
      if (key.nonEmpty && !oneIn(3)) Concatenation(Seq(some, Variable(LastName))) else some
    val pattern = if (rowsPerMatch.endsWith("UNMATCHED ROWS")) withoutExclusion(drawn) else drawn
    val primary = RowPatternAnalysis.variables(pattern, identity)
    val subsets =
      if (primary.isEmpty) Nil
      else
        Seq("U", "W").filter(_ => oneIn(2)).map { name =>
          val members = random.shuffle(primary).take(1 + random.nextInt(primary.size))
          name -> members
        }
    val variables = (primary ++ subsets.map(_._1)).toIndexedSeq

    val nested = oneIn(4)
    val define = new ExpressionGenerator(random, variables, inDefine = true, nested)
    val hard = random.nextInt(4)
    val comparesFirst = oneIn(3)
    val isFalling = oneIn(3)
    val distances = key.map(new DistanceConditions(random, variables, _))
    val conditions = random.shuffle(primary).flatMap { name =>
      val condition =
        if (name == LastName) distances.map(_.deadline(isFalling))
        else if (distances.nonEmpty && !oneIn(3)) distances.map(_.condition())
        else if (oneIn(30) && !key.exists(_.wraps)) Some(define.division())
        else if (comparesFirst && !oneIn(4)) Some(define.firstRow(1))
        else if (random.nextInt(4) < hard) Some(define.boolean(2))
        else if (oneIn(3)) None
        else Some(define.easy())
      condition.map(name -> _)
    }
    val output = new ExpressionGenerator(random, variables, inDefine = false, nested)
    val measures = Seq.fill(1 + random.nextInt(6))(output.measure()) ++
      key.map(_ => Navigation(pick("FIRST", "LAST"), "", Column(None, "o"), None))
    val skip = random.nextInt(6) match {
      case 0 | 1 => FuzzSkip("PAST LAST ROW", None)
      case 2 | 3 => FuzzSkip("TO NEXT ROW", None)
      case _ if variables.isEmpty => FuzzSkip("TO NEXT ROW", None)
      case _ =>
        FuzzSkip(
          pick("TO FIRST", "TO LAST", "TO"),
          Some(variables(random.nextInt(variables.size)))
        )
    }
    val long = oneIn(LongQueries)
    val many = !long && key.nonEmpty && oneIn(6)
    val partitionBy =
      if (long || many) Nil
      else
        pick(
          Seq("g"),
          Seq("g"),
          Seq("g"),
          Seq("g"),
          Nil,
          Seq("s"),
          Seq("d"),
          Seq("s", "g"),
          Seq("COALESCE(g, 1)")
        )
    val isWithin = rowsPerMatch.endsWith("SHOW TIMEOUT MATCHES") || (!long && oneIn(6))
    val order =
      (if (key.nonEmpty && !isWithin)
         Seq(FuzzOrder("o", isFalling, pick("", "NULLS FIRST", "NULLS LAST")))
       else if (oneIn(2)) Nil
       else if (isWithin) Seq(FuzzOrder(pick("v", "d"), descending = false, pick("", "NULLS LAST")))
       else {
         val nulls = pick("", "NULLS FIRST", "NULLS LAST")
         Seq(FuzzOrder(pick("v", "d", "s", "k % 3"), random.nextBoolean(), nulls))
       }) :+ FuzzOrder("k", !isWithin && oneIn(3), "")
    val rows =
      if (long || many) partition(random, 1L, if (long) LongPartition else DistanceRows)
      else if (partitionBy == Seq("g"))
        (0 until 10).flatMap { g =>
          partition(random, if (g == 0) null else g.toLong, random.nextInt(PartitionRows + 1))
        }
      else {
        val count = random.nextInt(if (partitionBy.isEmpty) PartitionRows + 1 else 30)
        partition(random, null, count).map { row =>
          if (oneIn(3)) row else row.copy(g = random.nextInt(3).toLong)
        }
      }
    val settings = FuzzSettings.random(random)
    val query = FuzzQuery(
      pattern,
      subsets,
      conditions,
      measures,
      rowsPerMatch,
      skip,
      partitionBy,
      order,
      if (isWithin) Some(pick(0.0, 1.0, 1.0, 2.0, 3.0, 100.0)) else None,
      withKeys(random, key, random.shuffle(rows.toVector), if (many) DistanceRows / 4 else 0),
      nested,
      kept = Nil,
      filter = None,
      random.nextLong(),
      if (long) settings.updated(MatchRecognizeConf.SpillThresholdRows.key, "1") else settings,
      key
    )
    query.copy(
      kept = if (oneIn(5)) query.clauseColumns.filter(_ => random.nextInt(3) > 0).take(4) else Nil,
      filter = if (oneIn(4)) Some(filter(random, query.clauseColumns)) else None
    )
  }

  /** A condition on the output, which may or may not be pushed below the clause. */
  private def filter(random: Random, columns: Seq[String]): FuzzExpression = {
    val column = Column(None, columns(random.nextInt(columns.size)))
    val isNull = op(if (random.nextInt(3) == 0) "IS NULL" else "IS NOT NULL", column)
    val number = Seq("g", "k", "v").filter(columns.contains)
    if (number.isEmpty) isNull
    else {
      val compared = op(
        Seq("<", "=", "<>", "<=>")(random.nextInt(4)),
        Column(None, number(random.nextInt(number.size))),
        Constant(random.nextInt(9).toLong)
      )
      random.nextInt(4) match {
        case 0 => isNull
        case 1 => op("AND", isNull, compared)
        case 2 => op("OR", isNull, compared)
        case _ => compared
      }
    }
  }

  /** The rows with values of the column `o`, if there is one. */
  def withKeys(
      random: Random,
      key: Option[FuzzKey],
      rows: Vector[FuzzRow],
      spread: Int = 0
  ): Vector[FuzzRow] = key.fold(rows)(k => rows.map(_.copy(o = k.draw(random, spread))))

  /** Rows of one value of `g`, in any order. */
  def partition(random: Random, g: Any, count: Int): Seq[FuzzRow] = {
    def orNull(value: => Any): Any = if (random.nextInt(6) == 0) null else value
    random.shuffle((1 to count).toList).map { k =>
      FuzzRow(
        g,
        k.toLong,
        orNull(random.nextInt(5).toLong),
        orNull(doubles(random.nextInt(doubles.size))),
        orNull(Seq("x", "y", "zz")(random.nextInt(3)))
      )
    }
  }

  private def rename(pattern: RowPattern, names: Map[String, String]): RowPattern =
    map(pattern) {
      case Variable(name) => Variable(names(name))
      case other => other
    }

  private def withoutExclusion(pattern: RowPattern): RowPattern = map(pattern) {
    case Exclusion(element) => element
    case other => other
  }

  /** Replaces parts, innermost first. */
  def map(pattern: RowPattern)(f: RowPattern => RowPattern): RowPattern = f(pattern match {
    case Concatenation(elements) => Concatenation(elements.map(map(_)(f)))
    case Alternation(branches) => Alternation(branches.map(map(_)(f)))
    case Permutation(elements) => Permutation(elements.map(map(_)(f)))
    case quantified: Quantified => quantified.copy(element = map(quantified.element)(f))
    case Exclusion(element) => Exclusion(map(element)(f))
    case leaf => leaf
  })
}
