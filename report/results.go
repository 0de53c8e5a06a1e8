package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/analysis/bottleneck"
	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// results is the short JSON that training harnesses exchange: who ran what on how
// many devices, and the figures by group. A group is a point, of a side where there
// are several.
type results struct {
	NotVerified []string `json:"notVerified,omitempty"` // why the bundle is not what was sealed

	Name      string        `json:"name"`
	WorldSize *int          `json:"world_size"` // the largest world of ranks, or accelerators as declared; null when nobody says
	Timestamp time.Time     `json:"timestamp"`  // when the plan was frozen
	RunID     string        `json:"run_id"`
	Status    string        `json:"status"`
	Signature string        `json:"signature"`
	Config    resultsConfig `json:"config"`

	// Groups is how each group was measured, where ranks did.
	Groups map[string]resultsGroup `json:"groups,omitempty"`

	// Results is by group and by metric with its statistic, such as "ttft.v2 p50".
	Results map[string]map[string]resultsFigure `json:"results"`
}

type resultsConfig struct {
	Warmup     string `json:"warmup"`     // of each point: a time, or steps or calls of ranks
	Iterations int    `json:"iterations"` // measured steps or calls of each point of ranks, else the launches that the figures rest on
	Launches   int    `json:"launches"`   // that the figures rest on
	Device     string `json:"device"`     // what computes: the first accelerator, or the processor of ranks without one; empty when it is not known
	Model      string `json:"model"`
	Workload   string `json:"workload_digest"`
}

// A resultsGroup is how ranks measured a point.
type resultsGroup struct {
	WorldSize  int                   `json:"world_size"`
	Warmup     int                   `json:"warmup"`     // steps or calls
	Iterations int                   `json:"iterations"` // steps or calls
	Device     string                `json:"device"`
	Backend    string                `json:"backend"`
	Precision  string                `json:"precision,omitempty"`
	BatchSize  int                   `json:"global_batch_size,omitempty"`
	Limit      *bottleneck.Diagnosis `json:"limit,omitempty"` // what limits it, as assay diagnose says
}

type resultsFigure struct {
	Value    float64        `json:"value"`
	Unit     unit.Unit      `json:"unit"`
	Interval stats.Interval `json:"interval"`
	Launches int            `json:"launches"`
	Warnings []string       `json:"warnings,omitempty"`
}

// Results writes the figures by group, for programs that want few words.
func Results(w io.Writer, r Report) error {
	s := r.Plan.Decided()
	out := results{
		NotVerified: r.NotVerified,
		Name:        r.Plan.Name, Timestamp: r.Manifest.Created.UTC(), RunID: r.RunID, Status: string(r.Status), Signature: r.Signature,
		Config:  resultsConfig{Iterations: len(r.Estimates.Launches), Launches: len(r.Estimates.Launches), Workload: r.Plan.WorkloadDigest},
		Groups:  r.rankGroups(),
		Results: map[string]map[string]resultsFigure{},
	}
	if s.Target != nil {
		out.Config.Model = s.Target.Model
	}
	if s.Cost != nil && s.Cost.GPUCount > 0 {
		out.WorldSize = &s.Cost.GPUCount
	}
	elsewhere := slices.ContainsFunc(r.Estimates.Readings, func(read metric.Readings) bool { return read.Elsewhere })
	if device, ok := r.Manifest.Environment["gpu.0.model"].Value.(string); ok && !elsewhere {
		out.Config.Device = device
	}
	out.Config.Warmup = r.warmups()
	if len(out.Groups) > 0 {
		out.ofRanks()
	}
	for _, row := range r.Estimates.Rows {
		group := "launch"
		if p, ok := r.Plan.PointByIndex(row.Point); ok {
			group = p.Name
		}
		if row.Side != "" {
			group += ", " + row.Side
		}
		if out.Results[group] == nil {
			out.Results[group] = map[string]resultsFigure{}
		}
		out.Results[group][row.Metric+" "+row.Statistic] = resultsFigure{row.Value, row.Unit, row.Interval, len(row.PerLaunch), row.Warnings}
	}
	return writeJSON(w, out)
}

// warmups lists the warm-ups of the points, each once in a row: times of requests,
// steps of training, calls of collectives.
func (r Report) warmups() string {
	var list []string
	for _, p := range r.Plan.Points {
		text := p.Warmup.String()
		switch {
		case p.Steps != nil:
			text = fmt.Sprintf("%d steps", p.Steps.Warmup)
		case p.Collective != nil:
			text = fmt.Sprintf("%d calls", p.Collective.Warmup)
		case p.Kind() != plan.KindServing:
			continue
		}
		if len(list) == 0 || list[len(list)-1] != text {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}

// rankGroups is how ranks measured each point of training or collectives.
func (r Report) rankGroups() map[string]resultsGroup {
	s := r.Plan.Decided()
	groups := map[string]resultsGroup{}
	for _, p := range r.Plan.Points {
		switch {
		case p.Steps != nil:
			one := resultsGroup{
				WorldSize: p.Ranks, Warmup: p.Steps.Warmup, Iterations: p.Steps.Steps, Device: r.rankDevice(p.Steps.Device, s.Train.Launch),
				Backend: p.Steps.Backend, Precision: p.Steps.Precision, BatchSize: p.Steps.GlobalBatch,
			}
			if d, ok := r.limit(p.Name); ok {
				one.Limit = &d
			}
			groups[p.Name] = one
		case p.Collective != nil:
			device := p.Collective.Device
			if p.Collective.Backend == "native" {
				device = "cpu" // its buffers are nowhere else
			}
			groups[p.Name] = resultsGroup{
				WorldSize: p.Ranks, Warmup: p.Collective.Warmup, Iterations: p.Collective.Iterations, Device: r.rankDevice(device, s.Collectives.Launch), Backend: p.Collective.Backend,
			}
		}
	}
	return groups
}

// ofRanks says at the top what the groups of ranks have in common, and of sizes of the
// world the largest.
func (out *results) ofRanks() {
	most, iterations, device := 0, 0, ""
	for _, name := range slices.Sorted(maps.Keys(out.Groups)) {
		g := out.Groups[name]
		most, iterations = max(most, g.WorldSize), max(iterations, g.Iterations)
		if g.Device != "" {
			device = g.Device
		}
	}
	out.WorldSize, out.Config.Iterations, out.Config.Device = &most, iterations, device
}
