package lint

import (
	"assay/metric"
	"assay/unit"
)

// A Gauge is one sign of how a client did in a launch, for those who show them all: a
// finding names only what is beyond a limit.
type Gauge struct {
	Name    string
	Unit    unit.Unit
	Value   *float64 // nil where it was not recorded
	Limited bool     // beyond Limit the client, or its host, is no longer a bystander
	Limit   float64
}

// High reports whether a gauge is beyond its limit.
func (g Gauge) High() bool { return g.Limited && g.Value != nil && *g.Value > g.Limit }

// ClientGauges are the signs of a launch that the check client-limit looks at.
func ClientGauges(h metric.ClientHealth) []Gauge {
	var dropped *float64
	if total := h.Requests + h.Dropped; total > 0 {
		share := float64(h.Dropped) / float64(total)
		dropped = &share
	}
	return []Gauge{
		{Name: "send lag p99", Unit: unit.Second, Value: h.LagP99},
		{Name: "calls dropped", Unit: unit.Share, Value: dropped, Limited: true, Limit: limitDropped},
		{Name: "processors, busiest", Unit: unit.Share, Value: h.CPUShareMax, Limited: true, Limit: limitCPU},
		{Name: "collector pause", Unit: unit.Second, Value: h.GCPauseMax, Limited: true, Limit: limitPause},
		{Name: "throttled", Unit: unit.Second, Value: h.Throttled, Limited: true},
		{Name: "threads waiting", Unit: unit.Share, Value: h.RunQueue, Limited: true, Limit: limitRunQueue},
		{Name: "host pressure", Unit: unit.Share, Value: h.CPUPressure, Limited: true, Limit: limitPressure},
		{Name: "steal", Unit: unit.Share, Value: h.Steal, Limited: true, Limit: limitSteal},
	}
}
