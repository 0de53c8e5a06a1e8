package spec

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// additionalRules are assay's own rules for a BenchmarkRun. Those without a
// check are found while reading.
var additionalRules = []Rule{
	{ID: "A1", Path: "apiVersion", Doc: "apiVersion is one that assay reads."},
	{ID: "A2", Path: "spec.automation.ci", Doc: "cadence is canary, nightly or pre_release, and its schedule is on.", check: cadenceOn},
	{ID: "A3", Path: "spec.workload.sequenceLengthMix[i]", Doc: "Token counts and weights are above zero."},
	{ID: "A4", Path: "spec.workload.sequenceLengthMix", Doc: "Weights sum to 1, within 1e-6.", check: weightsSum},
	{ID: "A5", Path: "spec.comparison.controls.fixed", Doc: "The frozen items equal the workload's.", check: fixedEqualsWorkload, lenient: true},
	{ID: "A6", Path: "spec.comparison.controls.fixed", Doc: "Dataset and correctness policy are frozen too: seven items.", check: fixedKeys("missing frozen items ", []string{"datasetRef", "correctness"}), lenient: true},
	{ID: "A7", Path: "spec.workload.datasetRef", Doc: "The dataset is synthetic, or named by its content digest.", check: datasetPinned, lenient: true},
	{ID: "A8", Path: "spec.workload.correctness", Doc: "Publication grade declares a correctness policy with at least one suite.", check: correctnessDeclared, lenient: true},
	{ID: "A116", Path: "spec.workload.correctness", Doc: "A task of correctness.suite that no task of evaluation asks, and that is not excepted, is pointed out.", check: suiteAsked},
	{ID: "A117", Path: "spec.intent.headline", Doc: "Publication grade of serving chooses its headline before the run.", check: headlineChosen, lenient: true},
	{ID: "A118", Path: "spec.trials.minReplicates", Doc: "A publication that stands on a p99 with fewer than ten launches is pointed out.", check: tailRepeated},
	{ID: "A9", Path: "spec.comparison", Doc: "Image references are digests: NAME@sha256:HEX or sha256:HEX.", check: imagesPinned, lenient: true},
	{ID: "A10", Path: "spec.comparison", Doc: "Artifact references can be resolved; publication grade has both.", check: artifactsResolvable, lenient: true},
	{ID: "A11", Path: "spec.comparison", Doc: "Baseline and candidate differ, or are sides of this run.", check: sidesDiffer, lenient: true},
	{ID: "A12", Path: "any", Doc: "No unknown fields."},
	{ID: "A13", Path: "any", Doc: "No duplicate keys."},
	{ID: "A14", Path: "spec.layers[i].name", Doc: "Layer names are known and unique.", check: layersUnique},
	{ID: "A15", Path: "spec.layers[i].suites", Doc: "Suites are mappings with a name."},
	{ID: "A16", Path: "spec.comparison.variableUnderTest", Doc: "One variable from the one list; a run in which more moved is exploratory."},
	{ID: "A17", Path: "any", Doc: "Words come from the lists that assay implements."},
	{ID: "A18", Path: "any", Doc: "Values have the type of their field; a boolean is not an integer, numbers are finite and exact."},
	{ID: "A19", Path: "spec.trials.confidenceLevel", Doc: "One range everywhere: 0.8 to 0.999."},
	{ID: "A20", Path: "spec.sinks.hotMetrics.retentionDays", Doc: "retentionDays agrees with curatedWarehouse.retention.hotDays.", check: retentionAgrees},
	{ID: "A113", Path: "spec.sinks.hotMetrics.labels", Doc: "Hot metrics have labels of the contract alone, and none that differs from request to request.", check: hotLabelsBounded},
	{ID: "A114", Path: "spec.sinks.hotMetrics.listen", Doc: "Hot metrics are served and pushed at addresses.", check: hotAddresses},
	{ID: "A21", Path: "document", Doc: "The file is one YAML or JSON document in UTF-8, without endless aliases."},
	{ID: "A22", Path: "any", Doc: "Fields without a default are written."},
	{ID: "A23", Path: "any", Doc: "Numbers, durations and sizes are within their bounds."},
	{ID: "A24", Path: "any", Doc: "Durations and sizes carry their unit."},
	{ID: "A25", Path: "any", Doc: "Text has the form of its field."},
	{ID: "A26", Path: "spec.target", Doc: "The target has one address: url, urls, or a server with a url.", check: targetAddress},
	{ID: "A27", Path: "spec.target.auth", Doc: "A credential comes from env or file, and a header kind names its header.", check: authComplete},
	{ID: "A28", Path: "spec.load", Doc: "Load fields belong to the concurrency model.", check: loadAgrees},
	{ID: "A41", Path: "spec.workload.session", Doc: "Fields of a session belong to where it comes from, and load counts sessions, not requests.", check: sessionAgrees},
	{ID: "A42", Path: "spec.load.trace", Doc: "A trace is named by traceRef, has a file and a format, and shapes the prompts itself.", check: traceAgrees},
	{ID: "A29", Path: "spec.slo[i]", Doc: "An objective has the one bound its metric takes.", check: objectivesBounded},
	{ID: "A30", Path: "spec.target", Doc: "Secrets are not written out; publication grade refuses them.", check: secretsReferenced},
	{ID: "A31", Path: "spec.target.tls", Doc: "Publication grade verifies certificates; a client certificate has its key.", check: tlsComplete},
	{ID: "A32", Path: "spec.workload", Doc: "Publication grade controls precision and batching.", check: controlled},
	{ID: "A33", Path: "spec.workload.prompt", Doc: "A spread belongs to a distribution, a scenario to the mix that is its mean, a file to a pinned dataset, a task to its scenario and API, a tokenizer's file to its digest; a prefix fits into the prompt.", check: promptAgrees},
	{ID: "A53", Path: "spec.target.metrics", Doc: "Pages of metrics are http or https addresses, and none are named where nothing is read.", check: metricsAgree},
	{ID: "A54", Path: "spec.target.server.cold", Doc: "Warm requests follow cold ones.", check: coldAgrees},
	{ID: "A55", Path: "spec.load.cacheProbe", Doc: "A cache probe compares times to first token, so it needs a stream.", check: cacheProbeStreams},
	{ID: "A34", Path: "spec", Doc: "Sections that have no effect on the workload type are pointed out.", check: sectionsUsed},
	{ID: "A50", Path: "spec.target", Doc: "The proxy is an address, and the reader can go through it.", check: connectionAgrees},
	{ID: "A51", Path: "spec.target", Doc: "A command has a server that is started for each launch, and nothing that belongs to an address.", check: commandComplete},
	{ID: "A45", Path: "spec.candidates", Doc: "Sides have names of their own, and servers that do not stand in each other's way.", check: candidatesAgree},
	{ID: "A56", Path: "spec.load.search", Doc: "A search has bounds, objectives that single requests keep or miss, and the only say about the load.", check: searchAgrees},
	{ID: "A57", Path: "spec.load.mlperf", Doc: "An MLPerf scenario has the only say about the load, and limits where it judges by them.", check: mlperfAgrees},
	{ID: "A58", Path: "spec.load.stopWhenSaturated", Doc: "Only an open loop can be saturated.", check: stopsOpenLoops},
	{ID: "A80", Path: "spec.workload.prompt.scenarios", Doc: "A sweep over scenarios names each once and shapes prompts that nothing else shapes.", check: scenariosAgree},
	{ID: "A81", Path: "spec.load.batchSizes", Doc: "A sweep over batch sizes names each once and belongs to tasks whose requests hold documents.", check: batchSizesAgree},
	{ID: "A60", Path: "spec.bounds", Doc: "Bounds come with the number of GPUs and the size of the model.", check: boundsAgree},
	{ID: "A90", Path: "spec.collectives", Doc: "Collectives ask of a backend what it can do, and each rank has a place.", check: collectivesAgree},
	{ID: "A91", Path: "spec.train", Doc: "Training steps ask of a backend what it can do, and each rank has a place.", check: trainAgrees},
	{ID: "A92", Path: "spec.load", Doc: "A sweep has at most 1000 points, and at most 100000 in all launches.", check: sweepIsFinite},
	{ID: "A96", Path: "spec.provenance.signing", Doc: "What signs and the form of the statement are those that assay has: ed25519 and in_toto.", check: signingAvailable, lenient: true},
	{ID: "A98", Path: "spec.evaluation", Doc: "An evaluation asks text without sessions, each task once and in a style of its family, and lets answers end.", check: evaluationAgrees},
	{ID: "A99", Path: "spec.evaluation.scorers", Doc: "A scorer is a program or an address, and every grader that names one finds it.", check: scorersAgree},
	{ID: "A100", Path: "spec.load.generators", Doc: "Load generators send what can be split, and each has a place.", check: generatorsAgree},
	{ID: "A101", Path: "spec.probe.launch", Doc: "Probes of several hosts are started by ssh or slurm, one rank on each host.", check: probeAgrees},
	{ID: "A102", Path: "spec.kubernetes", Doc: "A placement on Kubernetes asks Kueue for nothing without a queue, and for amounts that can be read.", check: kubernetesAgrees},
	{ID: "A97", Path: "spec.sinks.rawArtifacts", Doc: "Raw artifacts go to a local folder; for another store a run is refused.", check: sinkAvailable},
	{ID: "A103", Path: "spec.target.server.pin", Doc: "Processors are lists that can be read, and named one way.", check: serverPinAgrees},
	{ID: "A115", Path: "spec.trials.sets", Doc: "A run that has sets of hosts for itself is carried out by one host at a time.", check: wholeSetsAgree},
	{ID: "A95", Path: "spec.trials.interval", Doc: "A bootstrap has launches enough to be drawn from.", check: bootstrapAgrees},
}

