package io.matchrecognize.streaming.operator

import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.classic.SparkSession

import io.matchrecognize.plans.SessionValue

/** What a clause asks the session for, as the checkpoint of its query describes it. */
private[operator] object SessionTexts {

  /** Each function with what it returns in the session. */
  def of(values: Iterable[SessionValue], session: SparkSession): Seq[(String, String)] = {
    val manager = session.sessionState.catalogManager
    val catalog = manager.currentCatalog.name
    values.toSeq.map { value =>
      value.sql -> (value match {
        case SessionValue.Catalog => catalog
        case SessionValue.Database => (catalog +: manager.currentNamespace.toSeq).mkString(".")
        case SessionValue.User => CurrentUserContext.getCurrentUser
      })
    }
  }
}
