package io.matchrecognize.streaming.state

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf

/**
 * The settings of Spark that the value or the type of an expression may depend on. What a stream
 * has saved was computed with those of an earlier session.
 *
 * A test searches Spark's classes for settings that are missing here. Settings without which a
 * statement is refused are not among them, nor those of the optimizer and the code generator.
 */
object SessionSettings {
  private val keys = Seq(
    "ansi.enabled",
    "caseSensitive",
    "session.timeZone",
    "timestampType",
    "charAsVarchar",
    "chunkBase64String.enabled",
    "columnNameOfCorruptRecord",
    "decimalOperations.allowPrecisionLoss",
    "function.concatBinaryAsString",
    "function.eltOutputAsString",
    "icu.caseMappings.enabled",
    "json.enableExactStringParsing",
    "json.enablePartialResults",
    "jsonGenerator.ignoreNullFields",
    "jsonGenerator.writeNullIfWithDefaultValue",
    "listagg.allowDistinctCastWithOrder.enabled",
    "mapKeyDedupPolicy",
    "mapZipWithUsesJavaCollections",
    "parser.escapedStringLiterals",
    "preserveCharVarcharTypeInfo",
    "variant.allowDuplicateKeys",
    "variant.validateUnicodeInJsonParsing",
    "legacy.allowNegativeScaleOfDecimal",
    "legacy.allowNullComparisonResultInArraySort",
    "legacy.allowZeroIndexInFormatString",
    "legacy.bangEqualsNot",
    "legacy.castComplexTypesToString.enabled",
    "legacy.charVarcharAsString",
    "legacy.codingErrorAction",
    "legacy.collationAwareHashFunctions",
    "legacy.createEmptyCollectionUsingStringType",
    "legacy.decimal.retainFractionDigitsOnTruncate",
    "legacy.disableMapKeyNormalization",
    "legacy.duplicateBetweenInput",
    "legacy.exponentLiteralAsDecimal.enabled",
    "legacy.followThreeValuedLogicInArrayExists",
    "legacy.fromDayTimeString.enabled",
    "legacy.histogramNumericPropagateInputType",
    "legacy.interval.enabled",
    "legacy.javaCharsets",
    "legacy.json.allowEmptyString.enabled",
    "legacy.literal.pickMinimumPrecision",
    "legacy.lpadRpadAlwaysReturnString",
    "legacy.negativeIndexInArrayInsert",
    "legacy.nullValueWrittenAsQuotedEmptyStringCsv",
    "legacy.percentileDiscCalculation",
    "legacy.sizeOfNull",
    "legacy.statisticalAggregate",
    "legacy.timeParserPolicy",
    "legacy.truncateForEmptyRegexSplit",
    "legacy.typeCoercion.datetimeToString.enabled",
    "legacy.useLegacyXMLParser"
  )

  /** Without a default: what holds depends on other settings then. */
  private val optional = Seq(
    "binaryOutputStyle",
    "legacy.csv.enableDateTimeParsingFallback",
    "legacy.json.enableDateTimeParsingFallback",
    "legacy.nullInEmptyListBehavior"
  )

  private final val Undefined = "<undefined>"

  /** Each that this Spark has, with the session's value. */
  def values: Seq[(String, String)] = {
    val conf = SQLConf.get
    keys.map(full).flatMap(key => Try(key -> conf.getConfString(key)).toOption) ++
      optional.map(full).map(key => key -> conf.getConfString(key, Undefined))
  }

  private def full(key: String): String = s"spark.sql.$key"
}
