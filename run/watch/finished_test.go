package watch

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"assay/load"
	"assay/record"
	"assay/spec"
	"assay/unit"
)

// A point that is over stays to be seen, and objectives are judged from the number of
// answers on that can bound their percentile.
func TestFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, p := &Live{}, twoPoints()
		p.Run.Spec.SLO = []spec.Objective{
			{Metric: "ttft", Percentile: 50, Max: unit.Duration(30 * time.Millisecond)},
			{Metric: "tpot", Percentile: 99, Max: unit.Duration(time.Second)},
			{Metric: "error_rate", MaxRatio: .5},
			{Metric: "tokens_per_second", Min: 100},
			{Metric: "longest_gap", Percentile: 99, Max: unit.Duration(time.Second)},
		}
		v.Begin(p, nil)
		v.EnterLaunch(p.Launches[0])
		v.EnterPoint(p.Points[0], &load.Tally{})
		tokens := int32(11)
		answer := func(result record.Outcome, phase record.Phase) {
			time.Sleep(250 * time.Millisecond)
			chunks := []record.Chunk{{Kind: record.Content, At: 5e7}, {Kind: record.Content, At: 15e7}}
			v.Ended(&record.Request{Phase: phase, Result: result, Due: 1e7, Done: 15e7, UsageOutput: &tokens}, chunks)
		}
		answer(record.OK, record.Warmup)
		v.EnterPhase(record.Measure)
		for range 5 {
			answer(record.OK, record.Measure)
		}
		if s := v.Snapshot(); len(s.Finished) != 0 || s.Objectives[0].Known() || s.Objectives[0].Have != 5 || s.Objectives[0].Need != 6 || !math.IsNaN(s.TTFT.P50) {
			t.Errorf("five answers: %+v, TTFT %+v; want no median before the sixth", s.Objectives[0], s.TTFT)
		}
		for range 4 {
			answer(record.OK, record.Measure)
		}
		answer(record.HTTPError, record.Measure)
		v.EnterPhase(record.Cooldown)
		answer(record.OK, record.Measure) // began in the window, ended after it
		v.EnterPoint(p.Points[1], &load.Tally{})
		s := v.Snapshot()
		if len(s.Finished) != 1 {
			t.Fatalf("finished %+v", s.Finished)
		}
		got := s.Finished[0]
		if got.Launch != 1 || got.RequestsPerSecond != 9/2.5 || got.TokensPerSecond != 110/2.5 || got.Requests != 11 || got.Failed != 1 || got.TTFT.N != 11 {
			t.Errorf("finished %+v; want 9 answers and 110 tokens in 2.5 s, 1 of 11 failed", got)
		}
		if !math.IsNaN(got.TTFT.P90) {
			t.Errorf("p90 of %d answers is %v, want none", got.TTFT.N, got.TTFT.P90)
		}
		for i, want := range []struct{ known, met bool }{{true, false}, {false, false}, {true, true}, {true, false}, {false, false}} {
			if o := got.Objectives[i]; o.Known() != want.known || o.Met != want.met {
				t.Errorf("%s: %+v, want %+v", o.Objective, o, want)
			}
		}
		v.EnterPhase(record.Measure)
		time.Sleep(time.Second)
		v.Enter(Judging)
		v.Enter(Judging)
		if s := v.Snapshot(); len(s.Finished) != 2 {
			t.Errorf("%d points finished at the end, want 2", len(s.Finished))
		}
	})
}
