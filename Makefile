# The two commands a newcomer needs are `go run ./cmd/assay demo` and `make test`.

PYTHON ?= python3
VENV   := .venv
GENAI_VENV := .venv-genai
TOOLS  := go tool -modfile=$(CURDIR)/tools/go.mod
MODULE := $(shell sed -n 's/^module //p' go.mod)

.PHONY: test lint vulnerabilities generate demo fuzz kills clean
.PHONY: bench-bundle bench-calibration bench-closed bench-compare bench-fidelity bench-judge bench-omission bench-overlap bench-pacer bench-soak bench-token
.PHONY: bench-live screenshots-live

# Every test, once: installs what they need, compiles everything meanwhile, then runs them, also
# those that take long (tests/whole). The last ones start the program thousands of times and mostly
# wait for what it measures, hence all at once. Vet is make lint's, the race detector make race's:
# each compiles everything once more.
PROGRAM := $(addprefix $(MODULE)/,tests/cheats tests/hostile cmd/assay)
REST = $$(go list ./... | grep -vxF $(patsubst %,-e %,$(PROGRAM)))
# What the judges import of Python is compiled the first time, and kept.
PYTHONS := PYTHONDONTWRITEBYTECODE= ASSAY_PYTHON=$(CURDIR)/$(VENV)/bin/python ASSAY_GENAI_PYTHON=$(CURDIR)/$(GENAI_VENV)/bin/python
# Packages tested at once where many of them wait for timers and sockets: one more than
# there are cores.
AT_ONCE = $$(($$(getconf _NPROCESSORS_ONLN) + 1))
# A test that fails is repeated once, alone: what fails by chance, once in thousands, is
# named at the end and is a defect, but not of the change at hand. More than three
# failures are no chance.
TESTS = $(PYTHONS) $(TOOLS) gotestsum --format pkgname --format-hide-empty-pkg --hide-summary skipped
again = --jsonfile $(CURDIR)/bin/$(1).json --rerun-fails=1 --rerun-fails-max-failures=3 --rerun-fails-run-root-test --rerun-fails-report $(CURDIR)/bin/$(1).again
test: compiler
	@$(MAKE) --no-print-directory compiled & $(MAKE) --no-print-directory $(VENV)/ready $(GENAI_VENV)/ready machine || exit 1; wait
	@mkdir -p bin; rm -f bin/*.again; failed=0; \
	GOGC=400 ASSAY_TESTS=all $(TESTS) $(call again,rest) --packages "$(REST)" -- -vet=off -timeout 40m -p $(AT_ONCE) || failed=1; \
	ASSAY_TESTS=all $(TESTS) $(call again,program) --packages "$(PROGRAM)" -- -vet=off -timeout 60m -p 3 || failed=1; \
	if [ -n "$$(cat bin/*.again 2>/dev/null)" ]; then echo "failed, and were repeated:"; cat bin/*.again; fi; \
	echo "the slowest tests:"; cat bin/rest.json bin/program.json | $(TOOLS) gotestsum tool slowest --threshold 1s --num 10; exit $$failed

# What make test compiles, without linking it. The tests report what does not compile, by name.
.PHONY: compiled
compiled:
	@GOGC=400 go list -export -test ./... >/dev/null 2>&1; true

# What a change is tried with while it is made: go test ./... without anything that is
# not Go, and how many tests waited for other programs.
.PHONY: quick
quick:
	@mkdir -p bin; failed=0; $(TOOLS) gotestsum --format pkgname --format-hide-empty-pkg --hide-summary skipped --jsonfile bin/quick.json -- ./... || failed=1; \
	echo "skipped: $$(grep -c 'make [a-z]* installs\|make test installs' bin/quick.json) for want of a judge (make test installs them), $$(grep -c 'takes long: make test' bin/quick.json) that take long"; exit $$failed

# The race detector watches the packages in which goroutines meet. The others read, judge and show
# one thing after the other and take eight times as long under it, as do some tests of these, which
# are left out or do less (whole.Watched). race-all watches everything, and takes long.
WATCHED := $(addprefix $(MODULE)/,bundle collective door launch live load metric probe run run/watch search sim target target/fidelity telemetry train/rank worker workload)
.PHONY: race race-all
race: compiler $(VENV)/ready $(GENAI_VENV)/ready machine
	@mkdir -p bin; rm -f bin/race.again
	GOGC=400 ASSAY_TESTS=all $(TESTS) $(call again,race) --packages "$(WATCHED)" -- -vet=off -race -timeout 40m -p $(AT_ONCE) -skip '^(TestDamagedTable|TestEveryByte|TestBatchesOfADamagedTable|TestPiecesOfADamagedTable|TestParquetBombs|TestHintsMissNothing)$$'
	@cat bin/race.again 2>/dev/null || true
race-all: $(VENV)/ready $(GENAI_VENV)/ready machine
	ASSAY_TESTS=all $(PYTHONS) go test -race -timeout 60m -parallel 4 ./...

# go vet, staticcheck, formatting and dead code; the builds for other machines; that what is
# generated is what its source gives; known vulnerabilities where their list can be reached.
lint: vulnerabilities deadcode cross
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go vet -C operator ./...
	$(TOOLS) staticcheck ./...
	cd operator && $(TOOLS) staticcheck ./...
	go test -C tools ./...

# The program for macOS, which measures with net/http there, and the one for Windows,
# which says to use WSL. Without cgo, for which this machine has no compiler; NVML is
# then left out.
.PHONY: cross
cross:
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build -o /dev/null ./cmd/assay
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go vet ./cmd/assay ./child ./launch ./target/... ./telemetry/...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build -o /dev/null ./cmd/windows

# How large the program is, stripped, and whose code it is.
.PHONY: size
size:
	@go build -o bin/assay ./cmd/assay; go build -ldflags '-s -w' -o bin/assay-stripped ./cmd/assay
	@wc -c bin/assay-stripped; size -A bin/assay-stripped | grep -E '^\.(text|gopclntab|rodata|noptrdata) '
	@go tool nm -size bin/assay | $(PYTHON) tools/size.py

# No function that nothing reaches: of package stats from the command, since a method
# that no command uses is a promise that nobody keeps; of the rest from any program of
# the tree, and of what serves tests alone from the tests.
PROGRAMS = $$(go list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./...)
unreached = @dead=$$(cd $(or $(3),.) && $(TOOLS) deadcode $(1)) || exit 1; if [ -n "$$dead" ]; then echo "no $(2) reaches:"; echo "$$dead"; exit 1; fi
.PHONY: deadcode
deadcode:
	$(call unreached,-filter '^$(MODULE)/stats$$' ./cmd/assay,command)
	$(call unreached,$(PROGRAMS),program)
	$(call unreached,-test ./...,program or test)
	$(call unreached,-filter '^$(MODULE)/operator' ./assay-operator,program,operator)
	$(call unreached,-filter '^$(MODULE)/operator' -test ./...,program or test,operator)

vulnerabilities:
	@for module in . operator; do out=$$(cd $$module && $(TOOLS) govulncheck ./... 2>&1); code=$$?; \
	if [ $$code -eq 0 ]; then echo "govulncheck $$module: no known vulnerability is reached"; \
	elif echo "$$out" | grep -q "fetching vulnerabilities"; then echo "govulncheck $$module: not run, the list of vulnerabilities cannot be reached from here"; \
	else echo "$$out"; exit $$code; fi; done

# What the tests need of the machine: a C compiler for the race detector, a browser
# that opens our pages and node to drive it, the inspector of MCP, LibreOffice to open our workbooks, tmux
# to watch the live view, torch for real training steps, iperf3 and fio as judges of
# the probes, Prometheus for the queries of the dashboard. What is there already is left alone.
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
need = @command -v $(1) >/dev/null || { echo "installing $(2) for the tests"; \
	$(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends $(2); }

.PHONY: machine compiler browser inspector office terminal torch judges metrics
machine: compiler browser inspector office terminal torch judges metrics
compiler:
	$(call need,cc,gcc libc6-dev)
browser:
	$(call need,chromium,chromium fonts-dejavu-core)
	$(call need,npm,nodejs npm)
	@test -d tests/browser/node_modules/playwright-core || npm ci --prefix tests/browser --no-audit --no-fund
inspector:
	$(call need,npm,nodejs npm)
	@test -d tests/inspector/node_modules/@modelcontextprotocol || npm ci --prefix tests/inspector --no-audit --no-fund
office:
	$(call need,soffice,libreoffice-calc fonts-dejavu-core)
terminal:
	$(call need,tmux,tmux)

# Debian's own torch needs Debian's own Python; OpenBLAS makes it ten times as fast.
torch:
	@/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo "installing torch for the tests"; \
	$(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends python3-torch libopenblas0-pthread; }
judges:
	$(call need,iperf3,iperf3)
	$(call need,fio,fio)
	$(call need,ip,iproute2)
# Its package would start a service where systemd runs: there its test is skipped.
metrics:
	@[ -d /run/systemd/system ] || command -v prometheus >/dev/null || { echo "installing prometheus for the tests"; \
	$(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends prometheus; } || echo "prometheus cannot be installed here: its test is skipped"

# The program on several hosts: network namespaces with an sshd each, and a Slurm of four
# nodes, all on this machine. Needs root; what is missing is installed where no systemd
# would start it, and its tests are skipped elsewhere. They mostly wait: three minutes of
# processor time, and a quarter of an hour where others want the processors too.
.PHONY: test-cluster hosts
test-cluster: compiler torch hosts
	@mkdir -p bin; rm -f bin/cluster.again
	ASSAY_TESTS=cluster $(TESTS) $(call again,cluster) --packages ./tests/cluster -- -vet=off -count=1 -timeout 28m
	@cat bin/cluster.again 2>/dev/null || true

# A whole suite over four such hosts, one behind a slow link. Seven minutes on two processors
# that nobody else uses.
.PHONY: bench-suite-hosts
bench-suite-hosts: compiler hosts
	ASSAY_TESTS=quiet go test -count=1 -timeout 20m ./tests/cluster -run '^TestSuiteNamesSlowNode$$'
hosts:
	@for each in ip:iproute2 sshd:openssh-server munged:munge slurmctld:slurmctld slurmd:slurmd srun:slurm-client; do \
	if command -v $${each%%:*} >/dev/null || [ -x /usr/sbin/$${each%%:*} ]; then continue; fi; \
	if [ -d /run/systemd/system ]; then echo "$${each#*:} is not installed, and would be started as a service: tests that need it are skipped"; continue; fi; \
	echo "installing $${each#*:} for the tests"; \
	$(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends $${each#*:} || echo "$${each#*:} cannot be installed here: tests that need it are skipped"; \
	done

# The operator is a module of its own: Kubernetes' client has five hundred packages, which
# nothing else here needs. Its tests, and the API server's own code, a module of its own
# too, as the judge of its objects' schemas.
.PHONY: operator test-operator
operator:
	go build -C operator -ldflags '-s -w' -o ../bin/assay-operator ./assay-operator
test-operator: compiler
	go test -C operator ./...
	go test -C tests/crd ./...

# The operator in a real cluster on loopback: etcd, the API server, its controllers and
# scheduler, JobSet and Kueue, Helm and KWOK, built once into a cache outside of the tree (25
# CPU minutes). Needs root, because Kueue reads a certificate from /etc. Once more with a real
# kubelet, whose pods are containers of the image: that wants containerd, runc and CNI's
# plugins too (one of which has the name of a program of iproute2), and is skipped by name
# where they or the kernel's leave are missing.
.PHONY: test-kubernetes containers
test-kubernetes: compiler containers image
	operator/kubernetes/build.sh
	@mkdir -p bin; rm -f bin/kubernetes.again
	cd operator && ASSAY_TESTS=kubernetes $(TESTS) $(call again,kubernetes) --packages ./kubernetes -- -vet=off -count=1 -timeout 20m
	@cat bin/kubernetes.again 2>/dev/null || true
containers:
	@for each in /usr/bin/containerd:containerd /usr/sbin/runc:runc /usr/lib/cni/bridge:containernetworking-plugins /usr/sbin/ip:iproute2; do \
	if [ -e $${each%%:*} ]; then continue; fi; \
	case $$each in */cni/*) ;; *) if command -v $$(basename $${each%%:*}) >/dev/null; then continue; fi;; esac; \
	if [ -d /run/systemd/system ]; then echo "$${each#*:} is not installed, and would be started as a service: tests that need it are skipped"; continue; fi; \
	echo "installing $${each#*:} for the tests"; \
	$(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends $${each#*:} || echo "$${each#*:} cannot be installed here: tests that need it are skipped"; \
	done

# People and programs sign in with a real OpenID Connect provider: Dex, built once into a cache
# outside of the tree, and Chromium.
.PHONY: test-oidc
test-oidc: compiler browser
	ASSAY_TESTS=oidc go test -count=1 -timeout 30m ./cmd/assay -run '^TestServeWithDex$$'

# The program that answers assay query --on duckdb: a module of its own, since DuckDB is C++.
.PHONY: duckdb
duckdb: compiler
	go build -C cmd/assay-duckdb -ldflags '-s -w' -o ../../bin/assay-duckdb .

# A real OpenTelemetry Collector receives the metrics and spans of a run (tests/collector, a module
# of its own). The first time takes minutes, in which the collector is fetched and compiled.
.PHONY: test-collector
test-collector:
	go build -o bin/assay ./cmd/assay
	ASSAY_PROGRAM=$(CURDIR)/bin/assay go test -C tests/collector -count=1 -timeout 10m ./...

# The same questions to SQLite, Postgres, ClickHouse (its engine of today behind its HTTP
# interface, and where Debian has it a server of 2018) and DuckDB, and copies that break off.
# What is missing is installed; a minute after that.
.PHONY: test-engines engines
ENGINES_VENV := .venv-engines
test-engines: duckdb engines $(ENGINES_VENV)/ready
	ASSAY_TESTS=engines go test -count=1 -timeout 10m ./tests/engines
engines:
	@for each in /usr/lib/postgresql:postgresql /usr/sbin/clickhouse-server:clickhouse-server; do \
	if [ -e $${each%%:*} ]; then continue; fi; \
	if [ -d /run/systemd/system ]; then echo "$${each#*:} is not installed, and would be started as a service: tests that need it are skipped"; continue; fi; \
	echo "installing $${each#*:} for the tests"; \
	$(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends $${each#*:} || echo "$${each#*:} cannot be installed here: tests that need it are skipped"; \
	done
$(ENGINES_VENV)/ready: tests/requirements-engines.txt
	$(PYTHON) -m venv $(ENGINES_VENV)
	$(ENGINES_VENV)/bin/pip install --quiet --no-compile --disable-pip-version-check --no-deps -r tests/requirements-engines.txt
	touch $@

# pandas and DuckDB prove that others can open what assay writes; scipy, statsmodels,
# scikit-learn, sacrebleu, rouge_score and nltk that others reckon as it does.
$(VENV)/ready: tests/requirements.txt tests/requirements-no-deps.txt
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y python3-venv; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --no-compile --disable-pip-version-check -r tests/requirements.txt
	$(VENV)/bin/pip install --quiet --no-compile --disable-pip-version-check --no-deps -r tests/requirements-no-deps.txt
	touch $@

# genai-bench proves that it can read what assay exports. See the file for why its
# own dependencies stay away.
$(GENAI_VENV)/ready: tests/requirements-genai.txt $(VENV)/ready
	$(PYTHON) -m venv $(GENAI_VENV)
	$(GENAI_VENV)/bin/pip install --quiet --no-compile --disable-pip-version-check -r tests/requirements-genai.txt
	$(GENAI_VENV)/bin/pip install --quiet --no-compile --disable-pip-version-check --no-deps genai-bench==0.0.5
	touch $@

# Files that are made from the Go types (JSON Schema, CRD, reference pages), and Go that
# is made from protobuf.
generate:
	go -C tools run ./messages ../target/kserve/kserve.proto
	go run ./cmd/assay schema --write .

demo:
	go run ./cmd/assay demo

# Pictures of the pages in docs/img, from two fresh runs of the simulator in a real
# browser. Look at them: what is ugly is a bug.
.PHONY: screenshots screenshots-pages bench-page
screenshots: screenshots-pages screenshots-live
SHOTS := bin/screenshots
screenshots-pages: browser
	$(call need,pdftoppm,poppler-utils)
	go build -o bin/assay ./cmd/assay
	rm -rf $(SHOTS) && mkdir -p $(SHOTS) docs/img
	PATH=$(CURDIR)/bin:$$PATH bin/assay run tests/browser/run.yaml -o $(SHOTS) >/dev/null
	PATH=$(CURDIR)/bin:$$PATH bin/assay run tests/browser/pair.yaml -o $(SHOTS) >/dev/null
	bin/assay report $(SHOTS)/*__pictures --format html >$(SHOTS)/run.html
	bin/assay compare $(SHOTS)/*__pair --format html >$(SHOTS)/compare.html
	node tests/browser/shots.mjs $(SHOTS)/run.html $(SHOTS)/compare.html docs/img
	$(MAKE) screenshots-terminal BUNDLE=$$(echo $(SHOTS)/*__pictures)

# Pictures of the short report of a bundle, in terminals of 80 and 160 columns.
.PHONY: screenshots-terminal
screenshots-terminal: browser terminal
	go build -o bin/assay ./cmd/assay
	mkdir -p $(SHOTS)
	go run ./live/screenshot -report $(BUNDLE) -out $(SHOTS)
	node tests/browser/ranks.mjs docs/img terminal-80.png $(SHOTS)/terminal-80.svg svg terminal-160.png $(SHOTS)/terminal-160.svg svg

# Pictures of collectives, of training and of a scaling study: two fresh runs of ranks,
# the second of which needs a Python with torch and has a model so small that two busy
# cores take two minutes.
.PHONY: screenshots-ranks
screenshots-ranks: browser
	go build -o bin/assay ./cmd/assay
	rm -rf $(SHOTS)-ranks && mkdir -p $(SHOTS)-ranks docs/img
	bin/assay comm --ranks 4 --ops all_reduce,all_gather --from 256B --to 4MiB --algorithms auto,ring,tree --place out_of_place --name comm -o $(SHOTS)-ranks >/dev/null
	bin/assay train --ranks 1,2 --layers 2 --hidden 128 --sequence 64 --steps 12 --bucket 100kB --name train -o $(SHOTS)-ranks >/dev/null
	bin/assay report $(SHOTS)-ranks/*__comm --format html >$(SHOTS)-ranks/comm.html
	bin/assay report $(SHOTS)-ranks/*__train --format html >$(SHOTS)-ranks/train.html
	bin/assay scale examples/data/scaling.csv --kind strong --quantity time --baseline one_worker --worker-hour 2.10 --fixed-hour 9 --format html >$(SHOTS)-ranks/scale.html
	node tests/browser/ranks.mjs docs/img collectives.png $(SHOTS)-ranks/comm.html header training.png $(SHOTS)-ranks/train.html header scaling.png $(SHOTS)-ranks/scale.html header

# Size of the page of 45 points and a million requests, and the time from navigation
# to its first live chart.
bench-page: browser
	ASSAY_TESTS=all go test ./report/page -run '^(TestHTMLSize|TestBrowser)$$' -count 1 -v | grep -E 'bytes|first chart|^ok|FAIL'

# Ten minutes of fuzzing for each parser of things that others write. Without its
# limit Go would spend most of them making interesting inputs shorter.
FUZZTIME ?= 10m
fuzz:
	go test ./spec -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./plan -run '^$$' -fuzz '^FuzzPlan$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./foreign -run '^$$' -fuzz '^FuzzGenAIBench$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./bundle -run '^$$' -fuzz '^FuzzOpen$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzFramer$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzFrames$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzEvents$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzEventStream$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzDecode$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzAnswer$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzInflate$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./target -run '^$$' -fuzz '^FuzzScan$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./workload/scenario -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./workload/dataset -run '^$$' -fuzz '^FuzzOpen$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./workload/trace -run '^$$' -fuzz '^FuzzRead$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./workload/token -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./workload/token -run '^$$' -fuzz '^FuzzEncode$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./accuracy/lexical -run '^$$' -fuzz '^FuzzWestern$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./lint -run '^$$' -fuzz '^FuzzStatements$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./analysis/trace -run '^$$' -fuzz '^FuzzFrom$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./analysis/mllog -run '^$$' -fuzz '^FuzzRead$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./tokens -run '^$$' -fuzz '^FuzzCheck$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./server -run '^$$' -fuzz '^FuzzRequest$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./server/signin -run '^$$' -fuzz '^FuzzCheck$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./server/jobs -run '^$$' -fuzz '^FuzzDocument$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	go test ./bundle/parcel -run '^$$' -fuzz '^FuzzUnpack$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 5x
	for tool in MLPerf NCCLTests LMEval Iperf3 Fio Perftest VLLM SGLang AIPerf AIPerfSummary GuideLLM InferencePerf InferencePerfStage Vegeta K6; do go test ./foreign -run '^$$' -fuzz "^Fuzz$$tool\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x || exit 1; done

# Rows per second per core, memory and size of the bundle writer over 50 million rows.
bench-bundle:
	GOMAXPROCS=1 go run ./bundle/benchmark

# What the statistics promise, by simulation: coverage of every interval, what is named where
# none can cover, and what gates rest on. All cores; a static binary for another machine:
# CGO_ENABLED=0 go build -o bin/calibration ./lint/benchmark && bin/calibration --trials 2000.
# Writes the tables into docs/evidence/calibration.md and exits 3 when a
# promise is broken; CALIBRATION_TRIALS=200 for a look.
CALIBRATION_TRIALS ?= 2000
bench-calibration:
	go run ./lint/benchmark --trials $(CALIBRATION_TRIALS) --write docs/evidence/calibration.md

# The same for the verdicts about quality: how often they are wrong, and how often they
# are given. Half a minute.
.PHONY: bench-quality
bench-quality:
	go run ./lint/benchmark --quality --trials $(CALIBRATION_TRIALS) --write docs/evidence/quality.md

# A gate of speed and quality at publication grade, through whole runs: 0 for a candidate that is
# faster and as good, 3 for one that is faster and a point worse. A minute on a machine that
# nobody else uses; on any other it is skipped by name.
.PHONY: bench-quality-gate
bench-quality-gate:
	ASSAY_TESTS=quiet go test ./cmd/assay -count=1 -v -run '^TestQualityGatePublished$$'

# How soon changes of a history are found and how often nothing is taken for one, in
# simulation and through a warehouse, beside Apache Otava (0.8.0) and an earlier assay (see
# warehouse/benchmark/ask_earlier.go) where they are given. Writes docs/evidence/change-points.md
# and exits 3 when a promise is broken. Minutes on every core; CHANGE_SERIES=20 for a look.
CHANGE_SERIES ?= 200
CHANGE_KEPT ?= 2
OTAVA_PYTHON ?= $(wildcard .venv-peers/otava/bin/python)
EARLIER_ASSAY ?=
.PHONY: bench-change-points
bench-change-points:
	go run ./warehouse/benchmark -series $(CHANGE_SERIES) -kept $(CHANGE_KEPT) -otava "$(OTAVA_PYTHON)" -earlier "$(EARLIER_ASSAY)" -write docs/evidence/change-points.md

# A warehouse of ten thousand runs, a million facts and a hundred million chunk rows: rows per
# second into Parquet, percentiles through DuckDB, every question of the dashboard, bytes for
# each run. Exits 3 where an aim is missed. Minutes, 2 GB of disk; for a look:
# make bench-warehouse VOLUME_CHUNKS=10000000 VOLUME_RUNS=1000
VOLUME_CHUNKS ?= 100000000
VOLUME_RUNS   ?= 10000
.PHONY: bench-warehouse
bench-warehouse: duckdb
	go run ./warehouse/benchmark/volume -chunks $(VOLUME_CHUNKS) -runs $(VOLUME_RUNS)

# A server under the load of a team for ten minutes: vegeta asks 200 times a second, twenty
# clients push bundles. Exits 3 where an aim is missed. Wants a quiet machine; for a look:
# make bench-serve SERVE_TIME=30s. With more than two processors, two for the server alone:
# taskset -c 2-5 make bench-serve SERVE='-server-cores 0,1'
SERVE_TIME ?= 10m
.PHONY: bench-serve
bench-serve:
	go build -o bin/assay ./cmd/assay
	go build -modfile=tools/go.mod -o bin/vegeta github.com/tsenart/vegeta/v12
	go run ./server/benchmark -duration $(SERVE_TIME) $(SERVE)

# What publishing hot metrics costs a run: pairs of runs against the simulator, with and
# without it. Wants a quiet machine and, for twenty pairs, ten minutes.
HOT_PAIRS ?= 20
.PHONY: bench-hot
bench-hot:
	go build -o bin/assay ./cmd/assay
	$(PYTHON) hot/cost.py bin/assay $(HOT_PAIRS)

# Real runs against a server in C that shares no line with assay: the bundle is joined
# with the server's log (tests/truth). Closed loops, the client on four cores and then on
# two; beside it a plain client in C and, where it is installed (make peers, or
# VLLM_BENCH=FILE), vllm-bench; at last with threads that sleep when they have nothing to
# read, for reads per second of processor time. Wants a quiet machine and six minutes; for a look:
# make bench-fidelity TRUTH_USERS=100 TRUTH='-duration 3s'
CLIENT_CORES ?= 4
TRUTH_USERS  ?= 1,100,1000
VLLM_BENCH   ?= $(wildcard $(PEERS_VENV)/vllm-bench/bin/vllm-bench)
BESIDE = -client bin/truth-client $(addprefix -vllm-bench ,$(VLLM_BENCH))
bench-fidelity: truth
	bin/truth fidelity -client-cores $(CLIENT_CORES) -users $(TRUTH_USERS) $(BESIDE) $(TRUTH)
	bin/truth fidelity -client-cores 2 -users 100 $(BESIDE) $(TRUTH)
	bin/truth fidelity -client-cores $(CLIENT_CORES) -users 1000 -client bin/truth-client -load 'readerWait: sleep' $(TRUTH)

# How late requests leave in open loops of 1,000 and 5,000 a second, in real runs against
# the same server.
TRUTH_RATES ?= 1000,5000
bench-pacer: truth
	bin/truth pacer -client-cores $(CLIENT_CORES) -rates $(TRUTH_RATES) $(TRUTH)

# How often the error that a run prints about itself bounds the true one: forty short runs
# at one to a thousand users. Ten minutes.
TRUTH_RUNS ?= 40
.PHONY: bench-own-error
bench-own-error: truth
	bin/truth own-error -client-cores $(CLIENT_CORES) -runs $(TRUTH_RUNS) -duration 3s -warmup 2s $(TRUTH)

# Honest runs on a quiet host, with one processor busy and with all of them: how often a
# result that is right is refused, one that is wrong is quoted, and a system does not pass a
# gate with itself. Twelve seconds a run.
HONEST_RUNS ?= 204
.PHONY: bench-honest
bench-honest: truth
	bin/truth honest -runs $(HONEST_RUNS) $(TRUTH)

# Requests and events per second of one load generator and of several, each on a core of its
# own, and what a leader spends on each event. One truth server makes 200,000 events a second, so
# there are several. Cores: as many as generators and servers, and two more.
GENERATORS ?= 1,2,4,6
TRUTH_SERVERS ?= 8
.PHONY: bench-generators
bench-generators: truth
	bin/truth generators -generators $(GENERATORS) -servers $(TRUTH_SERVERS) -users 6000 -tokens 100 -gap 5ms -duration 5s $(TRUTH)

# What the leader of a run spends on each load generator, stream and rank: processor time,
# memory and bytes, with simulated ones in a second process. docs/design/0043 reads them.
LEADER_MEMBERS ?= 8,32,128,500,2000
.PHONY: bench-leader
bench-leader:
	go run ./run/benchmark/leader -members $(LEADER_MEMBERS)

# What the four benchmarks above run, without anything shared, so that bin can be taken to
# a quiet machine.
.PHONY: truth
truth: compiler
	@mkdir -p bin
	CGO_ENABLED=0 go build -o bin/assay ./cmd/assay
	CGO_ENABLED=0 go build -o bin/truth ./tests/truth
	cc -O2 -static -o bin/truth-server tests/truth/native/server.c -lm
	cc -O2 -static -o bin/truth-client tests/truth/native/client.c

# The client's stamps against the simulator's own, every reader, at 100 and at 50
# events per second and stream, and reads per second with no schedule at all; with
# PEERS=1 other clients on the same simulator (make peers installs them).
STREAMS ?= 1,10,100,500,1000,5000,10000,max
TRIALS  ?= 3
READERS := epoll+kernel,epoll,net/http
.PHONY: bench-readers
bench-readers:
	go build -o bin/assay ./cmd/assay
	bin/assay calibrate --streams $(STREAMS) --trials $(TRIALS) --readers $(READERS)
	bin/assay calibrate --streams 1000 --trials $(TRIALS) --readers $(READERS) --itl 20ms
	bin/assay calibrate --streams 64 --trials $(TRIALS) --readers $(READERS) --itl 0s --tokens 2000
	bin/assay calibrate --streams 1,100,1000 --trials $(TRIALS) --readers epoll+kernel,net/http --tls --http2 --itl 20ms
	bin/assay calibrate --view --streams $(LIVE_STREAMS) --trials $(LIVE_TRIALS)
ifdef PEERS
	bin/assay calibrate --peers --peers-dir $(PEERS_VENV) --trials $(TRIALS)
endif

# What a live view adds to the client's error: the same client with a view drawn
# into a terminal and without, in turns. Exits 3 when that is more than nothing.
LIVE_STREAMS ?= 1,100,1000
LIVE_TRIALS  ?= 12
bench-live:
	go build -o bin/assay ./cmd/assay
	bin/assay calibrate --view --streams $(LIVE_STREAMS) --trials $(LIVE_TRIALS)

# The live view as it looks in a real terminal (tmux), as text and as a picture.
screenshots-live: terminal
	go build -o bin/assay ./cmd/assay
	go run ./live/screenshot -assay bin/assay -out docs/img

# Other clients, for bench-readers PEERS=1 and bench-fidelity: an environment for each name
# in tests/requirements-peers.txt, about 8 GB in all, and where cargo is installed
# vllm-bench, its last version before it moved into vLLM's own tree.
PEERS_VENV := .venv-peers
.PHONY: peers
peers:
	grep -v '^#' tests/requirements-peers.txt | while read -r name what; do \
	test -x $(PEERS_VENV)/$$name/bin/pip || $(PYTHON) -m venv $(PEERS_VENV)/$$name || exit 1; \
	$(PEERS_VENV)/$$name/bin/pip install --quiet --disable-pip-version-check $$what || exit 1; done
	@if command -v cargo >/dev/null; then \
	cargo install --quiet --locked --root $(PEERS_VENV)/vllm-bench --git https://github.com/vllm-project/vllm-bench --rev f313182; \
	else echo "no cargo here: vllm-bench is left out"; fi

# How late the open loop sends at 100, 1,000 and 5,000 calls a second, without the rest of
# a run; for ten minutes a row: make bench-sender PACER_TIME=10m, with PACER_RATE=1000 that
# rate alone.
PACER_TIME ?= 5s
PACER_RATE ?= 0
.PHONY: bench-sender
bench-sender:
	go run ./load/benchmark -duration $(PACER_TIME) -rate $(PACER_RATE)

# Generated programs that the sandbox runs in a second, on two processors: the canonical
# solutions of HumanEval, from shared/data beside the repository. The binary is static.
.PHONY: bench-accuracy-sandbox
bench-accuracy-sandbox:
	CGO_ENABLED=0 go test -c -o bin/sandbox.test ./accuracy/sandbox
	cd accuracy/sandbox && taskset -c 0,1 ../../bin/sandbox.test -test.run '^$$' -test.bench HumanEval -test.benchtime 492x -test.cpu 2

# Coordinated omission: a server of 500 ms and two requests a second is offered ten;
# p99 from when requests were due against queueing theory. Ten minutes; a tenth of
# it with OMISSION_SERVICE=50ms.
OMISSION_SERVICE ?= 500ms
bench-omission:
	ASSAY_TESTS=all ASSAY_OMISSION_SERVICE=$(OMISSION_SERVICE) go test ./cmd/assay -run '^TestCoordinatedOmission$$' -count 1 -timeout 60m -v

# Memory, goroutines and descriptors of real runs: a million short requests, and a
# thousand streams for ten minutes. A shorter look: make bench-soak
# SOAK_REQUESTS=300000 SOAK_TIME=1m
SOAK_REQUESTS ?= 1000000
SOAK_STREAMS  ?= 1000
SOAK_TIME     ?= 10m
bench-soak:
	go build -o bin/assay ./cmd/assay
	go run ./run/benchmark -assay bin/assay -requests $(SOAK_REQUESTS) -streams $(SOAK_STREAMS) -duration $(SOAK_TIME)

# Time and memory of judging a million requests of a hundred chunks, in five launches
# and in one, on 1, 2 and 4 processors; the reports must be the same. 600 MB of disk
# at a time. A shorter look: make bench-judge JUDGE_REQUESTS=100000
JUDGE_REQUESTS ?= 1000000
bench-judge:
	go build -o bin/assay ./cmd/assay
	go run ./judge/benchmark -assay bin/assay -requests $(JUDGE_REQUESTS)

# Training steps held against the truth: shaped links, known sleeps, a clock that is
# 5000 s off. Needs root for its network namespaces, and a few quiet minutes.
bench-overlap: torch judges
	go build -o bin/assay ./cmd/assay
	go run ./analysis/overlap/benchmark -assay bin/assay

# Native collectives beside iperf3 on the same link, in turns: loopback and, as root, a
# link of 400 Mbit/s. A minute; wants a quiet machine.
COLLECTIVE_ROUNDS ?= 4
.PHONY: bench-collective
bench-collective: judges
	go build -o bin/collective-benchmark ./collective/benchmark
	bin/collective-benchmark -rounds $(COLLECTIVE_ROUNDS)

# How late the users of a closed loop ask again, at 1, 16 and 256 users, by reader.
bench-closed:
	go run ./load/benchmark -closed -duration $(PACER_TIME)

# The text metrics beside sacrebleu, rouge_score and NLTK on WMT17, in turns: CPU time, ratio,
# memory; exits 3 below 50 times (TER 200). Ten minutes; ACCURACY_ROUNDS=1 for a look.
# ACCURACY_DATA is the folder of the texts.
ACCURACY_ROUNDS ?= 3
ACCURACY_DATA   ?= ../shared/data/wmt17_en_de
.PHONY: bench-accuracy
bench-accuracy: $(VENV)/ready
	CGO_ENABLED=0 go build -o bin/accuracy-benchmark ./accuracy/benchmark
	bin/accuracy-benchmark -data $(ACCURACY_DATA) -python $(VENV)/bin/python -rounds $(ACCURACY_ROUNDS)

# Tokens per second of one core, beside Hugging Face's tokenizers and tiktoken.
bench-token: $(VENV)/ready
	go run ./workload/token/benchmark -python $(VENV)/bin/python

# Simulated engines told apart by real runs in blocks: three per cent slower, and
# equal. Eight minutes; COMPARE_BLOCKS=12 for a look.
COMPARE_BLOCKS ?= 24
.PHONY: bench-compare
bench-compare:
	go build -o bin/assay ./cmd/assay
	go run ./analysis/compare/benchmark -assay bin/assay -blocks $(COMPARE_BLOCKS)

# The probes beside a C program, fio and iperf3 on this host, in turns: ratios with
# intervals. Two minutes; PROBE_ROUNDS=3 for a look.
PROBE_ROUNDS ?= 8
.PHONY: bench-probe
bench-probe:
	go run ./probe/benchmark -rounds $(PROBE_ROUNDS)

# What is published, in bin/release: archives, Debian packages, SBOMs, checksums; see
# docs/release.md. release-check builds it again, wants the same bytes, and runs a
# measurement with what the package holds. A shorter look: SYSTEMS=linux/amd64.
.PHONY: release release-check module
release:
	tests/release/build.sh bin/release
release-check: release
	tests/release/check.sh bin/release bin/release-again

# Gives the module another path, such as the address that it is published under:
# make module TO=example.org/team/assay
module:
	tests/release/module.sh $(TO)

# The container image: a folder with a static binary, the certificates of this
# machine and a user without rights, packed as an OCI layout in bin/oci, which skopeo, crane
# and podman push (skopeo copy oci:bin/oci docker://registry.example/assay:0.1.0). Where a
# Docker engine runs, the Dockerfile makes the same of the folder.
.PHONY: image
image:
	rm -rf bin/image && mkdir -p bin/image/usr/local/bin bin/image/etc/ssl/certs bin/image/tmp bin/image/work
	chmod 1777 bin/image/tmp bin/image/work
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/image/usr/local/bin/assay ./cmd/assay
	CGO_ENABLED=0 go build -C operator -trimpath -ldflags "-s -w" -o ../bin/image/usr/local/bin/assay-operator ./assay-operator
	echo 'assay:x:65532:65532:assay:/work:/sbin/nologin' > bin/image/etc/passwd
	cp -L /etc/ssl/certs/ca-certificates.crt bin/image/etc/ssl/certs/ || echo "no certificates on this machine: https targets need spec.target.tls.caFile"
	go run ./tests/release/oci bin/image bin/oci assay:latest $$(go env GOARCH)
	docker build -t assay . || echo "no Docker engine here: the image is in bin/oci"

# kill -9 at random moments of real runs; make test does a few of them.
KILLS ?= 200
kills: compiler
	ASSAY_TESTS=all ASSAY_KILLS=$(KILLS) go test ./cmd/assay -run '^TestKilled$$' -count 1 -timeout 60m -v

# Every case of the tests that make test samples: each of five hundred changed bundles
# given to each command that reads one, every byte of a bundle flipped, every
# combination of the renderer's choices, 20,000 texts for every kind of tokenizer and
# 5,000 for every library of scores, a wrong answer to every problem of HumanEval,
# trainings over real links and with real faults.
.PHONY: exhaustive
exhaustive: $(VENV)/ready
	ASSAY_TESTS=exhaustive $(PYTHONS) go test ./spec ./bundle ./workload/token ./accuracy/lexical ./accuracy/sandbox ./cmd/assay -run '^(TestParity.*|TestAllMutatedSolutionsFail|TestRenderEveryCombination|TestEveryByte|TestDamagedTable|TestOracles|TestTampered|TestServeDemo|TestMCPInspector|TestOneTruthForReal|TestKnownShiftsForReal)$$' -count 1 -timeout 60m
	ASSAY_TESTS=exhaustive go test ./server -run '^TestKilled' -count 1 -timeout 60m

clean:
	rm -rf $(VENV) $(GENAI_VENV) $(PEERS_VENV) $(ENGINES_VENV) tests/browser/node_modules tests/inspector/node_modules bin runs
