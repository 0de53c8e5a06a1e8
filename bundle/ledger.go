package bundle

import "time"

// A LaunchOutcome says how one launch ended.
type LaunchOutcome string

// The outcomes of a launch. All of them stay in the bundle: a run that hides its
// failed launches is not a measurement.
const (
	LaunchCompleted LaunchOutcome = "completed"
	LaunchFailed    LaunchOutcome = "failed"
	LaunchAborted   LaunchOutcome = "aborted"
	LaunchVoided    LaunchOutcome = "voided" // ended well, but must not be judged
)

// A LaunchStart is what is known when a launch begins.
type LaunchStart struct {
	Index   int       // unique within the run; names the folder raw/launch-NN
	Order   int       // position in the order of execution
	Block   int       // which interleaving block it belongs to
	Side    string    // which side of a comparison; empty for a run of one side
	Wall    time.Time // zero means now
	Clock   string    // the Clock.ID its times are on
	EpochNS int64     // what that clock showed at time zero of the launch's records
	Nodes   []string
}

// A LaunchEnd is what is known when a launch is over.
type LaunchEnd struct {
	Outcome LaunchOutcome
	Reason  string    // why, when it did not complete
	Wall    time.Time // zero means now
}

// A LaunchInfo is one launch as the ledger tells it.
type LaunchInfo struct {
	Index   int              `json:"launch"`
	Order   int              `json:"order"`
	Block   int              `json:"block"`
	Side    string           `json:"side,omitempty"`
	Clock   string           `json:"clock,omitempty"`
	EpochNS int64            `json:"epochNs,string"`
	Nodes   []string         `json:"nodes,omitempty"`
	Started time.Time        `json:"started"`
	Ended   time.Time        `json:"ended,omitzero"` // zero while it runs
	Outcome LaunchOutcome    `json:"outcome,omitempty"`
	Reason  string           `json:"reason,omitempty"`
	Rows    map[string]int64 `json:"rows,omitempty"` // per table
}
