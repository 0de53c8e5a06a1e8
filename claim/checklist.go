package claim

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/spec"
	"assay/unit"
)

// An Answer is one question of a reader who does not believe the claim.
type Answer struct {
	Question string `json:"question"`
	Answered bool   `json:"answered"`
	Answer   string `json:"answer"` // or what is missing

	// Items are the parts of the question that are answered one by one.
	Items []Item `json:"items,omitempty"`
}

// An Item is one thing that somebody needs who wants to do it again.
type Item struct {
	Name  string `json:"name"`
	Known bool   `json:"known"`
	Value string `json:"value"` // or why it is not known
}

// checklist answers what a sceptic asks of any claim: against what, under which
// load, at what cost, how sure, and can it be done again.
func checklist(e Evidence) []Answer {
	return []Answer{baseline(e), load(e), cost(e), variance(e), reproducible(e)}
}

func baseline(e Evidence) Answer {
	a := Answer{Question: "baseline: against what?"}
	c := e.Plan.Comparison()
	switch {
	case len(e.Plan.Candidates()) > 0:
		a.Answered, a.Answer = true, fmt.Sprintf("%d sides in one run, launches interleaved in blocks", len(e.Plan.Sides()))
	case c.Baseline != nil && c.Baseline.ArtifactRef != "":
		found := e.Manifest.Inputs.Baseline
		if found == nil || found.Digest == "" {
			a.Answer = fmt.Sprintf("missing: %s is declared, and nobody looked whether it is there", c.Baseline.ArtifactRef)
			return a
		}
		a.Answered, a.Answer = true, fmt.Sprintf("%s, which verified as %s when the run began; assay compare holds the two against each other", c.Baseline.ArtifactRef, short(found.Digest))
	default:
		a.Answer = "missing: the run stands alone, and says nothing about better or worse; declare comparison.baseline or candidates"
	}
	return a
}

func load(e Evidence) Answer {
	a := Answer{Question: "load: does it stand for real use, and did the client keep up?"}
	a.Answer = fmt.Sprintf("%s, %s", e.Plan.Workload().ConcurrencyModel, shapeOf(e.Plan.Decided()))
	a.Answered = e.Client.Bounds != nil
	if !a.Answered {
		a.Answer += "; missing: whether the client kept up was not measured"
		return a
	}
	for _, f := range e.Audit.Findings {
		if f.Check == lint.ClientLimit.ID && f.Severity == finding.Caution {
			a.Answer += "; " + f.Message
			return a
		}
	}
	a.Answer += "; the client kept up"
	return a
}

// shapeOf says whether requests of one point are all equally long.
func shapeOf(s spec.RunSpec) string {
	p := s.Workload.Prompt
	switch {
	case p.Dataset != nil || p.Spread > 0 || s.Workload.Session != nil || s.Load != nil && s.Load.TraceRef != "":
		return "lengths that vary"
	case slices.ContainsFunc(append([]string{p.Scenario}, p.Scenarios...), varies):
		return "lengths that vary"
	case p.Scenario == "" && len(p.Scenarios) == 0 && len(s.Workload.SequenceLengthMix) > 1:
		return fmt.Sprintf("a mix of %d lengths", len(s.Workload.SequenceLengthMix))
	}
	return "fixed lengths"
}

// varies says that a scenario draws its lengths, as N(480,240)/(300,150), U(50,100)
// and a data set do; D(100,100) and E(64) say what each request has.
func varies(scenario string) bool {
	return scenario == "dataset" || strings.HasPrefix(scenario, "N(") || strings.HasPrefix(scenario, "U(")
}

// spent are the metrics that say what a result costs.
var spent = []metric.Metric{metric.CostPerMillionOutput, metric.CostPerRequest, metric.EnergyPerOutputToken, metric.EnergyPerRequest}

func cost(e Evidence) Answer {
	a := Answer{Question: "cost: at what price and energy?"}
	var parts []string
	for _, m := range spent {
		for _, row := range e.Estimates.Rows {
			if row.Metric == m.ID {
				parts = append(parts, fmt.Sprintf("%s %s at %s", row.Name, unit.Format(row.Value, row.Unit), pointName(e, row.Point)))
				break // of several points the first is an example
			}
		}
	}
	a.Answered, a.Answer = len(parts) > 0, strings.Join(parts, "; ")
	if !a.Answered {
		a.Answer = "missing: neither spec.cost nor a power reading"
	}
	return a
}

func variance(e Evidence) Answer {
	a := Answer{Question: "variance: how much do launches differ?"}
	worst, share := metric.Row{}, -1.0
	for _, row := range e.Estimates.Rows {
		quoted := slices.ContainsFunc(subjects, func(s subject) bool { return s.metric.ID == row.Metric })
		if quoted && (row.Statistic == "value" || row.Statistic == "p50") && row.CV != nil && *row.CV > share {
			worst, share = row, *row.CV
		}
	}
	if share < 0 {
		a.Answer = "missing: no result that is quoted has two launches"
		return a
	}
	a.Answered = true
	a.Answer = fmt.Sprintf("%d launches each; the widest spread is %.1f %% (%s at %s)", e.launches(), 100*share, label(worst), pointName(e, worst.Point))
	return a
}

func pointName(e Evidence, index int) string {
	if p, ok := e.Plan.PointByIndex(index); ok {
		return p.Name
	}
	return "the launch"
}

func short(digest string) string {
	const most = len("sha256:") + 12
	return digest[:min(most, len(digest))]
}
