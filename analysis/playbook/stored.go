package playbook

import (
	"fmt"

	"assay/analysis/isolation"
	"assay/metric"
	"assay/unit"
)

// keepsUp is the share of the step below which waiting for input is nobody's trouble,
// and faster what a run must gain with its input at hand to be worth it.
const (
	keepsUp = .05
	faster  = 1.05
)

// neighboured looks for processor time that others took.
func neighboured(e Evidence) (Reply, string) {
	reply, figure := Advice, "make a second run on nodes of its own and compare: assay compare"
	for _, h := range e.Client.Launches {
		if h.Steal == nil && h.CPUPressure == nil {
			continue
		}
		figure = fmt.Sprintf("launch %d: %.1f %% of the time was given to other machines, and some task waited for a processor in %.1f %% (on the host that assay runs on)", h.Launch+1, 100*valueOf(h.Steal), 100*valueOf(h.CPUPressure))
		if valueOf(h.Steal) > pressed || valueOf(h.CPUPressure) > pressed {
			return Yes, figure
		}
		reply = No
	}
	return reply, figure
}

func valueOf(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// stored says whether steps wait for input at all; what it comes from, a probe tells.
func stored(e Evidence) (Reply, string) {
	reply, figure := Advice, "probe the storage that input is read from: assay probe disk dataloader"
	for _, p := range e.Training.Points {
		data, ok := p.Part("data")
		if !ok {
			continue
		}
		text := fmt.Sprintf("steps wait %s for their input, %.1f %%, at %s", unit.Format(data.Value, unit.Second), 100*data.Share, p.Name)
		if busy := busiestDisks(e); busy != "" {
			text += "; " + busy
		}
		if data.Share >= keepsUp {
			return Advice, text + ": probe the storage that it is read from, with assay probe disk dataloader"
		}
		reply, figure = No, text
	}
	return reply, figure
}

// busiestDisks tells of the launch in which the disks of this host had the most to do.
func busiestDisks(e Evidence) string {
	var most metric.ClientHealth
	for _, h := range e.Client.Launches {
		if valueOf(h.DiskBusy) >= valueOf(most.DiskBusy) {
			most = h
		}
	}
	if most.DiskBusy == nil {
		return ""
	}
	return fmt.Sprintf("disks of this host were busy %.0f %% of the time, added up (%s/s read, %s/s written)", 100**most.DiskBusy,
		unit.Format(valueOf(most.DiskRead), unit.Byte), unit.Format(valueOf(most.DiskWritten), unit.Byte))
}

// cached compares steps with what is left of them when their input is at hand.
func cached(e Evidence) (Reply, string) {
	reply, figure := Advice, "make a second run with cached input and compare: assay compare"
	for _, point := range e.Plan.Points {
		all, ok1 := e.Estimates.Find(metric.StepTime.ID, "mean", point.Index)
		loaded, ok2 := e.Estimates.Find(metric.StepTimeLoaded.ID, "mean", point.Index)
		if !ok1 || !ok2 || loaded.Value <= 0 {
			continue
		}
		gain := all.Value / loaded.Value
		figure = fmt.Sprintf("a step takes %s, and %s without its input: %.3g times as fast, at %s", unit.Format(all.Value, unit.Second), unit.Format(loaded.Value, unit.Second), gain, point.Name)
		if gain >= faster {
			return Yes, figure
		}
		reply = No
	}
	return reply, figure
}

// isolated says whether the others came back.
func isolated(e Evidence) (Reply, string) {
	if e.Isolated == nil {
		return Advice, "make a second run without that rank, then: assay diagnose THAT THIS --isolated RANK"
	}
	figure := fmt.Sprintf("rank %d: %s", e.Isolated.Rank, e.Isolated.Verdict)
	for _, how := range e.Isolated.How {
		figure += "; " + how
	}
	switch e.Isolated.Verdict {
	case isolation.Restored:
		return Yes, figure
	case isolation.NotRestored:
		return No, figure
	}
	return Missing, figure
}
