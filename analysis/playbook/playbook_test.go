package playbook

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/analysis/breakdown"
	"assay/analysis/isolation"
	"assay/analysis/overlap"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/stats"
)

// A reading is one row of the estimates at point 0.
type reading struct {
	metric    metric.Metric
	statistic string
	value     float64
}

func (r reading) row() metric.Row {
	return metric.Row{Metric: r.metric.ID, Statistic: r.statistic, Estimate: stats.Estimate{Value: r.value}}
}

func evidence(rows ...reading) Evidence {
	e := Evidence{Plan: plan.Plan{Points: []plan.Point{{Name: "concurrency=8"}}}, Manifest: bundle.Manifest{Environment: record.Environment{}}}
	for _, r := range rows {
		e.Estimates.Rows = append(e.Estimates.Rows, r.row())
	}
	return e
}

// What is not in a bundle is missing, and never a no.
func TestNothingIsMissing(t *testing.T) {
	for _, p := range All {
		w := p.Walk(evidence())
		if w.Symptom.Reply != Missing {
			t.Errorf("%s: symptom %+v of an empty bundle", p.Name, w.Symptom)
		}
		for _, a := range w.Answers {
			if a.Figure == "" {
				t.Errorf("%s: %q is answered without a word", p.Name, a.Question)
			}
			if a.Reply == Yes {
				t.Errorf("%s: %q holds for an empty bundle", p.Name, a.Question)
			}
		}
	}
}

func walk(t *testing.T, name string, e Evidence) Walk {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p.Walk(e)
}

func reply(t *testing.T, w Walk, question string, want Reply, figure string) {
	t.Helper()
	for _, a := range w.Answers {
		if strings.Contains(a.Question, question) {
			if a.Reply != want || !strings.Contains(a.Figure, figure) {
				t.Errorf("%s: %+v, want %s with %q", w.Playbook, a, want, figure)
			}
			return
		}
	}
	t.Errorf("%s does not ask %q", w.Playbook, question)
}

func TestTailLatency(t *testing.T) {
	e := evidence(reading{metric.TTFT, "p99", .4}, reading{metric.TTFT, "mean", .105}, reading{metric.ServerQueueDepth, "value", 12})
	before := evidence(reading{metric.TTFT, "p99", .2}, reading{metric.TTFT, "mean", .1})
	e.Baseline = &before
	e.Requests = Requests{Measured: 1000, New: 30, DNSMax: 5e6}
	w := walk(t, "tail_latency_regression", e)
	if w.Symptom.Reply != Yes || !strings.Contains(w.Conclusion, "do requests queue") {
		t.Errorf("%+v", w)
	}
	reply(t, w, "queue in the server", Yes, "12 requests waited on average")
	reply(t, w, "connections opened", Yes, "30 of 1000")
	reply(t, w, "processors held back", Missing, "")
	e.Estimates.Rows = append(e.Estimates.Rows, reading{metric.E2E, "p99", .976}.row(), reading{metric.E2E, "p50", .142}.row())
	before.Estimates.Rows = append(before.Estimates.Rows, reading{metric.E2E, "p99", .141}.row(), reading{metric.E2E, "p50", .14}.row())
	if w = walk(t, "tail_latency_regression", e); w.Symptom.Reply != Yes || !strings.HasPrefix(w.Symptom.Figure, metric.E2E.Name+" at concurrency=8: p99 × 6.92, p50 × 1.01") {
		t.Errorf("answers that stall: %+v, want the tail of E2E, which grew most", w.Symptom)
	}
	e.Estimates.Rows, before.Estimates.Rows = e.Estimates.Rows[:3], before.Estimates.Rows[:2]
	before.Estimates.Rows[1].Value = .05 // the mean doubled as well: no tail problem
	if w = walk(t, "tail_latency_regression", e); w.Symptom.Reply != No || !strings.Contains(w.Conclusion, "does not show") {
		t.Errorf("%+v", w)
	}
}

