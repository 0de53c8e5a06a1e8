package picture

import (
	"slices"

	"assay/analysis/steady"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/stats"
)

// drawn are the metrics whose distributions are worth a chart: each what a user
// waits for. A workload has those that mean something in it.
var drawn = []metric.Metric{
	metric.TTFT, metric.ITL, metric.TPOT, metric.E2E, metric.FirstByte,
	metric.FirstTurnTTFT, metric.LaterTurnTTFT, metric.SessionTime, metric.StepTool,
}

// A Drawing gathers pictures while a bundle is judged: it reads no request by
// itself.
type Drawing struct {
	bundle   *bundle.Bundle
	plan     plan.Plan
	curves   map[place][]*metric.Curve // one for each launch
	moments  map[place][]stats.Moments // of metrics with one value for each request
	launches []Launch
}

// A place is one metric of one point and side.
type place struct {
	metric string
	point  int
	side   string
}

// New begins the pictures of b.
func New(b *bundle.Bundle, p plan.Plan) *Drawing {
	return &Drawing{bundle: b, plan: p, curves: map[place][]*metric.Curve{}, moments: map[place][]stats.Moments{}}
}

// Watcher is what must look on while the bundle is judged.
func (d *Drawing) Watcher() metric.Watcher {
	var ids []string
	for _, m := range drawn {
		ids = append(ids, m.ID)
	}
	return metric.Watcher{Curves: ids, See: d.see}
}

func (d *Drawing) see(w metric.WatchedLaunch) error {
	for _, c := range w.Curves {
		at := place{c.Metric.ID, c.Point, w.Info.Side}
		d.curves[at] = append(d.curves[at], c.Curve)
	}
	if len(w.Curves) > 0 {
		for _, point := range w.Launch.Points {
			d.spread(w.Info.Side, point)
		}
	}
	if d.bundle.Manifest.Unknown(bundle.GapSendTimes) {
		return nil
	}
	launch, err := d.launch(w)
	d.launches = append(d.launches, launch)
	return err
}

// Set is the pictures, once the bundle was judged. Judged says where windows were
// steady.
func (d *Drawing) Set(judged steady.Report) Set {
	s := Set{Version: Version, Distributions: []Distribution{}, Launches: d.launches}
	if s.Launches == nil {
		s.Launches = []Launch{}
	}
	for i := range s.Launches {
		mark(&s.Launches[i], judged)
	}
	confidence := d.plan.Trials().ConfidenceLevel
	for _, side := range d.sides() {
		for _, point := range d.plan.Points {
			for _, m := range drawn {
				at := place{m.ID, point.Index, side}
				if curves := d.curves[at]; len(curves) > 0 {
					s.Distributions = append(s.Distributions, distribution(m, at, curves, confidence))
				}
				if c, ok := components(m, at, d.moments[at], confidence); ok {
					s.Components = append(s.Components, c)
				}
			}
		}
	}
	return s
}

// sides lists those of the launches, in the order of the ledger.
func (d *Drawing) sides() (list []string) {
	for _, info := range d.bundle.Launches() {
		if !slices.Contains(list, info.Side) {
			list = append(list, info.Side)
		}
	}
	return list
}
