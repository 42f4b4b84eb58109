package io.matchrecognize.execution.rows

import java.lang.ref.WeakReference

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.matchrecognize.{OwnMemory, TaskResources}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.task.HeapArrays
import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.streaming.InTask
import io.matchrecognize.{QuerySuite, Sampled}

class RowStoreSuite extends QuerySuite {
  private val schema = StoreSchema.of(Seq(0), _ => LongType, _ => false)

  test("a thread that asks for memory holds no lock that spilling takes")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val (memory, store) = (resources.memoryManager, new RowStore(schema, resources, Int.MaxValue))
    val other = new MemoryConsumer(memory, 1 << 20, MemoryMode.ON_HEAP) {
      override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
    }
    val toUnsafe = UnsafeProjection.create(Array[DataType](LongType))
    def append(): Unit = store.append(toUnsafe(InternalRow(store.length)))
    (0 until RowChunk.MaxRows * 3).foreach(_ => append())

    /** Spills as Spark does for another consumer, while a thread waits for memory. */
    def spilledDuring(request: => Unit): Long = {
      @volatile var freed = -1L
      val asking = daemon(request)
      val spilling = daemon(memory.synchronized {
        asking.start()
        while (asking.isAlive && asking.getState != Thread.State.BLOCKED) Thread.onSpinWait()
        freed = store.memory.spill(1L, other)
      })
      spilling.start()
      spilling.join(60000)
      asking.join(60000)
      assert(!spilling.isAlive && !asking.isAlive, "each waits for the other")
      freed
    }

