package foreign

import (
	"cmp"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// A figure is how a number of a tool is called here: its unit, what makes that
// unit of it, and whose definition it has.
type figure struct {
	unit       unit.Unit
	scale      float64 // 0 means 1
	metric     string  // our id, when the definition is the same
	definition string  // otherwise, in our words
	wrong      string  // why it must not be used
}

// says is the figure with its value.
func (f figure) says(name, statistic string, value float64) record.Reported {
	return record.Reported{
		Name: name, Statistic: statistic, Value: value * cmp.Or(f.scale, 1), Unit: string(f.unit),
		Metric: f.metric, Definition: f.definition, Wrong: f.wrong,
	}
}

// unknown adds what follows from the number of launches to what a tool does not
// tell.
func unknown(launches []Launch, gaps ...bundle.Gap) []bundle.Gap {
	if len(launches) == 1 {
		gaps = append(gaps, bundle.Gap{ID: bundle.GapReplicates, Detail: "each load was measured once; import several results at one load together to make them launches"})
	}
	return gaps
}
