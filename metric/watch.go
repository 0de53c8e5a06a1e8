package metric

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"assay/bundle"
)

// A Watcher looks on while a bundle is judged, so that what it is after needs no
// reading of its own.
type Watcher struct {
	Curves []string // ids of the metrics with Each or Many whose curves it wants

	// See is called once for each launch that has records, in their order, when all
	// of its requests were seen. It must not keep the requests nor change them: other
	// watchers look at the same time.
	See func(WatchedLaunch) error
}

// A WatchedLaunch is one launch before its requests are let go.
type WatchedLaunch struct {
	Info     bundle.LaunchInfo
	Launch   *Launch
	Requests []*Timeline // all, in the order of the table; their events are gone
	Curves   []PointCurve

	// Elsewhere says that the target is not on the host whose accelerators were
	// read.
	Elsewhere bool
}

// A PointCurve is the curve of one metric at one point of a completed launch.
type PointCurve struct {
	Metric Metric
	Point  int
	*Curve
}

// watched is what a watcher sees of a launch; judged is what metrics gave, empty for
// one that no estimate rests on.
func (j *bundleJudge) watched(info bundle.LaunchInfo, r *launchReader, judged judgedLaunch) WatchedLaunch {
	w := WatchedLaunch{Info: info, Launch: &r.launch, Requests: r.requests}
	for _, s := range sidesOf(j.plan) {
		w.Elsewhere = w.Elsewhere || s.Name == info.Side && !Here(s.Target)
	}
	for _, point := range judged.points {
		for i := range All {
			if curve := point.results[i].curve; curve != nil {
				w.Curves = append(w.Curves, PointCurve{All[i], point.point.Index, curve})
			}
		}
	}
	return w
}

// watchers look on together.
type watchers []Watcher

// draws reports whether one of them wants the curve of m.
func (list watchers) draws(m Metric) bool {
	return slices.ContainsFunc(list, func(w Watcher) bool { return slices.Contains(w.Curves, m.ID) })
}

// see shows all of them a launch, at once.
func (list watchers) see(launch WatchedLaunch) error {
	errs := make([]error, len(list))
	var work sync.WaitGroup
	for i, w := range list {
		if w.See != nil {
			work.Go(func() { errs[i] = w.See(launch) })
		}
	}
	work.Wait()
	return errors.Join(errs...)
}

// Watch reads the requests of a bundle once for those who look on, without judging
// them: there are no curves, and of a launch nothing but its requests and points.
func Watch(b *bundle.Bundle, list ...Watcher) error {
	for _, info := range b.Launches() {
		r, err := openLaunch(b, info.Index)
		if err == nil {
			err = r.each(func() func(int, *Timeline) { return func(_ int, t *Timeline) { t.leaveEvents() } })
		}
		if err == nil {
			err = watchers(list).see(WatchedLaunch{Info: info, Launch: &r.launch, Requests: r.requests})
		}
		if err != nil {
			return fmt.Errorf("launch %d: %w", info.Index+1, err)
		}
	}
	return nil
}
