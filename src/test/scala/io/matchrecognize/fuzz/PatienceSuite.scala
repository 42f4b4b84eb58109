package io.matchrecognize.fuzz

import org.scalatest.tagobjects.Slow

import io.matchrecognize.QuerySuite

class PatienceSuite extends QuerySuite {
  test("a query that takes too long is cancelled, one that does not is not", Slow) {
    val endless = "SELECT count(*) FROM range(1000000) a JOIN range(100000) b ON a.id * b.id = -1"
    intercept[Patience.Lost](Patience.limited(spark, 1)(rows(endless)))
    assert(Patience.limited(spark, 60)(rows("SELECT 1").length) == 1)
    assert(spark.sparkContext.getLocalProperty("spark.jobGroup.id") == null)
  }
}
