package report

import (
	"fmt"

	"assay/metric"
	"assay/unit"
)

// ExternalBlocks show what sessions called and how long they waited for it, point by
// point.
func (r Report) ExternalBlocks() (list []Block) {
	for _, point := range r.ServingPoints() {
		for _, side := range r.SideNames() {
			b := Block{
				Title: point.Name + ofSide(side) + ": what sessions waited for",
				Head:  []string{"", "calls", "failed", "a call", "the longest", "of a session, all calls", "of a session's time", ""},
			}
			for _, x := range r.Estimates.External {
				if x.Point == point.Index && x.Side == side {
					b.Rows = append(b.Rows, externalRow(x))
				}
			}
			if len(b.Rows) == 0 {
				continue
			}
			if row, ok := r.Estimates.Of(side).Find(metric.SessionThink.ID, "mean", point.Index); ok {
				b.Rows = append(b.Rows, []string{"pauses of users", "", "", "", "", "", Value(row), ""})
			}
			if row, ok := r.Estimates.Of(side).Find(metric.SessionTime.ID, "mean", point.Index); ok {
				b.Rows = append(b.Rows, []string{"session", "", "", "", "", "", Value(row), ""})
			}
			b.Lines = []string{"Means over launches. Of a session's time counts what the session waited for: it adds up. All calls counts those in branches that ran at once as well."}
			list = append(list, b)
		}
	}
	return list
}

// ofSide names a side after a point, where there are several.
func ofSide(side string) string {
	if side == "" {
		return ""
	}
	return ", " + side
}

func externalRow(x metric.External) []string {
	name, how := x.Tool, "really ran"
	switch {
	case x.Tool == "":
		name, how = "the model", ""
	case !x.Real:
		how = "time was injected"
	}
	return []string{
		name, fmt.Sprint(x.Calls), fmt.Sprint(x.Failed), estimated(x.PerCall, unit.Second), unit.Format(x.Longest, unit.Second),
		estimatedOrNone(x.PerSession, unit.Second), estimatedOrNone(x.Waited, unit.Second), how,
	}
}
