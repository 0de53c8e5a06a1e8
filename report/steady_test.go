package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/analysis/steady"
	"assay/plan"
	"assay/stats"
)

// steadyExample has a point that was cold at first in one of three launches, and
// one that drifts.
func steadyExample() steady.Report {
	series := func(shape stats.Shape, begin, early int) steady.Series {
		s := steady.Series{
			Name: steady.TTFT, Warmup: 20, Window: steady.Figures{N: 200, Mean: .012, Median: .011, P99: .02, Max: .05},
			State: stats.Steadiness{Shape: shape, N: 220, Batch: 5, Begin: begin, End: 220, Warm: begin, Level: .011, Noise: .01, Reasons: []string{"as made up"}},
		}
		if shape == stats.Drift {
			s.State.End = 0
			return s
		}
		s.Early = &early
		s.Steady = &steady.Figures{N: 200 - early, Mean: .0115, Median: .011, P99: .02, Max: .05}
		s.Bias = &steady.Bias{MeanOfAll: .09 + float64(begin)/100, BestOfN: .12}
		s.Enough = &steady.Enough{Requests: begin / 2, Seconds: float64(begin) / 100}
		return s
	}
	point := func(launch int, s steady.Series) steady.Point {
		return steady.Point{Launch: launch, Requests: 220, Warmup: 20, WarmupSeconds: 5, Series: []steady.Series{s}}
	}
	second := point(0, series(stats.Drift, 0, 0))
	second.Point = 1
	return steady.Report{Version: steady.Version, Method: steady.Method, Points: []steady.Point{
		point(0, series(stats.Flat, 0, 0)), point(1, series(stats.WarmUp, 60, 40)), point(2, series(stats.Flat, 0, 0)), second,
	}}
}

func TestSteadyOfChangingLoad(t *testing.T) {
	r := Report{Plan: plan.Plan{Points: []plan.Point{{Name: "stages"}}}}
	var b bytes.Buffer
	writeSteady(&b, r)
	if b.Len() > 0 {
		t.Errorf("without evidence: %s", b.String())
	}
	r.Steady.Points = []steady.Point{{Skipped: "the load changes in stages"}}
	writeSteady(&b, r)
	if want := "stages  not judged: the load changes in stages"; !strings.Contains(b.String(), want) {
		t.Errorf("got %s, want %q", b.String(), want)
	}
}
