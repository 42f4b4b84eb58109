package io.matchrecognize.streaming

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.TaskKilledException
import org.apache.spark.unsafe.Platform
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.errors.MatchRecognizeRuntimeException
import io.matchrecognize.execution.task.Memory
import io.matchrecognize.streaming.state._

class TimeQueueSuite extends AnyFunSuite {

  private final class Resources extends Memory {
    var held = 0L
    var most = 0L

    /** How many looks are left before the task is killed. */
    var looks: Int = Int.MaxValue

    /** How many bytes there are. */
    var limit: Long = Long.MaxValue

    override def must(bytes: Long): Unit = {
      if (held + bytes > limit) throw new IllegalStateException("no memory")
      held += bytes
      most = most.max(held)
    }
    override def may(bytes: Long): Boolean = held + bytes <= limit && {
      must(bytes)
      true
    }
    override def release(bytes: Long): Unit = held -= bytes
    override def checkCancelled(): Unit = {
      looks -= 1
      if (looks < 0) throw new TaskKilledException("stopped")
    }
  }

  private def newQueue(
      entries: StateEntries,
      resources: Memory = new Resources
  ): TimeQueue = new TimeQueue(StateLayout.Pending, entries, resources)

  private def add(queue: TimeQueue, time: Long, text: String): Unit = {
    val bytes = text.getBytes(UTF_8)
    queue.add(time, bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length)
  }

  private def take(queue: TimeQueue, time: Long): Seq[(Long, String)] = {
    val taken = mutable.ArrayBuffer.empty[(Long, String)]
    queue.take(time) { (at, bytes, start, length) =>
      taken += at -> new String(bytes, start, length, UTF_8)
    }
    taken.toSeq
  }

  /** The queue as another task finds it. */
  private def reopened(queue: TimeQueue, entries: StateEntries): TimeQueue = {
    queue.flush()
    val bytes = new ByteArrayOutputStream
    bytes.write(StateLayout.Format)
    queue.write(new DataOutputStream(bytes))
    val copy = newQueue(entries)
    copy.read(StateLayout.input(bytes.toByteArray))
    copy
  }

  test("gives what was added, once, when its time has come") {
    val random = new Random(1)
    for (spread <- Seq(1L, 1000L, Long.MaxValue / 2)) {
      val table = new MemoryTable
      val entries = new StateEntries(table, isPartitioned = true)
      var queue = newQueue(entries)
      val model = mutable.ArrayBuffer.empty[(Long, String)]
      var watermark = 0L
      for (round <- 0 until 60) {
        for (i <- 0 until random.nextInt(if (round % 10 == 0) 3000 else 40)) {
          val time = watermark + 1 + math.abs(random.nextLong() % spread)
          val text = "x" * random.nextInt(20) + s"$round.$i"
          add(queue, time, text)
          model += time -> text
        }
        watermark += spread / 20
        val expected = model.filter(_._1 <= watermark).sorted
        assert(take(queue, watermark).sorted == expected)
        model.filterInPlace(_._1 > watermark)
        assert(queue.count == model.length)
        queue = reopened(queue, entries)
        assert(queue.count == model.length)
        assert(table.size == queue.chunkCount)
      }
      assert(take(queue, Long.MaxValue).sorted == model.sorted)
      assert(queue.isEmpty && queue.bytes == 0 && table.size == 0)
    }
  }

  test("small batches end in few runs, and few entries are written again") {
    val table = new MemoryTable
    val entries = new StateEntries(table, isPartitioned = false)
    var queue = newQueue(entries)
    val random = new Random(2)
    val batches = 2000
    for (_ <- 0 until batches) {
      for (_ <- 0 until 10) add(queue, random.nextInt(1000000).toLong, "entry")
      queue = reopened(queue, entries)
    }
    assert(queue.count == batches * 10)
    assert(queue.runCount <= 7 * 5, "runs")
    assert(queue.chunkCount <= batches * 10 / 512 + 7 * 5, "chunks")
    // Each batch writes its own chunk, and an entry moves up a level four times at most.
    assert(table.writes <= batches + 4 * (batches * 10 / 64), "writes")
  }

  test("a watermark that moves little reads little") {
    val table = new MemoryTable
    val entries = new StateEntries(table, isPartitioned = false)
    var queue = newQueue(entries)
    for (time <- 1 to 100000) add(queue, time.toLong, "entry")
    queue = reopened(queue, entries)
    val before = table.reads
    assert(take(queue, 100).length == 100)
    assert(table.reads - before <= 2, "one chunk of each run")
  }

  test("the time of the oldest entries") {
    val entries = new StateEntries(new MemoryTable, isPartitioned = false)
    val queue = newQueue(entries)
    val random = new Random(3)
    val times = Seq.fill(5000)(random.nextInt(2000).toLong)
    times.grouped(700).foreach { part =>
      part.foreach(add(queue, _, "e"))
      queue.flush()
    }
    val sorted = times.sorted
    for (wanted <- Seq(1, 2, 511, 512, 513, 3000, 5000))
      assert(queue.timeOfOldest(wanted.toLong) == sorted(wanted - 1))
    assert(queue.timeOfOldest(6000) == sorted.last)
    assert(take(queue, 500).length == times.count(_ <= 500))
    val rest = sorted.filter(_ > 500)
    assert(queue.timeOfOldest(10) == rest(9))
  }

