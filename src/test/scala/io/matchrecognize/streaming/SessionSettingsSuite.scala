package io.matchrecognize.streaming

import java.io.{DataInputStream, File, InputStream}
import java.util.jar.JarFile

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.QuerySuite
import io.matchrecognize.streaming.state.SessionSettings

/** Searches the classes of Spark's expressions for settings that they read. */
class SessionSettingsSuite extends QuerySuite {
  private val folders = Seq("expressions", "util", "csv", "json", "xml")
    .map(name => s"org/apache/spark/sql/catalyst/$name/")
  private val owners =
    Set("org/apache/spark/sql/internal/SQLConf", "org/apache/spark/sql/internal/SQLConf$")

  // Methods of SQLConf that read a setting under another name.
  private val getters = Map(
    "ansiEnabled" -> "ansi.enabled",
    "caseSensitiveAnalysis" -> "caseSensitive",
    "resolver" -> "caseSensitive",
    "sessionLocalTimeZone" -> "session.timeZone",
    "timestampType" -> "timestampType",
    "charVarcharAsString" -> "legacy.charVarcharAsString",
    "chunkBase64StringEnabled" -> "chunkBase64String.enabled",
    "columnNameOfCorruptRecord" -> "columnNameOfCorruptRecord",
    "csvEnableDateTimeParsingFallback" -> "legacy.csv.enableDateTimeParsingFallback",
    "decimalOperationsAllowPrecisionLoss" -> "decimalOperations.allowPrecisionLoss",
    "histogramNumericPropagateInputType" -> "legacy.histogramNumericPropagateInputType",
    "jsonEnableDateTimeParsingFallback" -> "legacy.json.enableDateTimeParsingFallback",
    "jsonEnablePartialResults" -> "json.enablePartialResults",
    "jsonGeneratorIgnoreNullFields" -> "jsonGenerator.ignoreNullFields",
    "jsonWriteNullIfWithDefaultValue" -> "jsonGenerator.writeNullIfWithDefaultValue",
    "legacyCodingErrorAction" -> "legacy.codingErrorAction",
    "legacyIntervalEnabled" -> "legacy.interval.enabled",
    "legacyJavaCharsets" -> "legacy.javaCharsets",
    "legacyNegativeIndexInArrayInsert" -> "legacy.negativeIndexInArrayInsert",
    "legacyNullInEmptyBehavior" -> "legacy.nullInEmptyListBehavior",
    "legacySizeOfNull" -> "legacy.sizeOfNull",
    "legacyStatisticalAggregate" -> "legacy.statisticalAggregate",
    "legacyTimeParserPolicy" -> "legacy.timeParserPolicy",
    "listaggAllowDistinctCastWithOrder" -> "listagg.allowDistinctCastWithOrder.enabled",
    "mapZipWithUsesJavaCollections" -> "mapZipWithUsesJavaCollections",
    "preserveCharVarcharTypeInfo" -> "preserveCharVarcharTypeInfo"
  )

  private val readers =
    Set("get", "getConf", "getConfString", "getConfByKeyStrict", "withExistingConf", "LEGACY")

