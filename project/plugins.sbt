addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.5.5")
libraryDependencies += "org.antlr" % "antlr4" % "4.13.1"
