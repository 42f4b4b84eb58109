package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.analysis.ApplyCharTypePaddingHelper
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf

/** Comparisons of CHAR columns, whose shorter side Spark pads with blanks. */
object CharComparisons {
  def isChar(column: Attribute): Boolean = CharVarcharUtils.getRawType(column.metadata).isDefined

  /** Pads in an expression in which CHAR columns are bare attributes, as Spark's own rule does. */
  def pad(expression: Expression): Expression = {
    val conf = SQLConf.get
    if (conf.charVarcharAsString) expression
    else {
      val padsColumn = !conf.readSideCharPadding &&
        !conf.getConf(SQLConf.LEGACY_NO_CHAR_PADDING_IN_PREDICATE)
      expression.transformUp { case e =>
        ApplyCharTypePaddingHelper.singleNodePaddingForStringComparison(e, padsColumn)
      }
    }
  }
}
