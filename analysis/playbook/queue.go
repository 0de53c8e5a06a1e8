package playbook

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/bundle"
	"assay/unit"
)

// slowStart is a start of the hosts, or of one of them, that is worth a look; a host that
// takes three times as long as the others has a reason of its own.
const (
	slowStart    = 30.0 // seconds
	startsBehind = 3.0
)

// number is a fact that is a number; false where nobody told it.
func (e Evidence) number(name string) (float64, bool) {
	f, ok := e.Manifest.Environment[name]
	if !ok || f.Value == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(fmt.Sprint(f.Value), 64)
	return v, err == nil
}

// word is a fact as text; empty where nobody told it.
func (e Evidence) word(name string) string {
	if f, ok := e.Manifest.Environment[name]; ok && f.Value != nil {
		return fmt.Sprint(f.Value)
	}
	return ""
}

// alone says that no scheduler had a part in the run.
func (e Evidence) alone() bool { return e.word("scheduler.kind") == "none" }

// waited asks how long the scheduler kept the run waiting.
func waited(e Evidence) (Reply, string) {
	wait, ok := e.number("scheduler.queue_wait_seconds")
	switch {
	case e.alone():
		return No, "no scheduler started this run"
	case !ok:
		return Missing, "the time in the scheduler's queue (scheduler.queue_wait_seconds; --launcher slurm records it)"
	}
	figure := fmt.Sprintf("%s job %s waited %s for its nodes", e.word("scheduler.kind"), e.word("scheduler.job"), unit.Format(wait, unit.Second))
	if why := e.word("scheduler.pending_reasons"); why != "" {
		figure += ": " + why
	}
	if wait > longPending {
		return Yes, figure
	}
	return No, figure
}

// fragmented asks whether nodes were free and not those that were asked for. Slurm says so
// by its reason: Resources and Priority are a full cluster, the others a wish.
func fragmented(e Evidence) (Reply, string) {
	if e.alone() {
		return No, "no scheduler started this run"
	}
	if _, ok := e.number("scheduler.queue_wait_seconds"); !ok {
		return Missing, "the reasons for which the scheduler let the run wait (scheduler.pending_reasons)"
	}
	reasons := e.word("scheduler.pending_reasons")
	for _, mark := range []string{"ReqNodeNotAvail", "BadConstraints", "NodeDown", "Licenses", "AssocGrp", "QOS", "Reservation", "Switches"} {
		if strings.Contains(reasons, mark) {
			return Yes, "the scheduler's reason was " + reasons
		}
	}
	if reasons == "" {
		return No, "the scheduler named no reason to wait"
	}
	return No, "the scheduler's reason was " + reasons + ", which is a full cluster and no wish of the run"
}

// startedLate asks whether making hosts ready took long, once they were given.
func startedLate(e Evidence) (Reply, string) {
	all := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(e.Manifest.Environment)) {
		if match := hostFact.FindStringSubmatch(name); match != nil && match[3] == "start_up_seconds" {
			if v, ok := e.number(name); ok {
				all[e.word(strings.TrimSuffix(name, "start_up_seconds")+"name")] = v
			}
		}
	}
	if len(all) == 0 {
		return Missing, "the start of each host (launcher.host.N.start_up_seconds; launch.kind ssh or slurm)"
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return compareFloat(all[a], all[b]) })
	last, middle := names[len(names)-1], names[(len(names)-1)/2]
	figure := fmt.Sprintf("%d hosts were made ready; %s took longest, %s, and %s the usual %s", len(names), last, unit.Format(all[last], unit.Second), middle, unit.Format(all[middle], unit.Second))
	if all[last] > slowStart || len(names) > 2 && all[last] > 1 && all[last] > startsBehind*all[middle] {
		return Yes, figure
	}
	return No, figure
}

// takenBack asks whether the scheduler took hosts away.
func takenBack(e Evidence) (Reply, string) {
	for _, l := range e.Manifest.Launches {
		if l.Outcome == bundle.LaunchVoided {
			return Yes, fmt.Sprintf("launch %d was voided: %s", l.Index+1, l.Reason)
		}
	}
	restarts, ok := e.number("scheduler.restarts")
	switch {
	case e.alone():
		return No, "no scheduler started this run"
	case !ok:
		return Missing, "how often the scheduler began the job again (scheduler.restarts)"
	case restarts > 0:
		return Yes, fmt.Sprintf("the scheduler had begun the job %.0f times before", restarts)
	}
	return No, "no launch was voided, and the job was begun once"
}
