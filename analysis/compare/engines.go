package compare

import (
	"slices"

	"assay/metric"
	"assay/stats"
	"assay/unit"
)

// Engines is a table of several systems at one point: each row a system, the
// baseline first, each column a figure that people choose by.
type Engines struct {
	Point   string   `json:"point"`
	Columns []string `json:"columns"`
	Rows    []Engine `json:"rows"`
}

// An Engine is one system's row.
type Engine struct {
	Label string       `json:"label"`
	Cells []EngineCell `json:"cells"`
}

// An EngineCell is one figure; absent where the system has none.
type EngineCell struct {
	Estimate *stats.Estimate `json:"estimate,omitempty"`
	Unit     unit.Unit       `json:"unit,omitempty"`
	Verdict  Verdict         `json:"verdict,omitempty"` // beside the baseline; empty for the baseline itself
}

// engineColumns are the figures of the table. Those that no system has are left
// out.
var engineColumns = []named{
	{"output throughput", "output_throughput.v1", "value"},
	{"TTFT p50", "ttft.v2", "p50"}, {"TTFT p95", "ttft.v2", "p95"}, {"TTFT p99", "ttft.v2", "p99"},
	{"TPOT p50", "tpot.v1", "p50"}, {"TPOT p95", "tpot.v1", "p95"}, {"TPOT p99", "tpot.v1", "p99"},
	{"E2E p50", "e2e.v2", "p50"}, {"E2E p95", "e2e.v2", "p95"}, {"E2E p99", "e2e.v2", "p99"},
	{"GPU memory", "gpu_memory.v1", "value"},
	{"$ per million output tokens", "cost_per_million_output_tokens.v1", "value"},
	{"errors", "error_rate.v1", "value"},
}

// engines makes one table for each point of the baseline.
func engines(r Report, baseline Side) []Engines {
	var list []Engines
	for _, point := range baseline.Plan.Points {
		table := Engines{Point: point.Name}
		rows := make([]Engine, 1+len(r.Comparisons))
		rows[0].Label = baseline.Label
		for i, c := range r.Comparisons {
			rows[i+1].Label = c.Candidate.Label
		}
		for _, column := range engineColumns {
			cells := make([]EngineCell, len(rows))
			if own, ok := find(baseline, metric.Row{Metric: column.metric, Statistic: column.statistic}, point.Name); ok {
				cells[0] = EngineCell{Estimate: &own.Estimate, Unit: own.Unit}
			}
			for i, c := range r.Comparisons {
				at := slices.IndexFunc(c.Rows, func(row Row) bool {
					return row.Metric == column.metric && row.Statistic == column.statistic && row.Point == point.Name
				})
				if at >= 0 {
					row := c.Rows[at]
					cells[i+1] = EngineCell{Estimate: &row.Candidate, Unit: row.Unit, Verdict: row.Verdict}
				}
			}
			if !slices.ContainsFunc(cells, func(c EngineCell) bool { return c.Estimate != nil }) {
				continue
			}
			table.Columns = append(table.Columns, column.name)
			for i := range rows {
				rows[i].Cells = append(rows[i].Cells, cells[i])
			}
		}
		if table.Rows = rows; len(table.Columns) > 0 {
			list = append(list, table)
		}
	}
	return list
}
