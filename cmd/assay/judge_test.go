package main

import (
	"path/filepath"
	"testing"

	"assay/bundle"
	"assay/claim"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

// A bundle that nobody has judged is judged anew, the client together with the
// estimates.
func TestJudge(t *testing.T) {
	run, err := parseRun("judge.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}}}`))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	p, err := plan.New(run)
	must(err)
	encoded, err := p.Encode()
	must(err)
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: encoded})
	must(err)
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	must(err)
	must(l.Events.Append(record.Event{Name: record.WindowBegin}, record.Event{At: 1e9, Name: record.WindowEnd}))
	must(l.Requests.Append(record.Request{Phase: record.Measure, Sent: 1e6, Done: 5e8, Result: record.OK}))
	must(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	b, err := bundle.Open(dir)
	must(err)
	must(w.Abandon())

	j, err := judge(b)
	must(err)
	row, ok := j.Estimates.Find(metric.E2E.ID, "p50", 0)
	if !ok || row.Value != 0.5 || len(j.Client.Launches) != 1 || j.Client.Launches[0].Requests != 1 {
		t.Errorf("E2E p50 = %v (%v), client %+v; want 0.5 s and one request", row.Value, ok, j.Client.Launches)
	}
	if len(j.Audit.Results) == 0 || len(j.Claims.Claims) != 0 || j.Claims.Grade != claim.Exploratory {
		t.Errorf("%d checks, %d claims of %s grade; want an audit and no claim of a run that did not end", len(j.Audit.Results), len(j.Claims.Claims), j.Claims.Grade)
	}
}
