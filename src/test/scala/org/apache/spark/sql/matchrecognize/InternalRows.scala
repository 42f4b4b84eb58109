package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession}

/** A table of rows of Catalyst, whose values need not be those of external types. */
object InternalRows {
  def frame(session: SparkSession, schema: StructType, rows: Seq[InternalRow]): DataFrame = {
    val toUnsafe = UnsafeProjection.create(schema)
    val unsafe = rows.map(row => toUnsafe(row).copy(): InternalRow)
    session
      .asInstanceOf[ClassicSession]
      .internalCreateDataFrame(session.sparkContext.parallelize(unsafe, 2), schema)
  }
}
