package io.matchrecognize.matcher

import java.util.concurrent.ConcurrentLinkedQueue

/** Each input in a new thread. */
private final class ThreadedReads(val inputs: IndexedSeq[MatchInput]) extends ParallelReads {
  override def run(read: Int => Unit): Unit = {
    val failures = new ConcurrentLinkedQueue[Throwable]
    val threads = inputs.indices.map { i =>
      new Thread(() =>
        try read(i)
        catch { case e: Throwable => failures.add(e): Unit }
      )
    }
    threads.foreach(_.start())
    threads.foreach(_.join())
    if (!failures.isEmpty) throw failures.peek()
  }
}
