package io.matchrecognize.execution.explain

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class ValueCountsSuite extends AnyFunSuite {
  test("long values are cut before they are kept") {
    val counts = new ValueCounts
    (1 to 1500).foreach(i => counts.add(UTF8String.fromString("x" * 100 + i)))
    counts.add(UTF8String.fromString("x" * 100))
    counts.finish()
    assert(counts.counts == Map("x" * 100 + "..." -> 1500L, "x" * 100 -> 1L))
    assert(!counts.isPartial)
  }
}
