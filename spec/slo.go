package spec

import "assay/unit"

// An Objective is a bound on one metric. A latency has max, a share such as
// error_rate has maxRatio, a throughput has min; exactly one is given.
type Objective struct {
	// The metric, such as ttft, tpot, itl, e2e, error_rate, tokens_per_second, or
	// any other that has one time or speed for each request, such as longest_gap.
	Metric string `json:"metric" required:"true" enum:"sloMetrics"`

	// The percentile of a latency that must keep the bound.
	Percentile float64 `json:"percentile,omitzero" default:"99" above:"0" below:"100"`

	// The largest accepted latency.
	Max unit.Duration `json:"max,omitzero" above:"0s" max:"30d"`

	// The largest accepted share, from 0 to 1.
	MaxRatio float64 `json:"maxRatio,omitzero" above:"0" max:"1"`

	// The smallest accepted throughput, per second.
	Min float64 `json:"min,omitzero" above:"0" max:"1e15"`
}

// Cost holds the prices and the power that turn a measurement into cost and
// energy per result.
type Cost struct {
	// The price of one GPU for one hour.
	GPUHourlyUSD float64 `json:"gpuHourlyUSD,omitzero" min:"0" max:"1000000"`

	// The GPUs the system under test occupies.
	GPUCount int `json:"gpuCount,omitzero" default:"1" min:"1" max:"1000000"`

	// The price of a million prompt tokens, where an endpoint is paid by token.
	InputPerMillionUSD float64 `json:"inputPerMillionUSD,omitzero" min:"0" max:"1000000"`

	// The price of a million answer tokens.
	OutputPerMillionUSD float64 `json:"outputPerMillionUSD,omitzero" min:"0" max:"1000000"`

	// The power of one GPU, used where it is not measured.
	PowerWatts float64 `json:"powerWatts,omitzero" min:"0" max:"1000000000"`

	// Power usage effectiveness of the building: total power over IT power.
	PUE float64 `json:"pue,omitzero" default:"1" min:"1" max:"10"`

	// Grams of CO2 equivalent per kilowatt-hour of the grid.
	GramsCO2PerKWh float64 `json:"gramsCO2PerKWh,omitzero" min:"0" max:"1000000"`
}
