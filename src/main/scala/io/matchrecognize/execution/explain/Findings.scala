package io.matchrecognize.execution.explain

import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.expressions.{UnsafeRow, XXH64}

import io.matchrecognize.execution.compile.FailureTexts

/**
 * Where something was found, one row after another: rows are numbered from 0.
 *
 * @param start
 *   the first row of the attempt
 */
final case class Place(partition: PartitionName, start: Long, row: Long) {

  /** Of equal findings that of the first partition is told, whatever task searched it. */
  def isBefore(other: Place): Boolean =
    if (partition != other.partition) partition.isBefore(other.partition)
    else start < other.start
}

/**
 * A partition.
 *
 * @param text
 *   its keys, long values cut, which others may share
 * @param hash
 *   of its whole keys
 */
final case class PartitionName(text: String, hash: Long) {

  /** An order in which `k = 9` is before `k = 10`. */
  def isBefore(other: PartitionName): Boolean =
    if (text.length != other.text.length) text.length < other.text.length
    else if (text != other.text) text < other.text
    else hash < other.hash

  override def toString: String = text
}

object PartitionName {
  def of(texts: FailureTexts, keys: => UnsafeRow): PartitionName = {
    val hash =
      if (texts.partition.isEmpty) 0L
      else XXH64.hashUnsafeBytes(keys.getBaseObject, keys.getBaseOffset, keys.getSizeInBytes, 0L)
    PartitionName(texts.partitionOf(keys), hash)
  }
}

/**
 * A test that failed.
 *
 * @param truth
 *   of `ConditionDisplay`
 */
final case class FailedTest(symbol: Int, part: Int, truth: Int)

/**
 * The attempt that came furthest before a test failed.
 *
 * @param last
 *   the variable of the row before, -1 if there is none
 * @param evaluated
 *   the condition with the values in it, null if that is not known
 */
final case class Example(place: Place, last: Int, evaluated: String) {
  def length: Long = place.row - place.start
}

/** A match with the most rows, and its path as text. */
final case class LongestMatch(place: Place, path: String) {
  def length: Long = place.row - place.start + 1
}

/**
 * The nearest end of a match that WITHIN prevents.
 *
 * @param span
 *   from the first row to the last one, to compare
 * @param text
 *   the same as a bound of WITHIN
 */
final case class Span(span: BigDecimal, text: String, place: Place)

/** An error that ends the query, where it was met first. */
final case class ErrorFound(place: Place, text: String)

/** What the attempts and the rows of some partitions told. It grows with the clause only. */
final class Findings(val clause: ExplainedClause) extends Serializable {
  private val symbols = clause.variables.indices

  var partitions = 0L
  var rows = 0L
  var attempts = 0L
  var matches = 0L
  var emptyMatches = 0L

  /** By reason how many attempts found no match. */
  val ends: mutable.Map[String, Long] = mutable.Map.empty

  /** By reason, the failed tests that were furthest along in an attempt. */
  val failures: mutable.Map[(String, FailedTest), Long] = mutable.Map.empty
  val examples: mutable.Map[(String, FailedTest), Example] = mutable.Map.empty

  /** By symbol, the truths of the conditions of all rows, if they can be judged alone. */
  val alone: Array[Array[Long]] = counts

  /** By symbol and conjunct the same, and how often an error is not reached. */
  val parts: Array[Array[Array[Long]]] = clause.parts.map(_.map(_ => new Array[Long](Truths + 1)))

  /** By symbol and conjunct the values that were compared. */
  val values: Array[Array[ValueCounts]] = clause.parts.map(_.map { part =>
    if (part.isLocal && part.value.isDefined) new ValueCounts else null
  })

  /** By symbol, the truths that attempts met of conditions that depend on the path. */
  val tested: Array[Array[Long]] = counts

  /** Rows of matches by symbol, and the most that it took in one match. */
  val taken: Array[Long] = new Array(symbols.length)
  val most: Array[Long] = new Array(symbols.length)
  var longest: Option[LongestMatch] = None

