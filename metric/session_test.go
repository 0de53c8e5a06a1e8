package metric

import (
	"math"
	"reflect"
	"testing"

	"assay/bundle"
	"assay/record"
)

// chat is a session of a generation, a tool and two branches of which the second
// ends last. It begins at start ms and takes 500 ms.
func chat(number, start int64) []record.SessionStep {
	at := func(step int32, kind, parents string, turn int32, think, due, end int64) record.SessionStep {
		request := number*10 + int64(step)
		row := record.SessionStep{
			Session: number, Step: step, Steps: 4, Kind: kind, Parents: parents, Turn: turn, Phase: record.Measure, Began: record.Measure, Result: record.OK,
			Start: start * ms, Due: (start + due) * ms, End: (start + end) * ms, Think: think * ms, Request: &request, User: -1,
		}
		if kind == record.StepTool {
			row.Request = nil
		}
		return row
	}
	return []record.SessionStep{
		at(0, record.StepGenerate, "", 0, 0, 0, 100),
		at(1, record.StepTool, "0", 1, 0, 100, 150),
		at(2, record.StepGenerate, "1", 1, 10, 160, 300),
		at(3, record.StepGenerate, "1", 1, 50, 200, 500),
	}
}

func TestSessionMetrics(t *testing.T) {
	point := func(sessions ...[]record.SessionStep) *Point {
		p := &Point{Begin: 0, End: 2000 * ms}
		for _, steps := range sessions {
			p.Sessions = append(p.Sessions, &Session{Phase: steps[0].Began, Steps: steps})
		}
		return p
	}
	failed := chat(2, 0)[:3]
	failed[2].Result = record.Timeout
	cut := chat(3, 0)[:2]
	cut[1].Result = record.Cut
	warm := chat(4, 0)
	for i := range warm {
		warm[i].Phase, warm[i].Began = record.Warmup, record.Warmup
	}
	late := chat(5, 1600) // ends after the window
	p := point(chat(1, 100), failed, cut, warm, late)
	f := func(m Metric, want ...float64) {
		t.Helper()
		got := m.Of.(Many)(p)
		if len(got) != len(want) {
			t.Errorf("%s = %v, want %v", m.ID, got, want)
			return
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s = %v, want %v", m.ID, got, want)
			}
		}
	}
	f(SessionTime, 0.5, 0.5)
	f(SessionGeneration, 0.4, 0.4) // the chain of the first step and the longer branch
	f(SessionTool, 0.05, 0.05)
	f(SessionThink, 0.05, 0.05)
	f(SessionTurns, 3, 3)
	f(StepTool, 0.05, 0.05, 0.05) // those of whole sessions and of the failed one
	f(StepGeneration, 0.1, 0.14, 0.3, 0.1, 0.1, 0.1, 0.14, 0.3)
	if bad, all := SessionErrorRate.Of.(Share)(p); bad != 1 || all != 3 {
		t.Errorf("%d of %d sessions failed, want 1 of 3: cut is neither, nor is warm-up", bad, all)
	}
	// Those of number 1 and of the warm-up are inside two seconds, and 0.4 of 0.5 s of
	// the late one.
	if got, ok := SessionRate.Whole(p); !ok || got != 2.8/2 {
		t.Errorf("session rate = %v, %v; want 1.4/s", got, ok)
	}
	if got, ok := SessionOffered.Whole(p); !ok || got != 2 {
		t.Errorf("offered sessions = %v, %v; want 4 in 2 s", got, ok)
	}
	if _, ok := SessionRate.Whole(&Point{End: ms}); ok {
		t.Error("a point without sessions has a session rate")
	}
}

// A bundle without sessions shows none, and only requests of sessions have a
// turn.
func TestTurns(t *testing.T) {
	p := testPlan(t)
	b := build(t, p, []bundle.LaunchOutcome{bundle.LaunchCompleted}, func(int) []*Timeline {
		var list []*Timeline
		for range 20 {
			list = append(list, timeline(2, 10, 20))
		}
		return list
	})
	if launch, err := ReadLaunch(b, 0); err != nil || len(launch.Points[0].Sessions) != 0 || launch.Points[0].Requests[0].Step != nil {
		t.Errorf("a bundle without sessions has some (%v)", err)
	}
	first, later := timeline(2, 10, 20), timeline(2, 15, 20)
	steps := chat(1, 0)
	first.Step, later.Step = &steps[0], &steps[2]
	for _, tt := range []struct {
		m    Metric
		t    *Timeline
		want []float64
	}{
		{FirstTurnTTFT, first, []float64{0.010}}, {LaterTurnTTFT, first, nil},
		{FirstTurnTTFT, later, nil}, {LaterTurnTTFT, later, []float64{0.015}},
		{FirstTurnTTFT, timeline(2, 10), nil}, {LaterTurnTTFT, timeline(2, 10), nil},
	} {
		if got := tt.m.Each(tt.t); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s = %v, want %v", tt.m.ID, got, tt.want)
		}
	}
	point := &Point{Requests: []*Timeline{first, later}}
	first.User, later.User = -1, -1
	if _, open := point.openLoop(); open {
		t.Error("requests of sessions are taken for those of an open loop")
	}
}
