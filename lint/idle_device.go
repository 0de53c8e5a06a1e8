package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
)

// IdleDevice fires when the accelerators of the host did nothing while a target was
// measured.
var IdleDevice = Check{
	ID: "idle-device", Severity: finding.Void, About: finding.Speed,
	Doc: "Power and energy of accelerators that the target did not use are no result of it.",
	When: "every accelerator of a point ran a kernel less than 5 % of the time, at the median of at least three readings; " +
		"it forbids the accelerators' power and energy alone",
	Applies: func(f *Facts) bool { return serves(f) && !f.noGPUs() },
	Run:     idleDevice,
}

// ofDevices are the metrics that an idle device gives a figure to which means nothing.
var ofDevices = []string{metric.GPUPower.ID, metric.GPUEnergy.ID, metric.EnergyPerOutputToken.ID, metric.EnergyPerRequest.ID}

func idleDevice(f *Facts) Answer {
	const fewest = 3 // readings: what one of them missed is no idleness
	var answer Answer
	looked := false
	for _, point := range f.Plan.Points {
		devices, idle := 0, 0
		for _, g := range f.GPUs {
			if g.Point != point.Index || len(g.Used) < fewest {
				continue
			}
			devices++
			if g.idle() {
				idle++
			}
		}
		looked = looked || devices > 0
		if devices == 0 || idle < devices {
			continue
		}
		answer.Findings = append(answer.Findings, finding.Finding{
			Severity: finding.Void,
			Message:  fmt.Sprintf("%s: no accelerator of the host was in use: the target ran elsewhere, or on the processors", point.Name),
			Why:      "the energy of devices that idle beside it is not the target's",
			Fix:      "measure on the host whose accelerators the target uses, or leave energy out",
			Scope:    finding.Scope{Points: []string{point.Name}, Metrics: ofDevices},
		})
	}
	if !looked && len(rowsOf(f, metric.GPUPower.ID, "value")) > 0 { // else there is nothing to forbid
		return missing("how much of the time the accelerators were in use")
	}
	return answer
}
