package lint

import (
	"fmt"
	"math"

	"assay/finding"
	"assay/metric"
)

// EnergyWindow fires when energy was summed over another time than the work that
// it is divided by.
var EnergyWindow = Check{
	ID: "energy-window", Code: "L-24", Severity: finding.Caution,
	Doc:     "Energy and work must be those of the same window.",
	When:    "energy ÷ power is more than 10 % off the length of the window",
	Applies: func(f *Facts) bool { return serves(f) && !f.noGPUs() },
	Run:     energyWindow,
}

// energyShare is by how much the time that energy and power give may differ from
// the window: a counter of the driver and sampled power agree to a few per cent.
const energyShare = .1

func energyWindow(f *Facts) Answer {
	var list []finding.Finding
	looked := false
	for _, p := range f.places() {
		energy, hasEnergy := find(f, metric.GPUEnergy.ID, "value", p)
		power, hasPower := find(f, metric.GPUPower.ID, "value", p)
		if !hasEnergy || !hasPower || power.Value <= 0 {
			continue
		}
		window, n := 0.0, 0
		for _, t := range p.launches {
			if t.End > t.Begin {
				window, n = window+float64(t.End-t.Begin)/1e9, n+1
			}
		}
		if n == 0 {
			continue
		}
		looked = true
		window /= float64(n)
		summed := energy.Value / power.Value
		if math.Abs(summed-window) <= energyShare*window {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("%s: %.4g J at %.4g W are the energy of %s, and the work is that of a window of %s", p.name, energy.Value, power.Value, duration(summed), duration(window)),
			Why:      "energy for each token or request is too high or too low by as much",
			Fix:      "sum energy over the measured window alone, or see whether the driver's counter and its power readings are of the same devices",
		})
	}
	if !looked {
		return missing("readings of the accelerators' power and energy")
	}
	return found(list...)
}
