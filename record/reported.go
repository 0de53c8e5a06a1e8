package record

// ReportedFile is the name of the attachment of a launch that holds figures which
// another tool computed, as a JSON list of Reported.
const ReportedFile = "reported.json"

// A Reported is one figure as another tool computed and named it. assay repeats
// it and vouches for nothing.
type Reported struct {
	Point     int     `json:"point"`     // index into the plan's points; -1 for the launch as a whole
	Name      string  `json:"name"`      // as the source calls it, such as mean_ttft_ms
	Statistic string  `json:"statistic"` // mean, p99, value …
	Value     float64 `json:"value"`
	Unit      string  `json:"unit"` // as package unit spells it

	// Metric is the id of our definition when the source's is the same, such as
	// e2e.v2. Otherwise it is empty and Definition says what the source means.
	Metric     string `json:"metric,omitempty"`
	Definition string `json:"definition,omitempty"`

	// Server says that it is an aggregate of what the server says about itself, as the
	// source read it, under the server's own name.
	Server bool `json:"server,omitempty"`

	// Wrong says why the figure must not be used, where that is known.
	Wrong string `json:"wrong,omitempty"`
}
