package metric

import (
	"fmt"

	"assay/bundle"
	"assay/plan"
)

// Judge computes the estimates and the client's health of a bundle, as Estimate
// and ReadClient do, in one pass.
//
// The records are read a launch at a time and once. While the chunks of a launch
// go by, every request is asked with its events in hand; what stays of a request
// is some 500 bytes, and of a launch that was judged a few numbers. The result is
// the same to the last bit on any number of processors and however the tables are
// cut into segments.
//
// Code is the version of this program.
func Judge(b *bundle.Bundle, p plan.Plan, code string) (Estimates, Client, error) {
	return JudgeWatched(b, p, code, Watcher{})
}

// Estimate computes every metric of every point over the completed launches of
// b. Code is the version of this program.
func Estimate(b *bundle.Bundle, p plan.Plan, code string) (Estimates, error) {
	e := newEstimates(b, p, code)
	j := judging{plan: p, estimates: &e}
	err := j.read(b)
	return e, err
}

// ReadClient gathers what b says about its client, over the launches that have
// records.
func ReadClient(b *bundle.Bundle) (Client, error) {
	c := newClient()
	j := judging{client: &c}
	err := j.read(b)
	return c, err
}

// A judging reads a bundle for what is asked.
type judging struct {
	plan      plan.Plan
	estimates *Estimates // nil when not asked for
	client    *Client    // nil when not asked for
	watcher   Watcher
	launches  []judgedLaunch
}

func (j *judging) read(b *bundle.Bundle) error {
	for _, info := range b.Launches() {
		if err := j.launch(b, info); err != nil {
			return fmt.Errorf("launch %d: %w", info.Index, err)
		}
	}
	if j.client != nil {
		j.client.Bounds = boundsOf(j.client.Before, j.client.After)
	}
	if j.estimates != nil {
		return j.estimates.gather(b, j.plan, j.launches)
	}
	return nil
}

// launch reads one launch. No estimate rests on one that was not completed, but
// the client was at work in it.
func (j *judging) launch(b *bundle.Bundle, info bundle.LaunchInfo) error {
	estimate := j.estimates != nil && info.Outcome == bundle.LaunchCompleted
	if j.estimates != nil && !estimate {
		j.estimates.LeftOut = append(j.estimates.LeftOut, leftOut(info))
	}
	if !estimate && j.client == nil {
		return nil
	}
	r, err := openLaunch(b, info.Index)
	if err != nil {
		return err
	}
	if estimate {
		if err := r.prepare(j.plan, info.Side); err != nil {
			return err
		}
	}
	var points *collecting
	var reads []sharedReads
	err = r.each(func() func(int, *Timeline) {
		reads = make([]sharedReads, r.workers)
		if estimate {
			points = newCollecting(j.plan, r, j.watcher)
		}
		return func(worker int, t *Timeline) {
			reads[worker].see(t)
			if estimate {
				points.see(worker, t)
			}
			t.leaveEvents()
		}
	})
	if err != nil {
		return err
	}
	var said judgedLaunch
	if estimate {
		said = points.end(info)
		j.estimates.Launches = append(j.estimates.Launches, info.Index)
		j.launches = append(j.launches, said)
		if b.Manifest.Source != nil {
			j.estimates.Repeats = append(j.estimates.Repeats, r.launch.repeats()...)
		}
	}
	if j.watcher.See != nil {
		if err := j.watcher.See(j.watched(info, r, said)); err != nil {
			return err
		}
	}
	if j.client != nil && knowsClient(b.Manifest) {
		return j.client.add(b, r, reads)
	}
	return nil
}
