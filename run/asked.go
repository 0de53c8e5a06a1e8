package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// mostRemembered bounds how many of the newest bundles of a folder are looked at: more would
// delay a run, and what a server was asked so long ago it has hardly kept.
const mostRemembered = 100

// An earlierRun is one whose bundle lies beside that of this run.
type earlierRun struct {
	asked record.Asked
	plan  plan.Plan
	made  []bundle.LaunchInfo // a run that was resumed asks what it had not got to
}

// earlierRuns are the newest of a folder. What cannot be read is passed over: it is another
// run's trouble.
func earlierRuns(folder, own string) (list []earlierRun) {
	entries, err := os.ReadDir(folder) // in the order of their names, which begin with the time
	if err != nil {
		return nil
	}
	entries = slices.DeleteFunc(entries, func(f os.DirEntry) bool { return f.Name() == own || !f.IsDir() })
	for _, entry := range entries[max(0, len(entries)-mostRemembered):] {
		b, err := bundle.Open(filepath.Join(folder, entry.Name()))
		if err != nil {
			continue
		}
		data, err := b.ReadFile(bundle.PlanFile)
		if err != nil {
			continue
		}
		if p, err := plan.Decode(data); err == nil {
			list = append(list, earlierRun{record.Asked{Run: b.Manifest.RunID, At: b.Manifest.Created}, p, b.Launches()})
		}
	}
	return list
}

// asks reports whether a launch of r sent the prompts that p draws from seed to the address of
// p. A workload and a seed decide every prompt.
func (r earlierRun) asks(p plan.Plan, seed int64) bool {
	if !reflect.DeepEqual(r.plan.Workload(), p.Workload()) {
		return false
	}
	return slices.ContainsFunc(r.plan.Sides(), func(side spec.Side) bool {
		there := side.Target.Server == nil && side.Target.Address() == p.Target().Address()
		return there && slices.ContainsFunc(r.plan.Launches, func(l plan.Launch) bool { return l.Side == side.Name && l.Seed == seed && r.has(l.Index) })
	})
}

func (r earlierRun) has(launch int) bool {
	return slices.ContainsFunc(r.made, func(l bundle.LaunchInfo) bool { return l.Index == launch })
}

// tellAsked writes down that an earlier run sent the prompts of a launch to the server that it
// is about to ask: what its caches kept of them makes answers faster. A server that assay has
// started itself was asked by nobody else.
func (e *execution) tellAsked(l *activeLaunch) error {
	if e.conn.server != nil {
		return nil
	}
	for _, r := range slices.Backward(e.earlier()) {
		if !r.asks(l.plan, l.planned.Seed) {
			continue
		}
		detail, err := json.Marshal(r.asked)
		if err == nil {
			err = l.out.Events.Append(record.Event{At: l.clock.Now(), Name: record.PromptsAsked, Point: -1, Detail: string(detail)})
		}
		if err != nil {
			return &bundleError{fmt.Errorf("record event %s: %w", record.PromptsAsked, err)}
		}
		return nil
	}
	return nil
}
