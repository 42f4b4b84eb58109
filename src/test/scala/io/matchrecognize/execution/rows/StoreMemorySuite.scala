package io.matchrecognize.execution.rows

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.matchrecognize.{OwnMemory, TaskResources}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.task.TaskMemory

/** The accounts of a store, whatever happens to its chunks and caches in little memory. */
class StoreMemorySuite extends QuerySuite {
  import StoreMemorySuite._

  test("what is acquired is what is in use, less what is lent, of no more than the caches", Slow) {
    val counts = new Counts
    (1 to 100).foreach { seed =>
      val random = new Random(seed)
      val task = new Task(random, if (random.nextBoolean()) 64 else Int.MaxValue, counts)
      (1 to 80).foreach { step =>
        val operation = task.anything()
        val awaited = task.store.spare - task.store.memory.missing
        assert(task.balance == awaited, s"seed $seed, step $step: $operation")
        assert(task.balance >= -task.caches.sum, s"seed $seed, step $step: $operation")
      }
      task.end()
    }
    // Each of them happened more than once.
    assert(
      counts.lent > 10 && counts.full > 2 && counts.loaded > 10 && counts.inSpare > 2,
      s"lent ${counts.lent}, full ${counts.full}, read ${counts.loaded}, spare ${counts.inSpare}"
    )
  }
}

private object StoreMemorySuite {
  private val Memory = 4L << 20
  private val schema = StoreSchema.of(Seq(0, 1), Seq(LongType, StringType)(_), _ => true)

  private final class Counts {
    var lent, full, loaded, inSpare = 0
  }

  /** A store, and others of its task that take memory from it. */
  private final class Task(random: Random, threshold: Int, counts: Counts) {
    private val resources = new TaskResources(OwnMemory.context(Memory), _ => ())
    private val toUnsafe = UnsafeProjection.create(Array[DataType](LongType, StringType))
    val store = new RowStore(schema, resources, threshold)
    val caches, reserved = new ArrayBuffer[Long]

    /** Another operator. */
    private val stranger =
      new MemoryConsumer(resources.memoryManager, 1 << 16, MemoryMode.ON_HEAP) {
        override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
      }

    /** Other rows of the clause. */
    private val others = new TaskMemory(resources)

    /** What is acquired beyond what is in use and not spare; less than nothing if some is lent. */
    def balance: Long = {
      val chunks = store.resident.asScala.filterNot(_.isInSpare).map(_.chunk.size).sum
      store.memory.getUsed - chunks - caches.sum - reserved.sum
    }

    /** Does something that a task does, and returns its name. */
    def anything(): String = random.nextInt(10) match {
      case 0 | 1 | 2 => done("append")(append(1 + random.nextInt(3000)))
      case 3 => done("stranger")(stranger.acquireMemory(bytes()): Unit)
      case 4 => done("others")(others.take(bytes()): Unit)
      case 5 =>
        done("less for others") {
          stranger.freeMemory(random.nextLong(stranger.getUsed + 1))
          others.free(random.nextLong(others.getUsed + 1))
        }
      case 6 => done("cache")(cache())
      case 7 => done("reserve")(unlessFull(reserve()))
      case 8 => done("read")((1 to 5).foreach(_ => read()))
      case _ if random.nextInt(8) == 0 => done("clear")(store.clear())
      case _ => done("release")(Seq(caches, reserved).foreach(release))
    }

    private def done(name: String)(body: => Unit): String = {
      body
      if (store.memory.missing > 0) counts.lent += 1
      if (store.resident.asScala.exists(_.isInSpare)) counts.inSpare += 1
      name
    }

    private def bytes(): Long = 1L + random.nextInt(1 << 20)

    private def unlessFull(body: => Unit): Unit =
      try body
      catch { case _: RowStoreFull => counts.full += 1 }

    private def append(rows: Int): Unit = unlessFull {
      val size = if (random.nextInt(20) == 0) 100000 else random.nextInt(100)
      (1 to math.min(rows, 1 + 1000000 / (size + 1))).foreach { _ =>
        val bytes = new Array[Byte](size)
        java.util.Arrays.fill(bytes, (store.length % 100).toByte)
        store.append(toUnsafe(InternalRow(store.length, UTF8String.fromBytes(bytes))))
      }
    }

    private def read(): Unit = if (store.length > 0) {
      val row = random.nextLong(store.length)
      if (!store.resident.asScala.exists(_.chunk.contains(row))) counts.loaded += 1
      val text = store.variable(row).getUTF8String(0)
      assert(store.fixed(0, row) == row && text.getBytes.forall(_ == row % 100))
    }

    private def cache(): Unit = {
      val size = bytes()
      if (store.tryReserve(size)) caches += size
    }

    private def reserve(): Unit = {
      val size = bytes()
      store.reserve(size)
      reserved += size
    }

    private def release(all: ArrayBuffer[Long]): Unit =
      if (all.nonEmpty) store.release(all.remove(random.nextInt(all.length)))

    /** Gives everything back. */
    def end(): Unit = {
      Seq(caches, reserved).foreach(all => while (all.nonEmpty) release(all))
      store.clear()
      stranger.freeMemory(stranger.getUsed)
      others.free(others.getUsed)
      // The only chunk may have been kept for the next partition.
      val chunk = store.open()
      assert(store.memory.getUsed == chunk.size && store.memory.missing == 0)
      store.free()
      assert(store.memory.getUsed == 0)
    }
  }
}
