package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/tests/whole"
)

// The p99 of the responses of a server that works on one call at a time, in
// order, for service seconds: Lindley's recursion over the times of arrival.
func queued99(arrivals []float64, service float64) float64 {
	var responses []float64
	free := 0.0
	for _, at := range arrivals {
		free = max(free, at) + service
		responses = append(responses, free-at)
	}
	slices.Sort(responses)
	return responses[int(math.Ceil(0.99*float64(len(responses))))-1]
}

// expected99 is the mean of queued99 over Poisson arrivals of calls calls.
func expected99(calls int, rate, service float64) (sum float64) {
	const trials = 2000
	rng := rand.New(rand.NewPCG(11, 12))
	for range trials {
		arrivals, at := make([]float64, calls), 0.0
		for i := range arrivals {
			at += rng.ExpFloat64() / rate
			arrivals[i] = at
		}
		sum += queued99(arrivals, service) / trials
	}
	return sum
}

// Coordinated omission: a real server of 500 ms and two calls a second is offered
// ten, and p99 counted from when calls were due equals queueing theory within its
// interval. Here everything is a hundred times faster; make bench-omission takes
// the ten minutes.
func TestCoordinatedOmission(t *testing.T) {
	whole.Only(t)
	service := 5 * time.Millisecond
	if text := os.Getenv("ASSAY_OMISSION_SERVICE"); text != "" {
		var err error
		if service, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	rate := 5 / service.Seconds()
	source, err := os.ReadFile("../../examples/omission.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("[assay,", fmt.Sprintf("[%q,", os.Args[0]), "127.0.0.1:8104", freeAddress(t),
		"--base, 5ms", "--base, "+service.String(), "rate: [1000]", fmt.Sprintf("rate: [%g]\n    duration: 1h", rate)).Replace(string(source))
	dir := t.TempDir()
	file := filepath.Join(dir, "omission.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := call(t, "run", file, "--out", filepath.Join(dir, "runs")); code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	b, err := bundle.Open(onlyBundle(t, filepath.Join(dir, "runs")))
	if err != nil {
		t.Fatal(err)
	}
	row := estimateOf(t, b, metric.E2E.ID, "p99")
	theory := expected99(400, rate, service.Seconds())
	t.Logf("service %v, %g calls a second offered, %g possible: p99 %.3f s [%.3f, %.3f], theory %.3f s",
		service, rate, 1/service.Seconds(), row.Value, row.Interval.Lo, row.Interval.Hi, theory)
	// A busy machine delays every answer by some milliseconds that theory knows
	// nothing of; at 500 ms a call they are nothing.
	const delays = 0.1
	held := row.Interval
	held.Lo -= delays
	if !held.Bounded() || !held.Contains(theory) {
		t.Errorf("p99 = %.3f s [%.3f, %.3f], want an interval that holds %.3f s", row.Value, row.Interval.Lo, row.Interval.Hi, theory)
	}
	for _, l := range row.PerLaunch {
		var arrivals []float64
		for r, err := range bundle.Rows[record.Request](b, l.Launch, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Phase == record.Measure {
				arrivals = append(arrivals, float64(r.Due)/1e9)
			}
		}
		slices.Sort(arrivals)
		want := queued99(arrivals, service.Seconds())
		t.Logf("launch %d: p99 %.3f s, theory for its own arrivals %.3f s", l.Launch, l.Value, want)
		if l.N != 400 || l.Value < 0.99*want || l.Value > 1.25*want {
			t.Errorf("launch %d: p99 of %d calls = %.3f s, want that of the queue, %.3f s", l.Launch, l.N, l.Value, want)
		}
	}
}

// estimateOf is one estimate of the first point of a bundle.
func estimateOf(t *testing.T, b *bundle.Bundle, id, statistic string) metric.Row {
	t.Helper()
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	estimates, _, err := metric.JudgeWatched(b, p, "test", metric.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	row, ok := estimates.Find(id, statistic, 0)
	if !ok {
		t.Fatalf("no %s of %s", statistic, id)
	}
	return row
}
