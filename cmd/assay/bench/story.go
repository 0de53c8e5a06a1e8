package bench

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"assay/plan"
	"assay/spec"
)

// Story says in a few lines what a plan measures and how long that takes.
func Story(p plan.Plan) []string {
	var shapes, levels []string
	what := "users"
	for _, point := range p.Points {
		if point.Scenario != "" && !slices.Contains(shapes, point.Scenario) {
			shapes = append(shapes, point.Scenario)
		}
		level := fmt.Sprint(point.Concurrency)
		if point.Rate > 0 {
			level, what = fmt.Sprint(point.Rate), "requests per second"
		}
		if !slices.Contains(levels, level) {
			levels = append(levels, level)
		}
	}
	if len(shapes) == 0 {
		shapes = []string{"requests"}
	}
	if p.AsksOnce() {
		return questions(p, fmt.Sprintf("%s %s", strings.Join(levels, ", "), what))
	}
	first := p.Points[0]
	limit, about := fmt.Sprintf("%s each", first.Duration), "about"
	if first.Requests > 0 {
		about = "at most"
		limit = fmt.Sprintf("%d requests each, at most %s", first.Requests, first.Duration)
	}
	return []string{
		fmt.Sprintf("measuring %s at %s %s: %s after %s of warm-up, %s", strings.Join(shapes, ", "), strings.Join(levels, ", "), what, limit, first.Warmup, launches(p)),
		fmt.Sprintf("takes %s %s (seed %d)", about, roughly(p.Expected.Seconds), p.Seed()),
	}
}

// questions says what an evaluation asks.
func questions(p plan.Plan, load string) []string {
	var tasks []string
	for _, t := range p.Evaluation().Tasks {
		tasks = append(tasks, t.Name)
	}
	unit := "requests"
	if p.Workload().Session != nil {
		unit = "conversations"
	}
	often := "1 launch (a quick look: the system's own noise is not measured)"
	if !p.Trials().Quick {
		often = fmt.Sprintf("%d launches, whose differences are the system's own noise", len(p.Launches))
	}
	return []string{
		fmt.Sprintf("asking every question of %s once at %s: %d %s each, %s", strings.Join(tasks, ", "), load, p.Points[0].Requests, unit, often),
		fmt.Sprintf("takes about %s if answers take as long as those of a middling server (seed %d)", roughly(p.Expected.Seconds), p.Seed()),
	}
}

// launches says how often all is repeated, and what for.
func launches(p plan.Plan) string {
	if p.Trials().Quick {
		return "1 launch (a quick look: no confidence intervals, not quotable)"
	}
	return fmt.Sprintf("%d launches for confidence intervals", len(p.Launches))
}

// roughly is a time as people say it.
func roughly(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	case seconds < 90*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// A FlagPath names the flag that fills a field of a spec.
type FlagPath struct{ Path, Flag string }

// FlagPaths are those of assay bench. The first path that a fault's begins with is
// meant.
var FlagPaths = []FlagPath{
	{"spec.workload.prompt.scenario", "--traffic-scenario"},
	{"spec.workload.prompt.prefixTokens", "--prefix-len"},
	{"spec.workload.prompt.prefixRatio", "--prefix-ratio"},
	{"spec.workload.model", "--model"},
	{"spec.workload.tokenizer", "--model-tokenizer"},
	{"spec.workload.prompt.dataset", "--dataset-path"},
	{"spec.slo", "--slo"},
	{"spec.cost.gpuHourlyUSD", "--cost-per-gpu-hour"},
	{"spec.cost.gpuCount", "--server-gpu-count"},
	{"spec.cost.inputPerMillionUSD", "--price-input"},
	{"spec.cost.outputPerMillionUSD", "--price-output"},
	{"spec.load.concurrency", "--concurrency"},
	{"spec.load.rate", "--request-rate"},
	{"spec.load.batchSizes", "--batch-size"},
	{"spec.load.duration", "--duration"},
	{"spec.load.warmup", "--warmup"},
	{"spec.load.requests", "--num-prompts"},
	{"spec.load.burstiness", "--burstiness"},
	{"spec.target.url", "URL"},
	{"spec.target.extraBody", "--additional-request-params"},
	{"spec.trials.minReplicates", "--launches"},
	{"spec.seed", "--seed"},
	{"metadata.name", "--experiment-folder-name"},
	{"spec.target.system", "--server-engine, --server-version, --server-gpu-type, --server-gpu-count, --server-deployment"},
}

// item is the number of an item of a list in a path.
var item = regexp.MustCompile(`\[[0-9]+\]`)

// Explain says what is wrong with a document that options made, by the options:
// whoever gave them has not seen the document.
func Explain(faults []spec.Fault, paths []FlagPath) error {
	var errs []error
	for _, f := range faults {
		if f.Severity == spec.SeverityWarning {
			continue
		}
		name := f.Path
		if i := slices.IndexFunc(paths, func(row FlagPath) bool {
			return strings.HasPrefix(item.ReplaceAllString(f.Path, ""), row.Path)
		}); i >= 0 {
			name = paths[i].Flag
		}
		if f.Got != "" {
			name += ": got " + f.Got + ", " + f.Message
		} else {
			name += ": " + f.Message
		}
		errs = append(errs, errors.New(name))
	}
	return errors.Join(errs...)
}
