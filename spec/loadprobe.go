package spec

import "assay/unit"

// A LoadProbe is a small request of fixed size, sent again and again beside the
// load on a connection of its own: what one more user would feel. Its records
// are marked and enter no metric of the load.
type LoadProbe struct {
	// The time between two probes. One that is due is sent whether or not the one
	// before it has been answered.
	Every unit.Duration `json:"every,omitzero" default:"1s" min:"10ms" max:"1h"`

	// The length of its prompt in tokens.
	InputTokens int `json:"inputTokens,omitzero" default:"16" min:"1" max:"1000000"`

	// The length of the answer it asks for in tokens.
	OutputTokens int `json:"outputTokens,omitzero" default:"4" min:"1" max:"1000000"`
}
