package metric

import (
	"fmt"

	"assay/bundle"
	"assay/plan"
)

// JudgeWatched computes the estimates and the client's health of a bundle in one pass,
// with others looking on. Every metric of every point is over the completed launches,
// the client's health over those that have records.
//
// The records are read a launch at a time and once. While the chunks of a launch
// go by, every request is asked with its events in hand; what stays of a request
// is some 500 bytes, and of a launch that was judged a few numbers. The result is
// the same to the last bit on any number of processors and however the tables are
// cut into segments.
//
// Code is the version of this program.
func JudgeWatched(b *bundle.Bundle, p plan.Plan, code string, w ...Watcher) (Estimates, Client, error) {
	j := bundleJudge{plan: p, estimates: newEstimates(b, p, code), client: newClient(), watchers: w}
	err := j.read(b)
	return j.estimates, j.client, err
}

// A bundleJudge reads a bundle and estimates what it shows.
type bundleJudge struct {
	plan      plan.Plan
	estimates Estimates
	client    Client
	watchers  watchers
	launches  []judgedLaunch
}

func (j *bundleJudge) read(b *bundle.Bundle) error {
	for _, info := range b.Launches() {
		if err := j.launch(b, info); err != nil {
			return fmt.Errorf("launch %d: %w", info.Index+1, err)
		}
	}
	j.client.Bounds = boundsOf(j.client.Before, j.client.After)
	return j.estimates.gather(b, j.plan, j.launches)
}

// launch reads one launch. No estimate rests on one that was not completed, but for
// the points that were over when somebody ended the run; the client was at work in it
// all the same.
func (j *bundleJudge) launch(b *bundle.Bundle, info bundle.LaunchInfo) error {
	r, err := openLaunch(b, info.Index)
	if err != nil {
		return err
	}
	estimate := info.Outcome == bundle.LaunchCompleted
	switch {
	case estimate:
	case j.partial(info) && r.keepFinished():
		estimate = true
		j.estimates.Partial = append(j.estimates.Partial, leftOut(info))
	default:
		j.estimates.LeftOut = append(j.estimates.LeftOut, leftOut(info))
	}
	if estimate {
		if err := r.prepare(j.plan, info.Side); err != nil {
			return err
		}
	}
	var points *launchCollector
	var seen []clientTrace
	err = r.each(func() func(int, *Timeline) {
		seen = make([]clientTrace, r.workers)
		spaces := make([]*workspace, r.workers)
		for i := range spaces {
			spaces[i] = &workspace{} // apart from each other: they are written at once
		}
		if estimate {
			points = newLaunchCollector(j.plan, r, j.watchers)
		}
		return func(worker int, t *Timeline) {
			spaces[worker].lend(t)
			seen[worker].see(t)
			if estimate {
				points.see(worker, t)
			}
			t.leaveEvents()
		}
	})
	if err != nil {
		return err
	}
	r.byID = nil // nobody looks for a request any more
	var judged judgedLaunch
	if estimate {
		judged = points.end(info)
		j.estimates.Launches = append(j.estimates.Launches, info.Index)
		j.launches = append(j.launches, judged)
		if b.Manifest.Source != nil {
			j.estimates.Repeats = append(j.estimates.Repeats, r.launch.repeats()...)
		}
	}
	if err := j.watchers.see(j.watched(info, r, judged)); err != nil {
		return err
	}
	if knowsClient(b.Manifest) {
		return j.client.add(b, r, seen)
	}
	return nil
}

// partial reports whether the finished points of a launch count though the launch does
// not: the run was asked to end and wrote down all that it had. What a search visits
// next depends on what it has seen, so that half of one is none.
func (j *bundleJudge) partial(info bundle.LaunchInfo) bool {
	return info.Outcome == bundle.LaunchAborted && info.Rows != nil && j.plan.Search == nil && j.plan.Load() != nil
}
