package io.matchrecognize.streaming

/** What a stream gives, and when. */
class StreamOperatorSuite extends StreamSuite {
  private val rise = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts
    MEASURES FIRST(A.v) AS a, LAST(B.v) AS b, COUNT(*) AS n
    AFTER MATCH SKIP PAST LAST ROW
    PATTERN (A B{2})
    DEFINE B AS v > PREV(v))"""

  Seq(hdfs, rocksDb).foreach { provider =>
    val name = provider.split('.').last

    test(s"a match comes when the watermark has reached its last row: $name") {
      withConf(ProviderKey -> provider) {
        stream(rise) { run =>
          run.add("a1@1 a2@2 a3@3 b5@1")
          assert(run.taken().isEmpty)
          run.add("a9@8")
          assert(run.taken() == Seq("a,1,3,3"))
          // Out of order, within the delay.
          run.add("b7@9 b6@6 a1@9.5")
          assert(run.taken().isEmpty)
          run.add("c0@20")
          assert(run.taken() == Seq("b,5,7,3"))
        }
      }
    }
  }
}
