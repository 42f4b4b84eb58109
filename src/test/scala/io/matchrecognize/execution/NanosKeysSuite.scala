package io.matchrecognize.execution

import io.matchrecognize.conf.MatchRecognizeConf._
import io.matchrecognize.{Minor, QuerySuite}

/** NULL keys of Spark's types of timestamps with nanoseconds are one partition. */
class NanosKeysSuite extends QuerySuite {

  if (Minor.has("4.3"))
    for (
      dataType <- Seq("TIMESTAMP_LTZ(9)", "TIMESTAMP_NTZ(9)"); isNested <- Seq(false, true);
      sort <- Seq("own", "spark"); shuffle <- Seq("blocks", "spark")
    )
      test(s"$dataType, nested $isNested, sort $sort, shuffle $shuffle") {
        withConf(
          "spark.sql.timestampNanosTypes.enabled" -> "true",
          Sort.key -> sort,
          Shuffle.key -> shuffle
        ) {
          val key = if (isNested) "named_struct('a', q, 'b', array(q))" else "q"
          val found = rows(
            s"""SELECT n, f, l FROM (SELECT $key AS q, ts FROM (SELECT id AS ts,
               |  if(id % 5 = 0, NULL, CAST(concat('2024-01-01 00:00:00.00000000', id % 10) AS $dataType)) AS q
               |  FROM range(500))) MATCH_RECOGNIZE (PARTITION BY q ORDER BY ts
               |  MEASURES COUNT(*) AS n, FIRST(ts) AS f, LAST(ts) AS l
               |  PATTERN (A B*) DEFINE B AS ts > PREV(ts))""".stripMargin
          ).map(_.toString).sorted
          val others = Seq(1, 2, 3, 4, 6, 7, 8, 9).map(i => s"[50,$i,${490 + i}]")
          assert(found == ("[100,0,495]" +: others).sorted)
        }
      }
}
