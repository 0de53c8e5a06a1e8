package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/claim"
	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// Subject says in a few words what was measured: the model, what served it, on what,
// how long requests were and how often it was repeated.
func (r Report) Subject() []string {
	var parts []string
	add := func(text string) {
		if text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if r.Serves() {
		add(r.model())
		add(r.engine())
		add(r.Device())
		for _, text := range r.tasksInShort() {
			add(text)
		}
		add(r.lengthsInShort())
	}
	for _, text := range r.rankSubject() {
		add(text)
	}
	add(r.repetitions())
	if r.Claims != nil && r.Claims.Division.Label == claim.Closed { // most runs are open, which the long reports say
		add(r.Claims.Division.String())
	}
	if r.Source != nil {
		add("measured by " + strings.TrimSpace(r.Source.Tool+" "+r.Source.Version))
	}
	return parts
}

func (r Report) model() string {
	s := r.Plan.Decided()
	if s.Target != nil && s.Target.Model != "" {
		return s.Target.Model
	}
	return s.Workload.Model
}

// engine is what answered, by the name that it gives itself, and the API.
func (r Report) engine() string {
	t := r.Plan.Target()
	if t == nil {
		return ""
	}
	named, _ := r.Manifest.Environment["server.engine"].Value.(string)
	version, _ := r.Manifest.Environment["server.version"].Value.(string)
	system := r.Plan.Run.SystemOf(t)
	if text := strings.TrimSpace(named + " " + version); text != "" {
		return fmt.Sprintf("%s (%s)", text, t.API)
	}
	if text := strings.TrimSpace(system.Engine + " " + system.Version); text != "" {
		return fmt.Sprintf("%s as declared (%s)", text, t.API)
	}
	return t.API
}

// Device is the accelerators of the target's host, or those that are declared about
// another; empty where they are not known.
func (r Report) Device() string {
	names := r.accelerators()
	if len(names) == 0 {
		if declared := r.Plan.Run.SystemOf(r.Plan.Target()).Hardware(); declared != "" {
			return declared + " as declared"
		}
		return ""
	}
	n := len(names)
	slices.Sort(names)
	return fmt.Sprintf("%d × %s", n, strings.Join(slices.Compact(names), ", "))
}

// accelerators are the models of those of the target's host. They are not known of a
// target elsewhere: the manifest has those of the host that measured.
func (r Report) accelerators() (models []string) {
	if t := r.Plan.Target(); r.Source == nil && t != nil && !metric.Here(t) {
		return nil
	}
	if slices.ContainsFunc(r.Estimates.Readings, func(read metric.Readings) bool { return read.Elsewhere }) {
		return nil
	}
	for name, fact := range r.Manifest.Environment {
		if model, ok := fact.Value.(string); ok && strings.HasPrefix(name, "gpu.") && strings.HasSuffix(name, ".model") {
			models = append(models, model)
		}
	}
	return models
}

// GPUs is how many accelerators the system under test occupies: as declared, where
// they are priced or more than the one that is assumed, else those of the target's
// host. It is 0 where nobody says.
func (r Report) GPUs() int {
	if c := r.Plan.Cost(); c != nil && (c.GPUHourlyUSD > 0 || c.GPUCount > 1) {
		return c.GPUCount
	}
	if n := r.Plan.Run.SystemOf(r.Plan.Target()).GPUCount; n > 0 {
		return n
	}
	return len(r.accelerators())
}

func (r Report) lengthsInShort() string {
	w := r.Plan.Workload()
	if r.Plan.Evaluation() != nil {
		return "" // its questions have the lengths that they have
	}
	if w.Prompt.Scenario != "" {
		return w.Prompt.Scenario
	}
	if w.Prompt.Dataset != nil {
		return w.DatasetRef
	}
	if len(r.LengthLines()) == 1 && len(w.SequenceLengthMix) == 1 {
		return fmt.Sprintf("%d in / %d out", w.SequenceLengthMix[0].InputTokens, w.SequenceLengthMix[0].OutputTokens)
	}
	return ""
}

// repetitions is how often every point was measured, and for how long.
func (r Report) repetitions() string {
	n := len(r.Estimates.Launches) / max(1, len(r.Plan.Sides()))
	text := fmt.Sprintf("%d %s", n, numbered(n, "launch", "launches"))
	if took := commonDuration(r.ServingPoints()); took > 0 && r.Source == nil && !r.Plan.AsksOnce() {
		text += " × " + took.String()
	}
	if n > 1 {
		text += fmt.Sprintf(", %g %% intervals", 100*r.Estimates.Confidence)
	}
	return text
}

// commonDuration is how long each point was measured; zero where they differ.
func commonDuration(points []plan.Point) (common unit.Duration) {
	for i, p := range points {
		if i > 0 && p.Duration != common {
			return 0
		}
		common = p.Duration
	}
	return common
}