// fewestBootstrapped is the fewest launches that a bootstrap is made of.
const fewestBootstrapped = 20

func bootstrapAgrees(c *checker) {
	if t := c.run.Spec.Trials; t.Interval == IntervalBootstrap && t.MinReplicates < fewestBootstrapped {
		c.failGot("spec.trials.interval", fmt.Sprintf("bootstrap of %d launches", t.MinReplicates), fmt.Sprintf("a bootstrap needs trials.minReplicates of %d at least: fewer are too poor a picture of what they were drawn from", fewestBootstrapped))
	}
}

func cadenceOn(c *checker) {
	names := map[string]string{"canary": "canary", "nightly": "nightly", "pre_release": "preRelease"}
	cadence := c.at("spec.intent.cadence").str()
	path := "spec.automation.ci." + names[cadence]
	if on, ok := c.at(path).flag(); names[cadence] != "" && ok && !on {
		c.fail(path, "must be true: it is the schedule of cadence "+cadence)
	}
}

func weightsSum(c *checker) {
	const path = "spec.workload.sequenceLengthMix"
	mix := c.at(path)
	if !mix.is(listShape) || len(mix.items) == 0 {
		return
	}
	sum := 0.0
	for _, entry := range mix.items {
		weight, ok := entry.field("weight").number()
		if !ok {
			return // reading has said so
		}
		sum += weight
	}
	if math.Abs(sum-1) > 1e-6 {
		c.failGot(path, fmt.Sprintf("weights that sum to %.6g", sum), "weights must sum to 1")
	}
}

