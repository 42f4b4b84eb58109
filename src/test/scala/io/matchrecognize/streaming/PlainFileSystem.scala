package io.matchrecognize.streaming

import java.net.URI

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/**
 * Local files at `plain:` paths, without checksums and without permissions. Hadoop's own class
 * starts a process, chmod, for each file that it makes, and a micro-batch makes twenty: more than
 * half of what a small micro-batch costs.
 */
final class PlainFileSystem extends RawLocalFileSystem {
  override def getScheme: String = PlainFileSystem.Scheme
  override def getUri: URI = URI.create(s"${PlainFileSystem.Scheme}:///")
  override def setPermission(path: Path, permission: FsPermission): Unit = ()
}

object PlainFileSystem {
  final val Scheme = "plain"

  /** A conf of the session by which Hadoop finds this class. */
  val conf: (String, String) = s"fs.$Scheme.impl" -> classOf[PlainFileSystem].getName
}
