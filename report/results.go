package report

import (
	"io"
	"slices"
	"strings"
	"time"

	"assay/metric"
	"assay/stats"
	"assay/unit"
)

// results is the short JSON that training harnesses exchange: who ran what on how
// many devices, and the figures by group. A group is a point, of a side where there
// are several.
type results struct {
	NotVerified []string `json:"notVerified,omitempty"` // why the bundle is not what was sealed

	Name      string        `json:"name"`
	WorldSize *int          `json:"world_size"` // accelerators as declared; null when nobody says
	Timestamp time.Time     `json:"timestamp"`  // when the plan was frozen
	RunID     string        `json:"run_id"`
	Status    string        `json:"status"`
	Signature string        `json:"signature"`
	Config    resultsConfig `json:"config"`

	// Results is by group and by metric with its statistic, such as "ttft.v2 p50".
	Results map[string]map[string]resultsFigure `json:"results"`
}

type resultsConfig struct {
	Warmup     string `json:"warmup"`     // of each point
	Iterations int    `json:"iterations"` // launches that the figures rest on
	Device     string `json:"device"`     // the first accelerator of the target's host; empty when it is not known
	Model      string `json:"model"`
	Workload   string `json:"workload_digest"`
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
		Config:  resultsConfig{Iterations: len(r.Estimates.Launches), Workload: r.Plan.WorkloadDigest},
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
	var warmups []string
	for _, p := range r.Plan.Points {
		if text := p.Warmup.String(); len(warmups) == 0 || warmups[len(warmups)-1] != text {
			warmups = append(warmups, text)
		}
	}
	out.Config.Warmup = strings.Join(warmups, ", ")
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
