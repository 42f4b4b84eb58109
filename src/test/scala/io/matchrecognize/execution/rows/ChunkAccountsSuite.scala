package io.matchrecognize.execution.rows

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** The accounts of a store, whatever happens to its chunks and caches. */
class ChunkAccountsSuite extends AnyFunSuite {

  /** A store that has acquired as much as its accounts say, without the memory itself. */
  private final class Store {
    val accounts = new ChunkAccounts
    val chunks = new ArrayBuffer[Long]
    val caches = new ArrayBuffer[Long]
    private var largestSpilled = 0L
    private var acquired = 0L

    def add(size: Long, isGranted: Boolean): Unit =
      if (isGranted || accounts.lend(size)) {
        if (isGranted) acquired += size
        chunks += size
      }

    def spill(index: Int, size: Long): Unit = {
      largestSpilled = largestSpilled.max(size)
      acquired -= accounts.settle(chunks.remove(index) - accounts.keepSpare(size))
    }

    def cache(bytes: Long): Unit = {
      acquired += bytes
      accounts.addCached(bytes)
      caches += bytes
    }

    def drop(index: Int): Unit = {
      val bytes = caches.remove(index)
      accounts.dropCached(bytes)
      acquired -= accounts.settle(bytes)
    }

    def lendToOther(bytes: Long): Unit = acquired -= accounts.lendUpTo(bytes)

    def forget(): Unit = {
      chunks.foreach(size => acquired -= accounts.settle(size))
      chunks.clear()
      acquired -= accounts.settle(accounts.dropSpare())
      largestSpilled = 0L
    }

    def check(): Unit = {
      val debt = chunks.sum + largestSpilled + caches.sum - acquired
      assert(acquired >= 0 && debt >= 0 && debt <= caches.sum)
      assert(accounts.owes == (debt > 0))
      if (chunks.isEmpty && caches.isEmpty && largestSpilled == 0) assert(acquired == 0)
    }
  }

  test("what is acquired is what is in use, less what is lent, of no more than the caches") {
    val random = new Random(1)
    (1 to 500).foreach { _ =>
      val store = new Store
      (1 to 100).foreach { _ =>
        random.nextInt(6) match {
          case 0 | 1 => store.add(1L + random.nextInt(100), random.nextInt(3) > 0)
          case 2 if store.chunks.nonEmpty =>
            val index = random.nextInt(store.chunks.length)
            // Read again, a chunk takes no more than it did.
            store.spill(index, 1 + random.nextInt(store.chunks(index).toInt).toLong)
          case 3 => store.cache(1L + random.nextInt(100))
          case 4 if store.caches.nonEmpty => store.drop(random.nextInt(store.caches.length))
          case 5 if random.nextInt(10) == 0 => store.forget()
          case 5 => store.lendToOther(random.nextInt(100).toLong)
          case _ => ()
        }
        store.check()
      }
      while (store.caches.nonEmpty) store.drop(0)
      store.forget()
      store.check()
    }
  }
}