func fixedEqualsWorkload(c *checker) {
	const path = "spec.comparison.controls.fixed"
	fixed := c.run.Spec.Comparison.Controls.Fixed
	if fixed == nil || c.source.at(path) == nil {
		return
	}
	w := c.run.Spec.Workload
	for _, item := range []struct {
		name        string
		frozen, own any
	}{
		{"model", fixed.Model, w.Model},
		{"sequenceLengthMix", fixed.SequenceLengthMix, w.SequenceLengthMix},
		{"precision", fixed.Precision, w.Precision},
		{"batchingPolicy", fixed.BatchingPolicy, w.BatchingPolicy},
		{"concurrencyModel", fixed.ConcurrencyModel, w.ConcurrencyModel},
		{"datasetRef", fixed.DatasetRef, w.DatasetRef},
		{"correctness", fixed.Correctness, &w.Correctness},
	} {
		if c.at(joinPath(path, item.name)) == nil || c.anyUnread(joinPath(path, item.name), "spec.workload."+item.name) {
			continue
		}
		frozen, err1 := Canonical(item.frozen)
		own, err2 := Canonical(item.own)
		if err1 == nil && err2 == nil && !bytes.Equal(frozen, own) {
			c.fail(joinPath(path, item.name), "must equal workload."+item.name)
		}
	}
}