func TestLowUtilisation(t *testing.T) {
	throttled, none := 3.0, 0.0
	e := evidence(reading{metric.GPUUtilisation, "value", .3})
	e.Client.Launches = []metric.ClientHealth{{Launch: 2, Throttled: &throttled, Retransmits: &none}}
	e.Split = map[int]breakdown.Breakdown{0: {Of: "step", Whole: []float64{1}, Parts: []breakdown.Part{{Name: "input", Class: breakdown.Input, Values: []float64{.4}}}}}
	w := walk(t, "low_gpu_utilization", e)
	if w.Symptom.Reply != Yes {
		t.Errorf("%+v", w.Symptom)
	}
	reply(t, w, "processors held back", Yes, "launch 3: held back for 3 s")
	reply(t, w, "loader", Yes, "40.0 % of the step")
	reply(t, w, "network stall", No, "no segment")
	reply(t, w, "storage", Advice, "probe")
	e.Training.Points = []overlap.Point{{Name: "ranks=2", Parts: []overlap.Part{{Name: "data", Estimate: stats.Estimate{Value: .001}, Share: .01}}}}
	e.Estimates.Rows = append(e.Estimates.Rows, metric.Row{Metric: metric.StepTime.ID, Statistic: "mean", Estimate: stats.Estimate{Value: .2}}, metric.Row{Metric: metric.StepTimeLoaded.ID, Statistic: "mean", Estimate: stats.Estimate{Value: .1}})
	w = walk(t, "low_gpu_utilization", e)
	reply(t, w, "storage", No, "1.0 %")
	reply(t, w, "input at hand", Yes, "2 times as fast")
	lost := 1.0
	e.Client.Launches[0].Retransmits = &lost
	reply(t, walk(t, "low_gpu_utilization", e), "network stall", No, "TCP segments sent again: 1 in")
}

// A straggler is whom the verdict of the training names; nothing else accuses a rank.
func TestStraggler(t *testing.T) {
	rank := 2
	e := evidence()
	e.Training.Points = []overlap.Point{{Name: "ranks=3", Ranks: 3, Verdict: overlap.Verdict{Limit: overlap.LimitNone, Text: "it is computing"}}}
	if got := walk(t, "distributed_straggler", e).Symptom; got.Reply != No || !strings.Contains(got.Figure, "it is computing") {
		t.Errorf("%+v, want no", got)
	}
	e.Training.Points[0].Verdict = overlap.Verdict{Limit: overlap.LimitSlowCompute, Rank: &rank, Text: "rank 2 computes slowly"}
	e.Manifest.Environment.Set("gpu.0.pcie_width", 8)
	e.Manifest.Environment.Set("gpu.0.pcie_width_max", 16)
	e.Manifest.Environment.Set("gpu.0.throttle_reasons", []string{"hw_thermal_slowdown"})
	walked := walk(t, "distributed_straggler", e)
	if walked.Symptom.Reply != Yes || walked.Symptom.Figure != "ranks=3: rank 2 computes slowly" {
		t.Errorf("%+v", walked.Symptom)
	}
	reply(t, walked, "taking the rank away", Advice, "--isolated RANK")
	e.Isolated = &isolation.Check{Rank: 2, Verdict: isolation.Restored}
	reply(t, walk(t, "distributed_straggler", e), "taking the rank away", Yes, "rank 2: restored")
	reply(t, walked, "PCIe link", Yes, "8 of 16")
	reply(t, walked, "throttled", Yes, "hw_thermal_slowdown")
	reply(t, walked, "fabric link", Missing, "error counters")
	e.Manifest.Environment.Set("gpu.0.nvlink_errors", 0)
	reply(t, walk(t, "distributed_straggler", e), "fabric link", No, "gpu.0.nvlink_errors is 0")
	far := record.Environment{}
	far.Set("rdma.mlx5_0.port1.path", "the port is 1: DOWN")
	e.Manifest.Nodes = []bundle.Node{{Name: "node7", Environment: far}}
	reply(t, walk(t, "distributed_straggler", e), "fabric link", Yes, "node7: rdma.mlx5_0.port1.path is the port is 1: DOWN")
}

func TestReadRequests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	if err != nil {
		t.Fatal(err)
	}
	dns := int64(3e6)
	if err := l.Requests.Append(record.Request{ID: 1, Phase: record.Measure, NewConn: true, DNS: &dns}, record.Request{ID: 2, Phase: record.Warmup, NewConn: true}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	requests, err := ReadRequests(b)
	if want := (Requests{Measured: 1, New: 1, DNSMax: 3e6}); err != nil || !reflect.DeepEqual(requests, want) {
		t.Errorf("requests %+v, %v; want %+v", requests, err, want)
	}
}

func TestBackpressure(t *testing.T) {
	e := evidence()
	start := time.Unix(0, 0)
	e.Manifest.Launches = []bundle.LaunchInfo{{Started: start, Ended: start.Add(time.Minute)}, {Started: start.Add(10 * time.Minute), Ended: start.Add(11 * time.Minute)}}
	exclusive := true
	e.Plan.Run.Spec.ExecutionPolicy.PublicationGrade.TopologyExclusiveScheduling = &exclusive
	w := walk(t, "scheduler_backpressure", e)
	if w.Symptom.Reply != Yes {
		t.Errorf("%+v", w.Symptom)
	}
	reply(t, w, "more constrained", Yes, "exclusive topology")
	e.Manifest.Environment.Set("scheduler.kind", "none")
	reply(t, walk(t, "scheduler_backpressure", e), "cluster's queue", No, "no scheduler")
}
