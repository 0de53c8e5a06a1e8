package lint

import "assay/stats"

// A Statement is what somebody says about a run: in a paper, on a slide, in a
// ticket. A reviewer writes it down to have it held against the evidence.
type Statement struct {
	Metric    string          `json:"metric"`              // definition id, such as ttft.v1
	Statistic string          `json:"statistic,omitempty"` // mean, p50 … p99.9, value; min or max where somebody picked
	Point     string          `json:"point,omitempty"`     // name of the point; empty means the only one
	Value     float64         `json:"value"`
	Interval  *stats.Interval `json:"interval,omitempty"`
	Launches  []int           `json:"launches,omitempty"` // those it cites; empty means all
	Text      string          `json:"text,omitempty"`     // as it was said
}