// anyUnread reports whether reading found a fault at or below one of paths.
func (c *checker) anyUnread(paths ...string) bool {
	for unread := range c.unread {
		for _, path := range paths {
			if strings.HasPrefix(unread, path) {
				return true
			}
		}
	}
	return false
}

var (
	pinned      = regexp.MustCompile(`^([^@\s]+@)?sha256:[0-9a-f]{64}$`)
	runRef      = regexp.MustCompile(`^run:[A-Za-z0-9][A-Za-z0-9._-]*$`)
	uriRef      = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://[^\s/]+(/\S*)?$`)
	placeholder = regexp.MustCompile(`\$\{[A-Z_]+\}`)
	imageScheme = regexp.MustCompile(`^(oci|docker)://`)
)

// pinnedWant is what a content digest looks like.
const pinnedWant = "NAME@sha256:<64 hex digits> or sha256:<64 hex digits>"

func datasetPinned(c *checker) {
	const path = "spec.workload.datasetRef"
	ref := c.at(path)
	switch {
	case ref == nil && c.strict:
		c.fail(path, "must be synthetic or "+pinnedWant)
	case ref.is(stringShape) && ref.text != SyntheticDataset && !pinned.MatchString(ref.text):
		c.fail(path, "must be synthetic or "+pinnedWant)
	}
}

func correctnessDeclared(c *checker) {
	const path = "spec.workload.correctness"
	if !c.strict || !c.publication {
		return
	}
	suite := c.at(path + ".suite")
	switch {
	case c.at(path) == nil:
		c.fail(path, "must declare the correctness policy")
	case !suite.is(listShape) || len(suite.items) == 0:
		c.fail(path+".suite", "must name at least one correctness suite")
	}
}

// eachSide runs body for baseline and candidate.
func eachSide(c *checker, body func(path string, ref *node)) {
	for _, side := range []string{"baseline", "candidate"} {
		path := "spec.comparison." + side + ".artifactRef"
		body(path, c.at(path))
	}
}

func imagesPinned(c *checker) {
	eachSide(c, func(path string, ref *node) {
		if name := ref.str(); imageScheme.MatchString(name) && !pinned.MatchString(name) {
			c.fail(path, "an image must be named by digest: "+pinnedWant)
		}
	})
}

func artifactsResolvable(c *checker) {
	eachSide(c, func(path string, ref *node) {
		text := ref.str()
		switch {
		case ref == nil && c.strict && c.publication:
			c.fail(path, "publication grade needs both artifact references")
		case ref.is(stringShape) && !resolvable(text):
			c.fail(path, "must be self, run:RUN_ID, a digest, a URI or a file path without spaces")
		}
	})
}

func resolvable(ref string) bool {
	switch {
	case ref == SelfArtifact, pinned.MatchString(ref), runRef.MatchString(ref), uriRef.MatchString(ref):
		return true
	default: // a path
		return ref != "" && !strings.ContainsAny(ref, " \t\n:@")
	}
}

