package io.matchrecognize.execution.search

import java.lang.reflect.Modifier
import java.nio.file.Paths
import java.util.jar.JarFile

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.DataType

/** The classes of types that the Spark under test has. */
object SparksTypes {
  private val TypeClass = """(org/apache/spark/sql/types/[A-Z]\w+Type)\.class""".r

  def all: Seq[Class[_]] = {
    val types = classOf[DataType]
    val jar = Paths.get(types.getProtectionDomain.getCodeSource.getLocation.toURI)
    val file = new JarFile(jar.toFile)
    val names =
      try file.entries.asScala.map(_.getName).toList
      finally file.close()
    val found = names.collect { case TypeClass(name) => Class.forName(name.replace('/', '.')) }
    val concrete =
      found.filter(c => types.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers))
    assert(concrete.length > 20)
    concrete
  }
}