    assert(spilledDuring(append()) > 0)
    assert(spilledDuring(assert(store.fixed(0, 5) == 5)) > 0)
    assert(store.length == RowChunk.MaxRows * 3 + 1)
    assert((0L until store.length).forall(row => store.fixed(0, row) == row))
    store.free()
  })

  private val texts = StoreSchema.of(Seq(0, 1), Seq(LongType, StringType)(_), _ => true)

  test("rows are saved as bytes, fewer than they take, and loaded again")(InTask(spark) {
    val types =
      Seq[DataType](LongType, DoubleType, IntegerType, LongType, LongType, StringType, BinaryType)
    val schema = StoreSchema.of(types.indices, types, _ => true)
    val resources = new TaskResources(TaskContext.get(), _ => ())
    def newStore = new RowStore(schema, resources, Int.MaxValue)
    val (store, loaded) = (newStore, newStore)
    val toUnsafe = UnsafeProjection.create(types.toArray)
    val random = new Random(5)
    def any[T](values: T*): T = values(random.nextInt(values.size))
    // Differences of the last ones overflow.
    (0 until 500).foreach { i =>
      store.append(
        toUnsafe(
          InternalRow(
            1700000000000000L + i * 1000000L,
            any(random.nextDouble(), Double.NaN, -0.0, null),
            any(i, null),
            any(Long.MinValue, Long.MaxValue, 0L, -1L, null),
            any(random.nextLong(), null),
            any(UTF8String.fromString("kind7"), UTF8String.fromString("x" * (i % 200)), null),
            any(Array.fill[Byte](i % 9)(0), Array.fill[Byte](130)(-1), null)
          )
        )
      )
    }
    val out = new StateWriter
    Seq(0L -> 1L, 1L -> 200L, 200L -> 500L).foreach { case (from, end) =>
      store.save(from, end, out)
      loaded.load((end - from).toInt, new StateReader(out.cut(0)))
    }
    (0L until 500L).foreach { row =>
      (0 until 5).foreach { c =>
        assert(loaded.isNullFixed(c, row) == store.isNullFixed(c, row))
        if (!store.isNullFixed(c, row)) assert(loaded.fixed(c, row) == store.fixed(c, row))
      }
      assert(loaded.variable(row) == store.variable(row))
    }
    (0 until 100).foreach { i =>
      store.append(
        toUnsafe(InternalRow(i.toLong, null, i, 5L, 5L, UTF8String.fromString("kind7"), null))
      )
    }
    store.save(500, 600, out)
    assert(out.length < 100 * 30, s"${out.length} bytes")
    store.free()
    loaded.free()
  })

  /** A store whose task gets as much memory as the test leaves to it. */
  private final class Scarce {
    val resources = new TaskResources(OwnMemory.context(1L << 28), _ => ())
    val store = new RowStore(texts, resources, Int.MaxValue)
    private val hoard =
      new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
        override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
      }
    private val toUnsafe = UnsafeProjection.create(Array[DataType](LongType, StringType))

    /** Takes all memory that the store does not use but some. */
    def leave(bytes: Long): Unit = {
      hoard.acquireMemory(Long.MaxValue / 2): Unit
      hoard.freeMemory(bytes)
    }

    def spillAll(): Long =
      resources.memoryManager.synchronized(store.memory.spill(Long.MaxValue, hoard))

    def append(size: Int): Unit = {
      val bytes = new Array[Byte](size)
      java.util.Arrays.fill(bytes, (store.length % 100).toByte)
      store.append(toUnsafe(InternalRow(store.length, UTF8String.fromBytes(bytes))))
    }

    def check(row: Long, size: Int): Unit = {
      assert(store.fixed(0, row) == row && !store.isNullFixed(0, row))
      val text = store.variable(row).getUTF8String(0)
      assert(text.numBytes == size)
      assert(size == 0 || (text.getByte(0) == row % 100 && text.getByte(size - 1) == row % 100))
    }

    def free(): Unit = {
      store.free()
      assert(store.memory.getUsed == 0)
      hoard.freeMemory(hoard.getUsed)
    }
  }

  test("spilled rows are read again though others have taken all memory", Slow) {
    val scarce = new Scarce
    import scarce.store
    Seq(20, 500).foreach { size =>
      (0 until RowChunk.MaxRows * 5).foreach(_ => scarce.append(size))
      assert(scarce.spillAll() > 0)
      scarce.leave(0L)
      val random = new Random(1)
      def readAny(): Unit =
        (0 until 2000).foreach(_ => scarce.check(random.nextLong(store.length), size))
      readAny()
      // The memory to read one chunk is not to be had, the rest is.
      assert(scarce.spillAll() == 0L)
      // What becomes free in between lets one more chunk stay.
      val chunk =
        RowChunk.size(texts, RowChunk.MaxRows, RowChunk.MaxRows * (16L + ((size + 7) & ~7)))
      scarce.leave(chunk)
      readAny()
      assert(scarce.spillAll() == chunk)
      scarce.leave(0L)
      scarce.check(1L, size)
      scarce.check(store.length - 1, size)
      scarce.leave(1L << 24)
      (0L until store.length).foreach(row => scarce.check(row, size))
      store.clear()
    }
    scarce.free()
  }

  test("wide rows in less memory than a chunk of them takes") {
    val scarce = new Scarce
    scarce.leave(24L << 20)
    val random = new Random(1)
    def partition(sizes: IndexedSeq[Int]): Unit = {
      sizes.foreach(scarce.append)
      sizes.indices.foreach(row => scarce.check(row.toLong, sizes(row)))
      (0 until 200).foreach { _ =>
        val row = random.nextInt(sizes.length)
        scarce.check(row.toLong, sizes(row))
      }
      scarce.store.clear()
    }
    partition(Vector.fill(2400)(20000))
    partition(Vector.fill(60)(1000000))
    partition(Vector.fill(30000)(random.nextInt(5)))
    // Wide rows among many small ones.
    partition(Vector.fill(9000)(if (random.nextInt(2000) == 0) 3000000 else random.nextInt(300)))
    partition(Vector.fill(300)(if (random.nextBoolean()) 0 else 1 << random.nextInt(22)))
    scarce.free()
  }

  test("a store that is cleared keeps no large row alive") {
    val scarce = new Scarce
    scarce.append(16 << 20)
    val row = new WeakReference(scarce.store.variable(0).getBaseObject)
    scarce.store.clear()
    System.gc()
    assert(row.refersTo(null))
    scarce.free()
  }

  test("rows get memory that caches hold, and no rows are spilled for caches") {
    val scarce = new Scarce
    import scarce.store
    (0 until RowChunk.MaxRows * 3).foreach(_ => scarce.append(50))
    scarce.leave(8L << 20)
    // What others have spilled is read again.
    (0L until store.length).foreach(row => scarce.check(row, 50))
    var cached = 0L
    while (store.tryReserve(1L << 16)) cached += 1L << 16
    assert(cached > (6L << 20) && store.memory.getUsed > cached)
    // All chunks but the last one are still there.
    assert(scarce.spillAll() > RowChunk.MaxRows * 50)
    scarce.leave(0L)
    store.clear()
    scarce.leave(0L)
    assert(store.memory.getUsed >= cached)
    (0 until 2000).foreach(_ => scarce.append(1500))
    assert(store.memory.getUsed >= cached && !store.tryReserve(1))
    (0L until store.length).foreach(row => scarce.check(row, 1500))
    store.clear()
    store.release(cached)
    assert(store.memory.getUsed < (1L << 20))
    scarce.free()
  }

  test("an array that grows counts twice while it is copied") {
    val scarce = new Scarce
    (0 until 40).foreach(_ => scarce.append(100000))
    val largest = RowChunk.ByteLimit
    assert(scarce.store.memory.peakMemory > largest + largest / 2)
    scarce.free()
  }

  test("a full store says whether rows need the memory or what is kept beside them") {
    val scarce = new Scarce
    scarce.leave(1L << 20)
    (0 until 10).foreach(_ => scarce.append(100))
    assert(intercept[RowStoreFull](scarce.append(8 << 20)).isForRows)
    assert(!intercept[RowStoreFull](scarce.store.reserve(8L << 20)).isForRows)
    scarce.free()
  }

  test("few rows of many columns take little memory, which the next partition takes again") {
    Sampled.oneIn(3, Seq(130, 300, 2000)).foreach { columns =>
      val resources = new TaskResources(OwnMemory.context(32L << 20), _ => ())
      val schema = StoreSchema.of(0 until columns, _ => LongType, _ => true)
      val store = new RowStore(schema, resources, Int.MaxValue)
      val toUnsafe = UnsafeProjection.create(Array.fill[DataType](columns)(LongType))
      def partition(rows: Int): RowChunk = {
        store.clear()
        (0 until rows).foreach { r =>
          val values = Seq.tabulate(columns)(c => if (c % 7 == r % 7) null else r * 10000L + c)
          store.append(toUnsafe(InternalRow.fromSeq(values)))
        }
        (0 until rows).foreach { r =>
          assert((0 until columns).forall { c =>
            val isNull = c % 7 == r % 7
            store.isNullFixed(c, r.toLong) == isNull &&
            (isNull || store.fixed(c, r.toLong) == r * 10000L + c)
          })
        }
        store.chunk(0)
      }
      val first = partition(1)
      // A row of each is the least, and a chunk begins with some.
      assert(store.memory.getUsed < columns * 9 * 2 + (columns * 2 + 1) * 16L + (1L << 16))
      assert((1 to 3).forall(partition(_) eq first))
      // More than one chunk, of which one is taken again.
      partition(1200000 / columns)
      val kept = partition(1)
      assert(store.memory.getUsed <= (2L << 20) && (1 to 3).forall(partition(_) eq kept))
      store.free()
    }
  }

  test("arrays fill the regions that the heap gives them") {
    val region = 1L << 20
    Seq(1L, 1000L, region / 2 - 100).foreach(n => assert(HeapArrays.filled(n, region) == n))
    assert(HeapArrays.filled(region / 2, region) == region - 16)
    assert(HeapArrays.filled(region - 16, region) == region - 16)
    assert(HeapArrays.filled(region - 15, region) == 2 * region - 16)
    assert(HeapArrays.filled(region, 0L) == region)
    // Up to the largest array there is.
    val most = RowChunk.MaxBytes
    assert(RowChunk.grownSize(1 << 30, most) == most)
    intercept[IllegalStateException](RowChunk.grownSize(1 << 30, most + 1))
  }

  private def daemon(body: => Unit): Thread = {
    val thread = new Thread(() => body)
    thread.setDaemon(true)
    thread
  }
}
