package hardware

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

func testPlan(t *testing.T) plan.Plan {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: none}, probe: {probes: [memory, cache, matmul, roofline, network, disk]}}}`))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sealed is a bundle of so many launches with what fill writes into each.
func sealed(t *testing.T, p plan.Plan, launches int, env record.Environment, fill func(launch int, l *bundle.Launch) error) Report {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := p.Encode()
	must(err)
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: encoded})
	must(err)
	must(w.SetEnvironment(env))
	for i := range launches {
		l, err := w.StartLaunch(bundle.LaunchStart{Index: i, Clock: record.ClockID})
		must(err)
		must(fill(i, l))
		must(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	}
	_, err = w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{})
	must(err)
	b, err := bundle.Open(dir)
	must(err)
	r, err := Read(b, p)
	must(err)
	return r
}

// trial is a replicate that took so many microseconds.
func trial(probe, variant string, us int64) record.Trial {
	return record.Trial{Phase: record.Measure, Probe: probe, Variant: variant, Start: 0, End: us * 1000, Loops: 2, Threads: 1, Operations: 2}
}

func row(t *testing.T, r Report, probe, variant string) Row {
	t.Helper()
	at := slices.IndexFunc(r.Rows, func(r Row) bool { return r.Probe == probe && r.Variant == variant })
	if at < 0 {
		t.Fatalf("no row %s %s in %+v", probe, variant, r.Rows)
	}
	return r.Rows[at]
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*math.Abs(want) }

// Launches replicate: each gives its median, and warm-up is no part of it.
func TestRows(t *testing.T) {
	r := sealed(t, testPlan(t), 3, nil, func(launch int, l *bundle.Launch) error {
		for i, us := range []int64{1000, 1000, 5000} {
			one := trial("memory", "triad", us+int64(launch)*10)
			one.Seq, one.Bytes = int64(i), 1_000_000
			if err := l.Trials.Append(one); err != nil {
				return err
			}
		}
		warm := trial("memory", "triad", 1)
		warm.Phase, warm.Bytes = record.Warmup, 1_000_000
		return l.Trials.Append(warm)
	})
	got := row(t, r, "memory", "triad")
	want := (1/1000e-6 + 1/1010e-6 + 1/1020e-6) * 1e6 / 3
	if got.What != Bandwidth || got.N != 3 || got.Samples != 9 || !near(got.Value, want) || !got.Interval.Contains(want) {
		t.Errorf("got %+v, want %v over 3 launches", got, want)
	}
}

// One launch has the interval of its replicates, and says so; single operations have
// a p99 where there are enough of them.
func TestOneLaunch(t *testing.T) {
	r := sealed(t, testPlan(t), 1, nil, func(_ int, l *bundle.Launch) error {
		var rows []record.Trial
		for i := range int64(400) {
			one := trial("network", "round trip", 100+i*37%100)
			one.Seq, one.Loops, one.Operations = i, 1, 1
			rows = append(rows, one)
		}
		return l.Trials.Append(rows...)
	})
	got := row(t, r, "network", "round trip")
	if got.What != Latency || !near(got.Value, 149e-6) || !got.Interval.Bounded() || got.P99 == nil || !near(*got.P99, 198e-6) || !slices.Contains(got.Warnings, OneLaunch) {
		t.Errorf("got %+v (p99 %v)", got, got.P99)
	}
}

func TestLevels(t *testing.T) {
	ladder := func(latencies ...float64) (rows []Row) {
		size := int64(4 << 10)
		for _, v := range latencies {
			one := Row{Probe: "cache", Size: size}
			one.best = v * 1e-9
			rows = append(rows, one)
			size *= 2
		}
		return rows
	}
	got := levels(ladder(1, 1, 1, 1, 2.5, 4, 4, 4, 4.2, 9, 20, 21, 22, 40, 80, 82), map[string]int64{"L1": 32 << 10, "L2": 1 << 20, "L3": 16 << 20})
	var text []string
	for _, l := range got {
		text = append(text, l.Name)
	}
	if strings.Join(text, " ") != "L1 L2 L3 memory" || got[0].Size != 32<<10 || got[1].Size != 1<<20 || got[2].Size != 16<<20 || *got[2].Stated != 16<<20 {
		t.Errorf("levels %+v", got)
	}
	if !near(got[0].Latency, 1e-9) || !near(got[2].Latency, 21e-9) || got[3].Stated != nil {
		t.Errorf("levels %+v", got)
	}
	if got := levels(ladder(1, 1, 80, 80), nil); len(got) != 2 || got[1].Name != "memory" {
		t.Errorf("without a statement: %+v", got)
	}
	if got := levels(ladder(1, 1, 3, 3, 9, 9), map[string]int64{"L1": 8 << 10, "L2": 1 << 20}); len(got) != 2 || got[1].Name != "L2" || got[1].Size != 128<<10 || !near(got[1].Latency, 3e-9) {
		t.Errorf("two plateaus in one cache: %+v", got)
	}
	if got := levels(nil, nil); got != nil {
		t.Errorf("no ladder: %+v", got)
	}
}

func TestRoofline(t *testing.T) {
	flop := func(probe, variant string, flop float64, bytes int64) record.Trial {
		one := trial(probe, variant, 1000)
		one.FLOP, one.Bytes = &flop, bytes
		switch probe {
		case "roofline":
			one.Point = 3
		case "matmul":
			one.Point = 2
		}
		return one
	}
	r := sealed(t, testPlan(t), 1, nil, func(_ int, l *bundle.Launch) error {
		memory := trial("memory", "copy", 1000)
		memory.Bytes = 1e7 // 10 GB/s
		return l.Trials.Append(memory, flop("roofline", "peak", 1e8, 100), flop("roofline", "1 FLOP/B", 8e6, 8e6), flop("roofline", "16 FLOP/B", 9e7, 5.625e6), flop("matmul", "float64", 4e7, 0))
	})
	if r.Roofline == nil || !near(r.Roofline.Peak, 1e11) || !near(r.Roofline.Memory, 1e10) || !near(r.Roofline.Ridge, 10) || len(r.Roofline.Points) != 2 {
		t.Fatalf("roofline %+v", r.Roofline)
	}
	if p := r.Roofline.Points[0]; !near(p.Roof, 1e10) || !near(p.Reached, 8e9) {
		t.Errorf("point %+v", p)
	}
	if p := r.Roofline.Points[1]; !near(p.Roof, 1e11) {
		t.Errorf("point %+v", p)
	}
	if !slices.ContainsFunc(r.Findings, finds("H06")) {
		t.Errorf("a product at 40 %% of the peak is not found: %+v", r.Findings)
	}
}

func TestTraffic(t *testing.T) {
	env := record.Environment{}
	env.Set("net.eth0.mtu", 9000)
	env.Set("net.eth0.speed_mbps", 10000)
	r := sealed(t, testPlan(t), 2, env, func(_ int, l *bundle.Launch) error {
		at := func(second int64, name, scope string, v float64) record.Sample {
			return record.Sample{At: second * 1e9, Source: "host", Name: name, Scope: scope, Value: &v}
		}
		return l.Samples.Append(
			at(0, "net.sent.total", "eth0", 1000), at(1, "net.sent.total", "eth0", 3000), at(2, "net.sent.total", "eth0", 3500),
			at(0, "net.dropped.total", "eth0", 5), at(1, "net.dropped.total", "eth0", 9),
			at(0, "net.sent.total", "idle", 7), at(1, "net.sent.total", "idle", 7),
			at(0, "tcp.retransmits.total", "", 10), at(2, "tcp.retransmits.total", "", 12),
		)
	})
	if len(r.Network) != 1 {
		t.Fatalf("interfaces %+v, want eth0 alone", r.Network)
	}
	f := r.Network[0]
	if f.Name != "eth0" || f.Sent != 5000 || f.PeakOut != 2000 || f.Dropped != 8 || f.MTU != 9000 || *f.Speed != 1.25e9 || *f.Retransmits != 4 {
		t.Errorf("got %+v", f)
	}
	if !slices.ContainsFunc(r.Findings, finds("H09")) {
		t.Errorf("dropped packets are not found: %+v", r.Findings)
	}
}
