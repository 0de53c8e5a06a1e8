package telemetry

// Idleness is how much of the processors that this process may use nobody used.
type Idleness struct {
	Known      bool
	Processors float64
	Pinned     bool // the host has others, which the process may not use
}
