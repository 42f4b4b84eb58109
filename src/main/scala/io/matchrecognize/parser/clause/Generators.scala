package io.matchrecognize.parser.clause

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, Generator}

import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/**
 * Refuses calls of Spark's generators (explode, inline, stack ...) in the expressions of a clause.
 * In analysis, Spark would report the plan instead of the call.
 */
private[clause] object Generators {
  def refuse(expression: Expression, statement: StatementText): Unit = expression.foreach {
    case call: UnresolvedFunction if isGenerator(call) =>
      val token = statement.tokenAt(call.origin.startIndex.getOrElse(0))
      val plan = Map("plan" -> "MATCH_RECOGNIZE")
      throw SyntaxErrors.spark(statement, token, "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", plan)
    case _ =>
  }

  private def isGenerator(call: UnresolvedFunction): Boolean = call.nameParts match {
    case Seq(name) =>
      FunctionRegistry.builtin.lookupFunction(FunctionIdentifier(name)).exists { info =>
        info.getGroup == "generator_funcs" || isGenerator(info.getClassName)
      }
    case _ => false
  }

  private def isGenerator(className: String): Boolean = {
    val loader = classOf[Generator].getClassLoader
    classOf[Generator].isAssignableFrom(Class.forName(className, false, loader))
  }
}
