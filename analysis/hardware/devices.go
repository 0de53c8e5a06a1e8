package hardware

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/stats"
	"assay/unit"
)

// Devices compares accelerators, of one host or of several, at one variant of a probe.
type Devices struct {
	Probe   string       `json:"probe"`
	Variant string       `json:"variant"`
	Size    int64        `json:"size,omitempty"`
	Unit    unit.Unit    `json:"unit"`
	Each    []DeviceRate `json:"each"`   // the fastest first
	Spread  float64      `json:"spread"` // (fastest − slowest)/fastest
}

// A DeviceRate is what one accelerator reached.
type DeviceRate struct {
	Device string  `json:"device"`
	Value  float64 `json:"value"`
	Behind float64 `json:"behind"` // share by which it is below the median
}

// straggling is the share below the median from which an accelerator holds up a job
// that is spread over all of them.
const straggling = .02

// numbered says that a row is about one accelerator of several.
func numbered(scope string) bool { return strings.HasPrefix(scope, "cuda:") }

// devices compares the rows of accelerators that were measured side by side.
func devices(rows []Row) (list []Devices) {
	type variant struct {
		point          int
		probe, variant string
		size           int64
	}
	at := map[variant]int{}
	for _, r := range rows {
		if !numbered(r.Scope) || strings.Contains(r.Scope, " to cuda:") || r.What == Latency {
			continue
		}
		k := variant{r.Point, r.Probe, r.Variant, r.Size}
		i, seen := at[k]
		if !seen {
			i = len(list)
			at[k] = i
			list = append(list, Devices{Probe: r.Probe, Variant: r.Variant, Size: r.Size, Unit: r.Unit})
		}
		list[i].Each = append(list[i].Each, DeviceRate{Device: strings.TrimSpace(r.Host + " " + r.Scope), Value: r.Value})
	}
	list = slices.DeleteFunc(list, func(d Devices) bool { return len(d.Each) < 2 })
	for i := range list {
		list[i].compare()
	}
	return list
}

func (d *Devices) compare() {
	var values []float64
	for _, one := range d.Each {
		values = append(values, one.Value)
	}
	middle := stats.Middle(values)
	for i := range d.Each {
		d.Each[i].Behind = max(0, 1-d.Each[i].Value/middle)
	}
	slices.SortStableFunc(d.Each, func(a, b DeviceRate) int { return cmp.Compare(b.Value, a.Value) })
	d.Spread = 1 - d.Each[len(d.Each)-1].Value/d.Each[0].Value
}

// stragglers are accelerators that are slower than their neighbours.
func stragglers(list []Devices) []finding.Finding {
	var evidence []string
	for _, d := range list {
		for _, one := range d.Each {
			if one.Behind > straggling {
				evidence = append(evidence, fmt.Sprintf("%s %s: %s reaches %s, %.1f %% below the median device", d.Probe, d.Variant, one.Device, unit.Format(one.Value, d.Unit), 100*one.Behind))
			}
		}
	}
	if len(evidence) == 0 {
		return nil
	}
	return []finding.Finding{{
		Check: "H10", Severity: finding.Caution, Evidence: evidence,
		Message: fmt.Sprintf("an accelerator is slower than its neighbours: %s", evidence[0]),
		Why:     "work that is spread over all of them goes at the speed of the slowest",
		Fix:     "look at its clocks, temperature, power limit and who else uses it; leave it out until that is known",
	}}
}