  test("the oldest of very many entries are found with few of their times in memory") {
    val resources = new Resources
    val queue = newQueue(new StateEntries(new MemoryTable, isPartitioned = false), resources)
    val random = new Random(4)
    val times = Seq.fill(300000)(random.nextInt(1000000).toLong)
    times.foreach(add(queue, _, ""))
    queue.flush()
    val before = resources.held
    resources.most = 0
    assert(queue.timeOfOldest(250000) == times.sorted.apply(249999))
    val taken = resources.most - before
    assert(taken > 0 && taken <= queue.runCount * 512 * 8)
    assert(resources.held == before)
  }

  test("what waits in memory is counted, and the room for a large entry is returned") {
    val resources = new Resources
    val queue = newQueue(new StateEntries(new MemoryTable, isPartitioned = false), resources)
    add(queue, 1L, "x" * 1000000)
    assert(resources.held >= 1000000 - 4096)
    add(queue, 2L, "y" * (40 << 20))
    assert(resources.most >= (40 << 20))
    for (time <- 1 to 60000) add(queue, time.toLong, "entry")
    assert(resources.held >= 60000 * (12L + 5) - 10000 && resources.held <= (32 << 20))
    assert(take(queue, 2L).map(_._2.length).sum == 1000000 + (40 << 20) + 2 * 5)
  }

  test("without memory for more, what waits is written earlier, and runs are merged later") {
    val resources = new Resources
    val entries = new StateEntries(new MemoryTable, isPartitioned = false)
    val queue = newQueue(entries, resources)
    resources.limit = 20000
    val random = new Random(5)
    val model = Seq.tabulate(20000)(i => random.nextInt(1000000).toLong -> s"entry $i")
    model.foreach { case (time, text) => add(queue, time, text) }
    queue.flush()
    assert(queue.count == model.length)
    val runs = queue.runCount
    assert(runs > 20)
    // Too large for the others beside it, and for any memory.
    intercept[IllegalStateException](add(queue, 1L, "x" * 30000))
    assert(take(queue, 500000L).sorted == model.filter(_._1 <= 500000).sorted)
    resources.limit = Long.MaxValue
    queue.flush()
    assert(queue.runCount < runs / 2)
    assert(take(queue, Long.MaxValue).sorted == model.filter(_._1 > 500000).sorted)
    assert(queue.isEmpty && queue.bytes == 0)
  }

  test("a task that is killed stops while it reads a queue") {
    val resources = new Resources
    val queue = newQueue(new StateEntries(new MemoryTable, isPartitioned = false), resources)
    for (time <- 1 to 20000) add(queue, time.toLong, "entry")
    queue.flush()
    for (read <- Seq[() => Any](() => queue.timeOfOldest(15000), () => take(queue, 20000L))) {
      resources.looks = 5
      intercept[TaskKilledException](read())
    }
  }

  test("large entries stand in chunks of their own") {
    val table = new MemoryTable
    val entries = new StateEntries(table, isPartitioned = false)
    val queue = newQueue(entries)
    val large = "y" * (1 << 20)
    for (time <- 1 to 40) add(queue, time.toLong, large)
    val largest = "z" * (5 << 20)
    add(queue, 41L, largest)
    queue.flush()
    assert(queue.chunkCount >= 40)
    assert(take(queue, 20).map(_._2).forall(_ == large))
    assert(queue.count == 21)
    assert(take(reopened(queue, entries), 41).map(_._2).contains(largest))
  }

  test("an entry of a newer format is refused by name") {
    val table = new MemoryTable
    val entries = new StateEntries(table, isPartitioned = false)
    entries.put(StateLayout.Directory, null, 0L, Array[Byte](99, 0, 0))
    val e = intercept[MatchRecognizeRuntimeException](new StoreDirectory(entries, new Resources))
    assert(e.getCondition == "MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.FORMAT")
    assert(e.getMessage.contains("has format 99"))
  }

  test("a store without anything has no directory") {
    val table = new MemoryTable
    val entries = new StateEntries(table, isPartitioned = true)
    val first = new StoreDirectory(entries, new Resources)
    add(first.pending, 5L, "row")
    first.save(1L)
    assert(table.size == 2)
    val second = new StoreDirectory(entries, new Resources)
    assert(second.pending.count == 1)
    assert(take(second.pending, 5L) == Seq(5L -> "row"))
    second.save(5L)
    assert(table.size == 0)
    val third = new StoreDirectory(entries, new Resources)
    third.handedOn = 9L
    third.save(7L)
    assert(new StoreDirectory(entries, new Resources).handedOn == 9L)
  }
}
