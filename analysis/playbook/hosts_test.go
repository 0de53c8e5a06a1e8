package playbook

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/collectives"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// sender is requests of a host that take times in ms, each so often.
func sender(host string, lag int64, times map[int64]int) Sender {
	s := Sender{Host: host, Time: Tally{}, Lag: Tally{}}
	for ms, n := range times {
		for range n {
			s.N++
			s.Time.add(ms * 1e6)
			s.Lag.add(lag)
		}
	}
	return s
}

func TestTally(t *testing.T) {
	s := sender("a", 1, map[int64]int{10: 980, 500: 20})
	for q, want := range map[float64]float64{.5: 10e6, .99: 500e6} {
		if got := s.Time.Quantile(q); got < .98*want || got > 1.02*want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if got := (Tally{}).Quantile(.5); got != 0 {
		t.Errorf("the quantile of nothing is %v", got)
	}
}

// A tail that is one host's is found there, and one that all share is not.
func TestTailOfOneHost(t *testing.T) {
	e := evidence()
	usual, slow := map[int64]int{10: 980, 50: 20}, map[int64]int{10: 980, 500: 20}
	e.Requests.Senders = []Sender{sender("a", 1, usual), sender("b", 1, slow)}
	reply(t, walk(t, "tail_latency_regression", e), "from one host", Yes, "from host b is")
	e.Requests.Senders = []Sender{sender("a", 1, slow), sender("b", 1, slow)}
	reply(t, walk(t, "tail_latency_regression", e), "from one host", No, "p99")
	e.Requests.Senders = e.Requests.Senders[:1]
	reply(t, walk(t, "tail_latency_regression", e), "from one host", Missing, "load.generators")
}

func TestStrainedGenerators(t *testing.T) {
	e := evidence()
	ask := func(want Reply, figure string) {
		t.Helper()
		reply(t, walk(t, "low_gpu_utilization", e), "load generator behind", want, figure)
	}
	ask(Missing, "load.generators")
	fine := record.Generator{Host: "a", Processors: 4, CPU: 2, Wall: 10, Verdict: record.GeneratorOK}
	busy := record.Generator{Generator: 1, Host: "b", Processors: 2, CPU: 18, Wall: 10, Verdict: record.GeneratorOK}
	e.Generators = []Generator{{0, fine}}
	ask(No, "5 % of its 4 processors")
	e.Generators = []Generator{{0, fine}, {0, busy}}
	ask(Yes, "load generator 1 on b used 90 %")
	fine.LongestPause = .05
	e.Generators = []Generator{{2, fine}}
	ask(Yes, "launch 3, load generator 0 on a stood still for 50")
	fine.LongestPause = 0
	e.Generators = []Generator{{0, fine}}
	e.Requests.Senders = []Sender{sender("a", 20e6, map[int64]int{10: 200})}
	ask(Yes, "host a sent its requests")
	fine.Verdict, fine.Error = record.GeneratorLost, "its process was killed"
	e.Generators = []Generator{{0, fine}}
	ask(Yes, "its process was killed")
}

// A straggler of collectives is named with its host, and whether all of that host are slow.
func TestStragglingHost(t *testing.T) {
	e := evidence()
	rank := func(n int, host string, own float64) collectives.Rank {
		return collectives.Rank{Rank: n, Host: host, Own: own, Outlier: own > 1.5}
	}
	e.Collectives.Ranks = []collectives.Rank{rank(0, "a", 1), rank(1, "a", 1), rank(2, "b", 2), rank(3, "b", 2.1)}
	w := walk(t, "distributed_straggler", e)
	if w.Symptom.Reply != Yes || !strings.Contains(w.Symptom.Figure, "rank 2 on b takes 2 times") {
		t.Errorf("%+v", w.Symptom)
	}
	reply(t, w, "whole host", Yes, "2 of the 2 ranks on host b stand out, and 0 elsewhere")
	e.Collectives.Ranks[3].Outlier = false
	reply(t, walk(t, "distributed_straggler", e), "whole host", No, "1 of the 2 ranks on host b")
}

func TestSlowSetOfHosts(t *testing.T) {
	e := evidence()
	row := metric.Row{Metric: metric.StepTime.ID, Statistic: "mean", Estimate: stats.Estimate{Value: 1}}
	for launch, value := range []float64{1, 1.5, 1.01, 1.49} {
		set := launch%2 + 1
		e.Manifest.Launches = append(e.Manifest.Launches, bundle.LaunchInfo{Index: launch, Set: set, Nodes: [][]string{1: {"a", "b"}, 2: {"c", "d"}}[set]})
		row.PerLaunch = append(row.PerLaunch, metric.LaunchValue{Launch: launch, Value: value})
	}
	e.Estimates.Rows = []metric.Row{row}
	w := walk(t, "distributed_straggler", e)
	reply(t, w, "set of hosts", Yes, "1.49 times as long on c, d as on a, b")
	if w.Symptom.Reply != Yes {
		t.Errorf("%+v", w.Symptom)
	}
}

func TestHostsThatDiffer(t *testing.T) {
	e := evidence()
	set := func(name string, value any) { e.Manifest.Environment.Set(name, value) }
	set("launcher.host.0.system", "Linux x86_64")
	set("launcher.host.1.system", "Linux x86_64")
	set("launcher.host.0.name", "a")
	set("launcher.host.1.name", "b")
	set("launcher.host.1.start_up_seconds", 3.0)
	reply(t, walk(t, "distributed_straggler", e), "differ in what they are", No, "1 facts of 2 hosts agree")
	set("launcher.host.1.system", "Linux aarch64")
	reply(t, walk(t, "distributed_straggler", e), "differ in what they are", Yes, "Linux aarch64 on host 1")
}

// What Slurm said of its queue answers for the scheduler.
func TestSchedulersQueue(t *testing.T) {
	e := evidence()
	set := func(name string, value any) { e.Manifest.Environment.Set(name, value) }
	set("scheduler.kind", "slurm")
	set("scheduler.job", "17")
	set("scheduler.queue_wait_seconds", 600.5)
	set("scheduler.pending_reasons", "Priority")
	set("scheduler.restarts", 0)
	for i, seconds := range []float64{1, 1.2, 9} {
		at := "launcher.host." + string(rune('0'+i))
		set(at+".name", "n"+string(rune('0'+i)))
		set(at+".start_up_seconds", seconds)
	}
	w := walk(t, "scheduler_backpressure", e)
	if w.Symptom.Reply != Yes || !strings.Contains(w.Conclusion, "to confirm: submit the same run") {
		t.Errorf("%+v", w)
	}
	reply(t, w, "cluster's queue", Yes, "slurm job 17 waited")
	reply(t, w, "asked for not to be had", No, "a full cluster")
	reply(t, w, "make hosts ready", Yes, "n2 took longest")
	reply(t, w, "take hosts back", No, "begun once")
	set("scheduler.pending_reasons", "Resources, ReqNodeNotAvail")
	reply(t, walk(t, "scheduler_backpressure", e), "asked for not to be had", Yes, "ReqNodeNotAvail")
	e.Manifest.Launches = []bundle.LaunchInfo{{Outcome: bundle.LaunchVoided, Reason: "Slurm has requeued the job"}}
	reply(t, walk(t, "scheduler_backpressure", e), "take hosts back", Yes, "requeued")
}

// Every step says where it looked and what would confirm it.
func TestStepsAreComplete(t *testing.T) {
	for _, p := range All {
		for _, a := range p.Walk(evidence()).Answers {
			if a.Looked == "" || a.Confirm == "" {
				t.Errorf("%s: %+v", p.Name, a)
			}
		}
	}
}

// The document says which playbooks are walked and which probes are looked for.
func TestDocumentDrives(t *testing.T) {
	e := evidence(reading{metric.ServerQueueDepth, "value", 3})
	e.Plan.Run.Spec.Observability.ScenarioPlaybooks = []string{"scheduler_backpressure", "of_their_own", "tail_latency_regression"}
	books, unknown := Asked(e.Plan)
	if len(books) != 2 || books[0].Name != "scheduler_backpressure" || len(unknown) != 1 || unknown[0] != "of_their_own" {
		t.Errorf("walks %v, unknown %v", books, unknown)
	}
	e.Plan.Run.Spec.BottleneckAnalysis.Taxonomy = []string{"control_plane_bound"}
	e.Plan.Run.Spec.BottleneckAnalysis.Instrumentation = map[string][]string{"control_plane_bound": {"queue_depth", "scheduler_timing", "crystal_ball"}, "comm_bound": {"nccl_traces"}}
	got := Instruments(e)
	if len(got) != 3 || got[0].Reply != Yes || got[1].Reply != Missing || !strings.Contains(got[2].Found, "knows no probe") {
		t.Errorf("instruments %+v", got)
	}
}

// The default probes of a document are all known.
func TestDefaultProbesAreKnown(t *testing.T) {
	for class, names := range defaults(t).BottleneckAnalysis().Instrumentation {
		for _, name := range names {
			if _, known := probes[name]; !known {
				t.Errorf("%s: %s is not known", class, name)
			}
		}
	}
}

func TestReadSenders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	if err != nil {
		t.Fatal(err)
	}
	one := record.Request{ID: 1, Phase: record.Measure, Host: "a", Due: 0, Sent: 1e6, Done: 20e6, Result: record.OK}
	failed := one
	failed.ID, failed.Host, failed.Result = 2, "b", record.Timeout
	if err := l.Requests.Append(one, failed); err != nil {
		t.Fatal(err)
	}
	if err := l.Generators.Append(record.Generator{Host: "a", Verdict: record.GeneratorOK}); err != nil {
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
	r, err := ReadRequests(b)
	if err != nil || len(r.Senders) != 2 || r.Senders[0].Host != "a" || r.Senders[1].Failed != 1 || len(r.Senders[1].Time) != 0 {
		t.Errorf("senders %+v, %v", r.Senders, err)
	}
	if list, err := ReadGenerators(b); err != nil || len(list) != 1 || list[0].Host != "a" {
		t.Errorf("generators %+v, %v", list, err)
	}
}

// defaults is the plan of the shortest document.
func defaults(t *testing.T) plan.Plan {
	t.Helper()
	doc, faults := spec.Parse("", []byte("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: d}\nspec:\n  workload: {model: m}\n  target: {url: \"http://127.0.0.1:1\"}\n  load: {concurrency: [1], duration: 1s}\n"))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