  /** Whether a row lies in several matches. */
  var isOverlapping = false

  /** Rows inside a match that no attempt began at; those tried nevertheless; those that match. */
  var skipped = 0L
  var skippedTried = 0L
  var skippedMatches = 0L

  /** Attempts that WITHIN ended; those tried without it; those that match then. */
  var widened = 0L
  var widenedMatches = 0L
  var nearest: Option[Span] = None

  var errors = 0L
  var error: Option[ErrorFound] = None

  /** Partitions whose search was too long, and where it stopped. */
  var stopped = 0L
  var stop: Option[Place] = None

  private def counts: Array[Array[Long]] = Array.fill(symbols.length, Truths)(0L)

  /** Adds what others told. */
  def merge(other: Findings): Unit = {
    partitions += other.partitions
    rows += other.rows
    attempts += other.attempts
    matches += other.matches
    emptyMatches += other.emptyMatches
    skipped += other.skipped
    skippedTried += other.skippedTried
    skippedMatches += other.skippedMatches
    widened += other.widened
    widenedMatches += other.widenedMatches
    isOverlapping ||= other.isOverlapping
    errors += other.errors
    stopped += other.stopped
    other.ends.foreach { case (reason, count) => Tally.add(ends, reason, count) }
    other.failures.foreach { case (key, count) => Tally.add(failures, key, count) }
    other.examples.foreach { case (key, example) => offer(key, example) }
    other.longest.foreach(offer)
    other.nearest.foreach(offer)
    other.error.foreach(offer)
    other.stop.foreach(offerStop)
    add(alone, other.alone)
    add(tested, other.tested)
    parts.zip(other.parts).foreach { case (mine, others) => add(mine, others) }
    for (symbol <- symbols) {
      taken(symbol) += other.taken(symbol)
      most(symbol) = most(symbol).max(other.most(symbol))
      values(symbol).zip(other.values(symbol)).foreach { case (mine, others) =>
        if (mine != null) mine.merge(others)
      }
    }
  }

  private def add(mine: Array[Array[Long]], others: Array[Array[Long]]): Unit =
    for (i <- mine.indices; j <- mine(i).indices) mine(i)(j) += others(i)(j)

  /** Whether an attempt of this length at a place is an example of its end and failed test. */
  def isWanted(key: (String, FailedTest), place: Place): Boolean = examples.get(key) match {
    case None => true
    case Some(known) =>
      val length = place.row - place.start
      length > known.length || (length == known.length && place.isBefore(known.place))
  }

  def offer(key: (String, FailedTest), example: Example): Unit =
    if (isWanted(key, example.place)) examples(key) = example

  def isLongest(place: Place): Boolean = longest.forall { known =>
    val length = place.row - place.start + 1
    length > known.length || (length == known.length && place.isBefore(known.place))
  }

  def offer(found: LongestMatch): Unit = if (isLongest(found.place)) longest = Some(found)

  def offer(found: Span): Unit =
    if (
      nearest.forall { known =>
        found.span < known.span || (found.span == known.span && found.place.isBefore(known.place))
      }
    ) nearest = Some(found)

  def offer(found: ErrorFound): Unit =
    if (error.forall(known => found.place.isBefore(known.place))) error = Some(found)

  def offerStop(place: Place): Unit = if (stop.forall(place.isBefore)) stop = Some(place)

  /** For a row of Spark. */
  def toBytes: Array[Byte] = {
    val buffer = SparkEnv.get.closureSerializer.newInstance().serialize(this)
    val bytes = new Array[Byte](buffer.remaining())
    buffer.get(bytes)
    bytes
  }

  private final def Truths: Int = 4
}

object Findings {
  def ofBytes(bytes: Array[Byte]): Findings =
    SparkEnv.get.closureSerializer
      .newInstance()
      .deserialize[Findings](ByteBuffer.wrap(bytes), getClass.getClassLoader)
}
