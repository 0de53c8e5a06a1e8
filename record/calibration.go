package record

// CalibrationVersion is the version of the format of calibration files.
const CalibrationVersion = "1.1"

// A Calibration is what the client of a run got wrong about a stream whose truth
// is known, at the run's own operating point: raw/launch-NN/calibration-before.json
// and calibration-after.json. Times are nanoseconds.
type Calibration struct {
	Version string `json:"version"`
	When    string `json:"when"`     // CalibrationBefore or CalibrationAfter
	BeginNS int64  `json:"begin_ns"` // on the launch's clock
	EndNS   int64  `json:"end_ns"`

	// Unavailable says why there is no measurement; nothing below counts then.
	Unavailable string `json:"unavailable,omitempty"`

	Point   string      `json:"point"`             // of the plan, the most demanding one
	Loop    string      `json:"loop"`              // closed or open
	Streams int         `json:"streams,omitempty"` // closed loop: at once
	Rate    float64     `json:"rate,omitempty"`    // open loop: requests per second
	Truth   KnownStream `json:"truth"`
	Stamps  string      `json:"stamps"` // what stamped the answers, as in the table requests

	TTFT  ErrorSpread `json:"ttft"`        // due to request written, plus stamp of the first token minus the server's
	Gap   ErrorSpread `json:"gap"`         // time between two tokens minus the server's
	Stamp ErrorSpread `json:"stamp"`       // stamp of a token minus the server's
	Lag   ErrorSpread `json:"lag"`         // due to sent
	Late  ErrorSpread `json:"server_late"` // the simulator's own: sent after due

	Requests    int     `json:"requests"` // judged
	Events      int     `json:"events"`   // judged
	Lost        int     `json:"lost"`     // sent by the server and not seen, or the reverse
	Failed      int     `json:"failed"`   // requests
	SharedReads float64 `json:"shared_reads"`

	// NotCovered says which parts of the run's path to its target differ from the
	// path that was measured here.
	NotCovered []string `json:"not_covered,omitempty"`
}

// When a calibration was made, as Calibration.When and the names of the files.
const (
	CalibrationBefore = "before"
	CalibrationAfter  = "after"
)

// CalibrationFile is the name of the attachment of a launch that holds the
// calibration made at that time.
func CalibrationFile(when string) string { return "calibration-" + when + ".json" }

// A KnownStream is the schedule of the simulator's answers.
type KnownStream struct {
	TTFTNS int64  `json:"ttft_ns"`
	ITLNS  int64  `json:"itl_ns"`
	Tokens int    `json:"tokens"`
	Over   string `json:"over,omitempty"` // tls, http2 or http2+tls; empty means plain HTTP/1.1
}

// An ErrorSpread is a distribution of errors. Quantiles and the mean are of the absolute
// value, sigma is of the signed one.
type ErrorSpread struct {
	N     int   `json:"n"`
	P50   int64 `json:"p50_ns"`
	P90   int64 `json:"p90_ns,omitempty"`  // since 1.1
	Mean  int64 `json:"mean_ns,omitempty"` // without the largest tenth; since 1.1
	P99   int64 `json:"p99_ns"`
	P999  int64 `json:"p999_ns"`
	Max   int64 `json:"max_ns"`
	Sigma int64 `json:"sigma_ns"`
}
