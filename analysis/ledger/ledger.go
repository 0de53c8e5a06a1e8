// Package ledger adds up what a run cost: accelerator hours, money, energy and
// carbon, of what was measured and of what was spent around it. It rests on the
// same records as the throughput, and says of every figure whether it was measured
// or declared.
package ledger

import (
	"fmt"
	"time"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

// An Entry is one stretch of the run and what it cost.
type Entry struct {
	What     string   `json:"what"`
	Seconds  float64  `json:"seconds"`
	GPUHours float64  `json:"gpuHours"`
	USD      *float64 `json:"usd,omitempty"`
	KWh      *float64 `json:"kWh,omitempty"` // with the building's share
	GramsCO2 *float64 `json:"gramsCO2,omitempty"`
}

// A Ledger is what a run cost as a whole.
type Ledger struct {
	Entries []Entry `json:"entries"`

	// Power is the power of one accelerator that energy is counted with, and
	// PowerSource whether it was measured or declared.
	Power       float64  `json:"power,omitempty"`
	PowerSource string   `json:"powerSource,omitempty"`
	Missing     []string `json:"missing,omitempty"` // declarations that would complete it
}

const (
	hour = 3600.0
	kWh  = 3.6e6 // joules
)

// Windows is how long the completed launches of b measured, in seconds: a window
// that a number of requests ended is as long as it was, not as planned.
func Windows(b *bundle.Bundle) (seconds float64, err error) {
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		begun := map[int32]int64{}
		for e, err := range bundle.Rows[record.Event](b, info.Index, bundle.Events) {
			if err != nil {
				return 0, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			switch at, open := begun[e.Point]; {
			case e.Name == record.WindowBegin:
				begun[e.Point] = e.At
			case e.Name == record.WindowEnd && open:
				seconds += float64(e.At-at) / 1e9
			}
		}
	}
	return seconds, nil
}

// Of adds up a run: its measured windows, in seconds, and its launches from start
// to end, failed ones too, since somebody paid for them.
func Of(p plan.Plan, launches []bundle.LaunchInfo, e metric.Estimates, windows float64) Ledger {
	var out Ledger
	cost := p.Cost()
	gpus := 1
	if cost == nil {
		out.Missing = append(out.Missing, "spec.cost (prices, number of accelerators, power)")
	} else {
		gpus = max(1, cost.GPUCount)
	}
	out.Power, out.PowerSource = power(p, e)
	if out.PowerSource == "" {
		out.Missing = append(out.Missing, "a power reading, or spec.cost.powerWatts")
	}
	if cost != nil && cost.GPUHourlyUSD == 0 {
		out.Missing = append(out.Missing, "spec.cost.gpuHourlyUSD")
	}
	if cost != nil && cost.GramsCO2PerKWh == 0 {
		out.Missing = append(out.Missing, "spec.cost.gramsCO2PerKWh")
	}
	add := func(what string, seconds float64) {
		entry := Entry{What: what, Seconds: seconds, GPUHours: seconds / hour * float64(gpus)}
		if cost != nil && cost.GPUHourlyUSD > 0 {
			usd := entry.GPUHours * cost.GPUHourlyUSD
			entry.USD = &usd
		}
		if out.PowerSource != "" {
			pue := 1.0
			if cost != nil && cost.PUE > 0 {
				pue = cost.PUE
			}
			energy := out.Power * float64(gpus) * pue * seconds / kWh
			entry.KWh = &energy
			if cost != nil && cost.GramsCO2PerKWh > 0 {
				grams := energy * cost.GramsCO2PerKWh
				entry.GramsCO2 = &grams
			}
		}
		out.Entries = append(out.Entries, entry)
	}
	var whole, failed time.Duration
	for _, l := range launches {
		if l.Ended.IsZero() {
			continue
		}
		whole += l.Ended.Sub(l.Started)
		if l.Outcome != bundle.LaunchCompleted {
			failed += l.Ended.Sub(l.Started)
		}
	}
	add("measured windows", windows)
	add("around them: starts, warm-up, cool-down, calibration", max(0, (whole-failed).Seconds()-windows))
	if failed > 0 {
		add("launches that did not complete", failed.Seconds())
	}
	add("all launches", whole.Seconds())
	return out
}

// power is that of one accelerator: the mean of the readings, or what the spec
// declares.
func power(p plan.Plan, e metric.Estimates) (watts float64, source string) {
	sum, n := 0.0, 0
	for _, point := range p.Points {
		if row, ok := e.Find(metric.GPUPower.ID, "value", point.Index); ok {
			sum, n = sum+row.Value, n+1
		}
	}
	cost := p.Cost()
	switch {
	case n > 0:
		gpus := 1
		if cost != nil {
			gpus = max(1, cost.GPUCount)
		}
		return sum / float64(n) / float64(gpus), fmt.Sprintf("measured (gpu_power.v1, mean over %d points)", n)
	case cost != nil && cost.PowerWatts > 0:
		return cost.PowerWatts, "declared (spec.cost.powerWatts)"
	}
	return 0, ""
}