// sidesDiffer refuses a comparison of a run with itself. A document with candidates is
// another matter: both sides are measured in the one run that it describes.
func sidesDiffer(c *checker) {
	baseline := c.at("spec.comparison.baseline.artifactRef").str()
	within := baseline == SelfArtifact && c.at("spec.candidates[0]") != nil
	if candidate := c.at("spec.comparison.candidate.artifactRef").str(); baseline != "" && baseline == candidate && !within {
		c.fail("spec.comparison.candidate.artifactRef", "must differ from baseline.artifactRef")
	}
}

func layersUnique(c *checker) {
	seen := map[string]bool{}
	eachLayer(func(c *checker, path string) {
		name := c.at(path + ".name").str()
		if name != "" && seen[name] {
			c.fail(path+".name", "each layer must appear once")
		}
		seen[name] = true
	})(c)
}

func retentionAgrees(c *checker) {
	days, ok1 := c.at("spec.sinks.hotMetrics.retentionDays").integer()
	hot, ok2 := c.at("spec.sinks.curatedWarehouse.retention.hotDays").integer()
	if ok1 && ok2 && days != hot {
		c.fail("spec.sinks.hotMetrics.retentionDays", fmt.Sprintf("must equal curatedWarehouse.retention.hotDays, which is %d", hot))
	}
}

func targetAddress(c *checker) {
	eachTarget(&c.run, func(path string, t *Target) { addressOf(c, path, t) })
}

func addressOf(c *checker, path string, t *Target) {
	if c.anyUnread(path + ".url") {
		return
	}
	switch {
	case t.API == APICommand: // it has none; A51 says so
	case t.URL == "" && len(t.URLs) == 0:
		c.failGot(path+".url", "nothing", "must be an address such as http://127.0.0.1:8000, or give urls")
	case t.URL != "" && len(t.URLs) > 0:
		c.failGot(path+".urls", "url as well", "give url or urls, not both")
	}
	if t.URL != "" {
		checkURL(c, path+".url", t.URL)
	}
	for i, u := range t.URLs {
		checkURL(c, itemPath(path+".urls", i), u)
	}
}

func checkURL(c *checker, path, text string) {
	u, err := parseURL(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		c.fail(path, "must be an http or https address such as http://127.0.0.1:8000")
	}
}

func controlled(c *checker) {
	if !c.publication {
		return
	}
	for _, path := range under("spec.workload", "precision", "batchingPolicy") {
		if c.at(path).str() == AsServed {
			c.warn(path, "publication grade should name the value the server runs with")
		}
	}
}

// sectionsUsed warns of what is written and will not happen.
func sectionsUsed(c *checker) {
	s := &c.run.Spec
	for _, section := range []struct {
		name    string
		written bool
		used    bool
	}{
		{"target", s.Target != nil, s.serves() || s.Evaluation != nil},
		{"load", s.Load != nil, s.serves()},
		{"slo", s.SLO != nil, s.serves()},
		{"train", s.Train != nil, s.trains()},
	} {
		if section.written && !section.used {
			c.warn("spec."+section.name, "has no effect: intent.workloadType is "+s.Intent.WorkloadType)
		}
	}
}

func promptAgrees(c *checker) {
	p := c.run.Spec.Workload.Prompt
	if p.Distribution == "fixed" && p.Spread > 0 {
		c.fail("spec.workload.prompt.spread", "needs a distribution other than fixed")
	}
	scenarioAgrees(c)
	datasetAgrees(c)
	taskAgrees(c)
	tokenizerAgrees(c)
	for i, shape := range c.run.Spec.Workload.SequenceLengthMix {
		if p.PrefixTokens > 0 && p.PrefixTokens >= shape.InputTokens {
			c.fail("spec.workload.prompt.prefixTokens",
				fmt.Sprintf("must be less than sequenceLengthMix[%d].inputTokens, which is %d", i, shape.InputTokens))
		}
	}
}
