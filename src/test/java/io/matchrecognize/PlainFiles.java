package io.matchrecognize;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Local files without permissions and links. Hadoop's own class starts a program, chmod or
 * readlink, for each file that it makes or renames, and a micro-batch makes twenty: more than half
 * of what a small micro-batch costs. For `spark.hadoop.fs.file.impl`.
 */
public final class PlainFiles extends LocalFileSystem {
  public PlainFiles() {
    super(new Raw());
  }

  /** The same for `spark.hadoop.fs.AbstractFileSystem.file.impl`, without checksums. */
  public static final class Context extends DelegateToFileSystem {
    public Context(URI uri, Configuration conf) throws IOException, URISyntaxException {
      super(uri, new Raw(), conf, "file", false);
    }
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) {}

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
      return getFileStatus(path);
    }
  }
}
