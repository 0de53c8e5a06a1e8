package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Document is one parsed file. One of Run, Workload, Policy, Intake and Schedule is set, as
// written: Resolve fills the defaults in.
type Document struct {
	File     string
	Kind     string
	Run      *Run
	Workload *WorkloadSpec
	Policy   *GatePolicy
	Intake   *PerformanceIntake
	Schedule *BenchmarkSchedule

	root *node // for the places of later faults
}

// Parse reads a document and reports everything wrong with it, in reading
// order. The document holds what could be read and is nil only where nothing
// could; it may be used when Valid(faults).
func Parse(name string, data []byte) (*Document, []Fault) {
	root, failed := read(data)
	if failed != nil {
		return nil, []Fault{{
			File: name, Line: failed.line, Column: failed.column, Path: "document", Got: failed.got, Want: failed.want,
			Rule: ruleReadable, Message: "want " + failed.want, Severity: SeverityError,
		}}
	}
	if root.shape != mappingShape {
		return nil, []Fault{{
			File: name, Line: root.line, Column: root.column, Path: "document", Got: root.got(), Want: "a mapping",
			Rule: "C1", Message: "expected YAML mapping", Severity: SeverityError,
		}}
	}
	doc := &Document{File: name, Kind: KindBenchmarkRun, root: root}
	var faults []Fault
	switch root.field("kind").str() {
	case KindWorkloadSpec:
		doc.Kind = KindWorkloadSpec
		doc.Workload, faults = parseWorkload(root)
	case KindGatePolicy:
		doc.Kind = KindGatePolicy
		doc.Policy, faults = parsePolicy(root)
	case KindPerformanceIntake:
		doc.Kind = KindPerformanceIntake
		doc.Intake, faults = parseIntake(root)
	case KindBenchmarkSchedule:
		doc.Kind = KindBenchmarkSchedule
		doc.Schedule, faults = parseSchedule(root)
	default:
		doc.Run, faults = parseRun(root)
		hideSecrets(faults, literalSecrets(*doc.Run))
	}
	for i := range faults {
		faults[i].File = name
	}
	SortFaults(faults)
	return doc, faults
}

// Check reports the faults of a run that was made in Go, as Parse does for one
// that was read; places mean nothing, and literal secrets are not seen.
func Check(run Run) []Fault {
	_, faults := parseRun(toNode(run))
	SortFaults(faults)
	return faults
}

func parseRun(root *node) (*Run, []Fault) {
	d := &decoder{}
	run := new(Run)
	d.value(root, reflect.ValueOf(run).Elem(), member{}, "")

	c := newChecker(root, d.faults)
	c.reference = run.APIVersion == ReferenceAPIVersion
	c.publication = run.Spec.Intent.BenchmarkClass == PublicationGrade
	if c.reference { // there an unknown class counts as publication grade
		c.publication = run.Spec.Intent.BenchmarkClass != RealismGrade
	}
	c.strict = c.reference || c.publication
	c.workloadType = Mixed
	c.run, _ = Resolve(*run)
	if !c.strict {
		c.doc = toNode(c.run)
	}
	if t := c.at("spec.intent.workloadType").str(); slices.Contains(Vocabularies["workloadTypes"], t) {
		c.workloadType = t
	}
	c.apply(contractRules)
	c.apply(additionalRules)
	return run, merge(d.faults, c)
}

func parseWorkload(root *node) (*WorkloadSpec, []Fault) {
	d := &decoder{}
	workload := new(WorkloadSpec)
	d.value(root, reflect.ValueOf(workload).Elem(), member{}, "")

	c := newChecker(root, d.faults)
	c.workload, _ = ResolveWorkload(*workload)
	c.publication = c.workload.RunMetadata.BenchmarkGrade != "realism"
	c.doc = toNode(c.workload)
	c.apply(workloadSpecRules)
	return workload, merge(d.faults, c)
}

func newChecker(root *node, unread []Fault) *checker {
	c := &checker{doc: root, source: root, unread: map[string]bool{}}
	for _, f := range unread {
		c.unread[f.Path] = true
	}
	return c
}

// merge joins what reading and what the rules found. Where both speak of one
// value, the contract's message is kept, and otherwise reading's: it says more
// about the value than a rule between fields could.
func merge(found []Fault, c *checker) []Fault {
	ruled := map[string]bool{}
	for _, f := range c.faults {
		if strings.HasPrefix(f.Rule, "C") {
			ruled[f.Path] = true
		}
	}
	var faults []Fault
	for _, f := range found {
		isKey := f.Rule == ruleUnknown || f.Rule == ruleDuplicate
		if isKey || !ruled[f.Path] {
			faults = append(faults, c.soften(f))
		}
	}
	for _, f := range c.faults {
		if strings.HasPrefix(f.Rule, "C") || !c.unread[f.Path] {
			faults = append(faults, f)
		}
	}
	return faults
}

// soften turns the one fault of form that the reference's own template has into
// a warning: it freezes the mix as a string.
func (c *checker) soften(f Fault) Fault {
	if c.reference && f.Path == "spec.comparison.controls.fixed.sequenceLengthMix" {
		f.Severity = SeverityWarning
	}
	return f
}

// hideSecrets keeps secret values out of what faults quote: all of a value that
// holds one (it may be shortened), and the secret itself elsewhere.
func hideSecrets(faults []Fault, secrets []literalSecret) {
	holders := map[string]bool{}
	var pairs []string
	for _, s := range secrets {
		holders[s.path] = true
		for _, value := range s.values {
			pairs = append(pairs, value, Redacted)
		}
	}
	replacer := strings.NewReplacer(pairs...)
	for i := range faults {
		if holders[faults[i].Path] {
			faults[i].Got = Redacted
		}
		faults[i].Got = replacer.Replace(faults[i].Got)
	}
}

// A Summary is what a valid BenchmarkRun says of itself in a line or two.
type Summary struct {
	Name              string          `json:"name"`
	BenchmarkClass    string          `json:"benchmark_class"`
	WorkloadType      string          `json:"workload_type"`
	VariableUnderTest string          `json:"variable_under_test"`
	EnabledLayers     []string        `json:"enabled_layers"`
	SchedulerPath     string          `json:"scheduler_path"`
	HotMetricsStore   string          `json:"hot_metrics_store"`
	WarehouseStore    string          `json:"warehouse_store"`
	CISchedule        map[string]bool `json:"ci_schedule"`
	WorkloadDigest    string          `json:"workload_digest"`
}

// Summarise sums a run up, defaults included.
func Summarise(run Run) (Summary, error) {
	digest, err := WorkloadDigest(run)
	if err != nil {
		return Summary{}, fmt.Errorf("digest of %s: %w", run.Metadata.Name, err)
	}
	resolved, _ := Resolve(run)
	s := resolved.Spec
	layers := []string{}
	for _, l := range s.Layers {
		if l.Enabled {
			layers = append(layers, l.Name)
		}
	}
	ci := s.Automation.CI
	return Summary{
		Name: run.Metadata.Name, BenchmarkClass: s.Intent.BenchmarkClass, WorkloadType: s.Intent.WorkloadType,
		VariableUnderTest: s.Comparison.VariableUnderTest, EnabledLayers: layers, SchedulerPath: s.Intent.SchedulerPath,
		HotMetricsStore: s.Sinks.HotMetrics.Store, WarehouseStore: s.Sinks.CuratedWarehouse.Store,
		CISchedule:     map[string]bool{"canary": *ci.Canary, "nightly": *ci.Nightly, "preRelease": *ci.PreRelease},
		WorkloadDigest: digest,
	}, nil
}
