package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"assay/target/fidelity"
	"assay/tests/whole"
)

// The view is drawn into a real terminal while the client measures, and nothing is
// lost. What it costs depends on who else uses the machine: make bench-live.
func TestCalibrateView(t *testing.T) {
	whole.Only(t)
	stdout, stderr, code := call(t, "calibrate", "--view", "--json", "--streams", "3", "--trials", "2", "--rounds", "3",
		"--ttft", "20ms", "--itl", "20ms", "--tokens", "20")
	if code != exitOK && code != exitVerdict {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	matchesSchema(t, "calibrate-view", stdout)
	var got viewComparison
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Trials) != 4 || len(got.Differences) != len(viewFigures) {
		t.Fatalf("%d trials and %d differences, want 4 and %d", len(got.Trials), len(got.Differences), len(viewFigures))
	}
	for i, r := range got.Trials {
		if want := i == 1 || i == 2; r.View != want {
			t.Errorf("trial %d: view %v; want turns", i, r.View)
		}
		if r.Lost != 0 || r.Failed != 0 || r.Events != 3*2*20 {
			t.Errorf("trial %d: %d events, %d lost, %d failed (%s)", i, r.Events, r.Lost, r.Failed, r.Error)
		}
		// A screen of 120 columns has more than its labels.
		if r.View && r.Drawn < 500 || !r.View && r.Drawn != 0 {
			t.Errorf("trial %d, view %v: %d bytes drawn", i, r.View, r.Drawn)
		}
	}
	if _, stderr, code := call(t, "calibrate", "--view", "--trials", "1"); code != exitUsage || !strings.Contains(stderr, "--view") {
		t.Errorf("one trial: exit %d, %s", code, stderr)
	}
}

func TestViewVerdict(t *testing.T) {
	trial := func(view bool, p50 int64) viewTrial {
		r := fidelity.Result{Reader: "x", Streams: 1}
		r.Stamp.P50, r.Stamp.P99, r.TTFT.P50, r.Gap.P99 = 1000, 1000, 1000, 1000
		return viewTrial{View: view, Result: withP50(r, p50)}
	}
	var c viewComparison
	for i := range int64(6) {
		c.Trials = append(c.Trials, trial(false, 1000+i), trial(true, 5000+3*i))
	}
	if err := c.compare(1); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := c.print(&text); err != nil {
		t.Fatal(err)
	}
	if !c.Differences[0].Beyond || c.Differences[1].Beyond || !strings.Contains(text.String(), "MORE THAN NOTHING") || strings.Contains(text.String(), "no difference") {
		t.Errorf("4 µs more in every trial: %+v\n%s", c.Differences, text.String())
	}
}

func withP50(r fidelity.Result, ns int64) fidelity.Result {
	r.Stamp.P50 = time.Duration(ns)
	return r
}
