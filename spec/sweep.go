package spec

import (
	"fmt"
	"math"
	"slices"
)

// At is the workload of one point of a sweep: the one that the run would have if
// it asked for that scenario and number of documents alone. Outside of a sweep,
// where neither is given, it is w.
func (w Workload) At(scenario string, documents int) Workload {
	if scenario == "" && documents == 0 {
		return w
	}
	if scenario != "" {
		w.Prompt.Scenario = scenario
	}
	if documents > 0 {
		w.Prompt.Details.Documents = documents
	}
	w.Prompt.Scenarios = nil
	if input, output, ok := meanOf(w); ok {
		w.SequenceLengthMix = []SequenceLength{{input, output, 1}}
	}
	return w
}

// A namedScenario is one scenario and where it is written.
type namedScenario struct{ text, path, field string }

// named lists the scenarios of a prompt: one, those of a sweep, or none.
func (p Prompt) named() []namedScenario {
	const path = "spec.workload.prompt"
	if p.Scenario != "" {
		return []namedScenario{{p.Scenario, path + ".scenario", "scenario"}}
	}
	var list []namedScenario
	for i, text := range p.Scenarios {
		list = append(list, namedScenario{text, itemPath(path+".scenarios", i), "scenarios"})
	}
	return list
}

// meanMix is the mean of the scenario, or of each pair of scenario and batch size
// of a sweep with equal weights: what the run asks for over all of its points. It
// is nil where no scenario or task tells it.
func (s *RunSpec) meanMix() []SequenceLength {
	scenarios, batches := s.Workload.Prompt.Scenarios, []int{0}
	if s.Workload.Prompt.Scenario != "" || len(scenarios) == 0 {
		scenarios = []string{s.Workload.Prompt.Scenario}
	}
	if s.Load != nil && len(s.Load.BatchSizes) > 0 {
		batches = s.Load.BatchSizes
	}
	weight := 1 / float64(len(scenarios)*len(batches))
	var mix []SequenceLength
	for _, scenario := range scenarios {
		for _, documents := range batches {
			input, output, ok := meanOf(s.Workload.At(scenario, documents))
			if !ok {
				return nil
			}
			mix = append(mix, SequenceLength{input, output, weight})
		}
	}
	return mix
}

// sameMix compares mixes; the weights of a sweep, such as a third, cannot be
// written exactly.
func sameMix(a, b []SequenceLength) bool {
	return slices.EqualFunc(a, b, func(x, y SequenceLength) bool {
		return x.InputTokens == y.InputTokens && x.OutputTokens == y.OutputTokens && math.Abs(x.Weight-y.Weight) < 1e-6
	})
}

// scenariosAgree refuses what a sweep over scenarios cannot be combined with:
// what shapes requests itself, and what decides about one load.
func scenariosAgree(c *checker) {
	const path = "spec.workload.prompt.scenarios"
	p := c.run.Spec.Workload.Prompt
	if len(p.Scenarios) == 0 || c.anyUnread(path) {
		return
	}
	if p.Scenario != "" {
		c.fail(path, "give scenario or scenarios, not both")
	}
	if twice, ok := repeated(p.Scenarios); ok {
		c.fail(path, fmt.Sprintf("names %s twice: each must be a point of its own", twice))
	}
	for _, other := range []struct {
		name    string
		written bool
	}{{"workload.session", c.run.Spec.Workload.Session != nil}, {"workload.prompt.dataset", p.Dataset != nil}} {
		if other.written {
			c.fail(path, "cannot be combined with "+other.name+", which shapes the requests itself")
		}
	}
	refuseSweep(c, path)
}

// batchSizesAgree wants batch sizes where requests hold documents that are made.
func batchSizesAgree(c *checker) {
	const path = "spec.load.batchSizes"
	l, p := c.run.Spec.Load, c.run.Spec.Workload.Prompt
	if l == nil || len(l.BatchSizes) == 0 || c.anyUnread(path) {
		return
	}
	if (p.Task != TextToEmbeddings && p.Task != TextToRerank) || p.Dataset != nil {
		c.fail(path, "belongs to text-to-embeddings and text-to-rerank without a dataset")
	}
	if p.Details.Documents > 0 {
		c.fail(path, "give load.batchSizes or prompt.details.documents, not both")
	}
	if twice, ok := repeated(l.BatchSizes); ok {
		c.fail(path, fmt.Sprintf("names %d twice: each must be a point of its own", twice))
	}
	refuseSweep(c, path)
}

// Bounds of a sweep. A thousand points of half a minute are a working day, and their
// order is planned for every launch.
const (
	maxPoints       = 1000
	maxLaunchPoints = 100_000
)

// sweepIsFinite refuses a sweep that nobody will see the end of.
func sweepIsFinite(c *checker) {
	l := c.run.Spec.Load
	if l == nil || c.anyUnread("spec.load") {
		return
	}
	points := max(1, len(l.Concurrency), len(l.Rate)) * max(1, len(l.BatchSizes)) * max(1, len(c.run.Spec.Workload.Prompt.Scenarios))
	if points > maxPoints {
		c.failGot("spec.load", fmt.Sprintf("%d points", points), fmt.Sprintf("at most %d points: make several runs", maxPoints))
	}
	if all := points * c.run.Spec.Trials.Launches(); points <= maxPoints && all > maxLaunchPoints {
		c.failGot("spec.load", fmt.Sprintf("%d points in %d launches", points, c.run.Spec.Trials.Launches()), fmt.Sprintf("at most %d in all: fewer launches or points", maxLaunchPoints))
	}
}

// refuseSweep refuses loads that are about one shape of request.
func refuseSweep(c *checker, path string) {
	l := c.run.Spec.Load
	if l == nil {
		return
	}
	for _, other := range []struct {
		name    string
		written bool
		why     string
	}{
		{"traceRef", l.TraceRef != "", "a trace says itself what is asked"},
		{"mlperf", l.MLPerf != nil, "a scenario of MLPerf has one workload"},
		{"search", l.Search != nil, "a search finds the load of one shape: make a run for each"},
	} {
		if other.written {
			c.fail(path, "cannot be combined with load."+other.name+": "+other.why)
		}
	}
}

// repeated is an item that a list holds more than once.
func repeated[T comparable](list []T) (item T, ok bool) {
	for i, one := range list {
		if slices.Contains(list[:i], one) {
			return one, true
		}
	}
	return item, false
}
