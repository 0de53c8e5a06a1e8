package live

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/plan"
	"assay/run"
)

// Programs read a moment every second, and nothing else.
func TestJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		w, err := Begin(Options{Mode: JSON, Interval: time.Second, Out: &out})
		if err != nil {
			t.Fatal(err)
		}
		w.Live.Begin(plan.Plan{Name: "night", Launches: []plan.Launch{{}}}, nil)
		w.Progress(run.Progress{Launches: 1, Point: "rate=5"})
		time.Sleep(3500 * time.Millisecond)
		w.Stop()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 3 {
			t.Fatalf("in 3.5 s got %q; want a line every second", lines)
		}
		for _, line := range lines {
			var m Moment
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.Stage != "preparing" || m.TTFT != nil {
				t.Errorf("%s: %+v, %v", line, m, err)
			}
		}
	})
}

// A moment has what the view shows; what is no number is null.
func TestMoment(t *testing.T) {
	s := scene()
	s.TTFT.P99 = math.NaN()
	m := momentOf(s, time.Now())
	if m.Point != "rate=50" || m.Launch != 2 || *m.Share != .38 || *m.Left != 440 || *m.TTFT != .0412 || m.Tail != nil || *m.E2E != 1.31 || m.Requests != 12045 || m.Failed != 31 || *m.Tokens != 15931 {
		t.Errorf("%+v", m)
	}
	if _, err := json.Marshal(m); err != nil {
		t.Error(err)
	}
}
