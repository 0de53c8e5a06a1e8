package scaling

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/diff"
	"assay/finding"
)

// A Source is the bundle that was measured at one size.
type Source struct {
	Workers int
	Side    diff.Side
}

// A Difference is one thing that a study should have held, with its value at each
// size.
type Difference struct {
	Path   string   `json:"path"`
	Values []string `json:"values"` // one for each size, with the size
}

func (d Difference) String() string { return d.Path + " is " + strings.Join(d.Values, ", ") }

// Different lists what differs between the bundles of a study beside their size.
// Problems are differences that make the sizes different problems, so that there is no
// curve through them: precision, model, optimizer, batch rule. Settings are what should
// have been held and was not: loaders, warm-up, launches, placement, software, host.
func Different(sources []Source) (problems, settings []Difference) {
	var changed []string
	values := map[string][]string{}
	kinds := map[string]diff.Change{}
	for i := 1; i < len(sources); i++ {
		for _, c := range diff.Bundles(sources[0].Side, sources[i].Side) {
			if !slices.Contains(changed, c.Path) {
				changed = append(changed, c.Path)
				values[c.Path], kinds[c.Path] = []string{at(c.A, sources[0].Workers)}, c
			}
			values[c.Path] = append(values[c.Path], at(c.B, sources[i].Workers))
		}
	}
	for _, path := range changed {
		d := Difference{path, values[path]}
		switch change := kinds[path]; {
		case grows(path) || change.Along:
		case change.Kind == diff.Plan && isProblem(path):
			problems = append(problems, d)
		default:
			settings = append(settings, d)
		}
	}
	return problems, append(settings, launchCounts(sources)...)
}

func at(value string, workers int) string { return fmt.Sprintf("%s at %d", value, workers) }

// grows says that a path goes with the number of workers by itself.
func grows(path string) bool {
	switch path {
	case "spec.train.ranks", "spec.train.single", "spec.collectives.ranks", "spec.cost.gpuCount":
		return true
	}
	return false
}

// measuredBy are the fields of spec.train that say how steps are measured or fed, not
// what they compute.
var measuredBy = []string{"loaderWorkers", "loadAhead", "steps", "warmupSteps", "python", "profile", "reference", "interleave", "launch", "peakTFLOPS", "flopConvention"}

// isProblem says that a path of a plan is part of what is computed.
func isProblem(path string) bool {
	if field, ok := strings.CutPrefix(path, "spec.train."); ok {
		name, _, _ := strings.Cut(field, ".")
		return !slices.Contains(measuredBy, name)
	}
	for _, prefix := range []string{
		"spec.workload.", "spec.target.model", "spec.target.server.command --dtype", "spec.target.server.command --precision",
		"spec.target.server.command --quantization", "spec.target.server.command --kv-cache-dtype", "spec.target.server.command --model",
	} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// launchCounts names sizes that were started more often than others: their spread is
// known better, and the law leans on them.
func launchCounts(sources []Source) []Difference {
	d := Difference{Path: "spec.trials.minReplicates"}
	differ := false
	for _, s := range sources {
		n := s.Side.Plan.Trials().MinReplicates
		d.Values = append(d.Values, at(fmt.Sprint(n), s.Workers))
		differ = differ || n != sources[0].Side.Plan.Trials().MinReplicates
	}
	if !differ {
		return nil
	}
	return []Difference{d}
}

// heldFindings says what a study should have held and did not.
func (s Study) heldFindings() (list []finding.Finding) {
	for _, d := range s.Settings {
		list = append(list, finding.Finding{
			Check: "scaling-held", Severity: finding.Caution, Message: "the sizes differ in more than their workers: " + d.String(),
			Why: "the curve then shows two things at once", Fix: "measure every size with the same, or with assay scale run, which makes one plan of all sizes",
		})
	}
	return list
}
