import org.antlr.v4.Tool
import sbt._

/** Compiles the grammars of a folder to Java with ANTLR. */
object Antlr {
  def generate(source: File, target: File, pkg: String): Seq[File] = {
    val out = pkg.split('.').foldLeft(target)(_ / _)
    IO.delete(out)
    IO.createDirectory(out)
    val grammars = (source ** "*.g4").get
    grammars.foreach { grammar =>
      val tool = new Tool(
        Array("-visitor", "-no-listener", "-package", pkg, "-lib", out.getPath, "-o", out.getPath) :+
          grammar.getPath
      )
      tool.processGrammarsOnCommandLine()
      if (tool.getNumErrors > 0) sys.error(s"ANTLR: ${tool.getNumErrors} errors in $grammar")
    }
    val generated = (out ** "*.java").get
    // the folder of this checkout has no place in the jar of the sources
    generated.foreach { file =>
      IO.write(file, IO.read(file).replaceFirst("(?<=Generated from ).*[/\\\\]", ""))
    }
    generated
  }
}