  // No value depends on them: how fast an expression is, which statements are allowed, messages.
  private val withoutEffect = Set(
    "codegenCacheMaxEntries",
    "codegenComments",
    "codegenCompiler",
    "codegenFactoryMode",
    "codegenLogLevel",
    "loggingMaxLinesForCodegen",
    "methodSplitThreshold",
    "optimizerInSetSwitchThreshold",
    "subexpressionEliminationCacheMaxEntries",
    "subexpressionEliminationEnabled",
    "subexpressionEliminationSkipForShotcutExpr",
    "maxPlanStringLength",
    "maxToStringFields",
    "enforceReservedKeywords",
    "restrictedModeEnabled",
    "geospatialEnabled",
    "isTimeTypeEnabled",
    "timestampNanosTypesEnabled",
    "csvFilterPushDown",
    "jsonFilterPushDown",
    "ALWAYS_INLINE_COMMON_EXPR",
    "CODEGEN_COMPILER",
    "MAP_LOOKUP_HASH_THRESHOLD",
    "MULTI_COMMUTATIVE_OP_OPT_THRESHOLD",
    "MAX_PLAN_STRING_LENGTH",
    "CSV_INPUT_BUFFER_SIZE",
    "JSON_USE_UNSAFE_ROW",
    "ALLOW_PARAMETERLESS_COUNT",
    "LEGACY_ALLOW_HASH_ON_MAPTYPE",
    "LEGACY_RAISE_ERROR_WITHOUT_ERROR_CLASS",
    "SCALAR_SUBQUERY_ALLOW_GROUP_BY_COLUMN_EQUAL_TO_CONSTANT",
    "LEGACY_IN_SUBQUERY_NULLABILITY"
  ) ++ // Of expressions that no clause has: INSERT, grouping sets, runtime filters, sources.
    Set(
      "STORE_ASSIGNMENT_POLICY",
      "groupingIdWithAppendedUserGroupByEnabled",
      "integerGroupingIdEnabled",
      "RUNTIME_BLOOM_FILTER_EXPECTED_NUM_ITEMS",
      "RUNTIME_BLOOM_FILTER_MAX_NUM_BITS",
      "RUNTIME_BLOOM_FILTER_MAX_NUM_ITEMS",
      "RUNTIME_BLOOM_FILTER_NUM_BITS",
      "DATA_SOURCE_ALWAYS_CREATE_V2_PREDICATE",
      "DATA_SOURCE_DONT_ASSERT_ON_PREDICATE",
      "DEFAULT_COLUMN_ALLOWED_PROVIDERS",
      "enableDefaultColumns",
      "xmlSchemaInferenceIncrementalTypeCasting",
      "xmlVariantRespectInferSchema"
    )

  test("every setting that an expression reads is compared when a stream starts again") {
    val compared = SessionSettings.values.map(_._1).toSet
    val read = methodsRead()
    assert(read.size > 60 && read.contains("ansiEnabled"))
    val missing = (read -- readers -- withoutEffect).toSeq.sorted.filter { method =>
      !getters.get(method).map(key => s"spark.sql.$key").orElse(entryKey(method)).exists(compared)
    }
    assert(missing.isEmpty)
  }

  private def entryKey(name: String): Option[String] = Try {
    val entry = SQLConf.getClass.getMethod(name).invoke(SQLConf)
    entry.getClass.getMethod("key").invoke(entry).toString
  }.toOption

  private def methodsRead(): Set[String] = {
    val location = classOf[Expression].getProtectionDomain.getCodeSource.getLocation
    val jar = new JarFile(new File(location.toURI))
    try
      jar.entries.asScala
        .filter(e => e.getName.endsWith(".class") && folders.exists(e.getName.startsWith))
        .flatMap(e => methodsOf(jar.getInputStream(e)))
        .toSet
    finally jar.close()
  }

  /** The methods of SQLConf in the constant pool of a class. */
  private def methodsOf(stream: InputStream): Seq[String] = {
    val in = new DataInputStream(new java.io.BufferedInputStream(stream))
    in.skipBytes(8)
    val count = in.readUnsignedShort()
    val texts = mutable.Map.empty[Int, String]
    val references = mutable.Map.empty[Int, Int]
    val pairs = mutable.Map.empty[Int, (Int, Int)]
    val methods = mutable.ArrayBuffer.empty[Int]
    var i = 1
    while (i < count) {
      in.readUnsignedByte() match {
        case 1 => texts(i) = in.readUTF()
        case 3 | 4 => in.readInt()
        case 5 | 6 =>
          in.readLong()
          i += 1
        case 7 | 8 | 16 | 19 | 20 => references(i) = in.readUnsignedShort()
        case 15 => in.skipBytes(3)
        case tag =>
          pairs(i) = (in.readUnsignedShort(), in.readUnsignedShort())
          if (tag == 10) methods += i
      }
      i += 1
    }
    in.close()
    methods.toSeq.map(pairs).collect {
      case (owner, method) if owners.contains(texts(references(owner))) => texts(pairs(method)._1)
    }
  }
}
