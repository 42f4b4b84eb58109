package io.matchrecognize.fuzz

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** The input rows of a random query, as rows of its view. */
object FuzzInput {

  /** @param isTable whether `k` is never NULL, as an optimiser may then know */
  def schema(query: FuzzQuery, isTable: Boolean): StructType =
    StructType.fromDDL(
      query.inputColumns
        .map { case (name, dataType) =>
          s"$name $dataType${if (isTable && name == "k") " NOT NULL" else ""}"
        }
        .mkString(", ")
    )

  def row(query: FuzzQuery, row: FuzzRow): Row = Row.fromSeq(query.inputColumns.map {
    case ("t", _) => FuzzKey.timestamp(row.t)
    case ("o", _) => query.key.map(_.toRow(row.o)).orNull
    case (name, _) =>
      row(name) match {
        case number: Long => number.toInt
        case other => other
      }
  })
}
