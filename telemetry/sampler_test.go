package telemetry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"assay/record"
)

// checkDeclared fails for a gauge that a source declares and does not read, and
// for one that it reads and does not declare.
func checkDeclared(t *testing.T, s Source, got []Reading) {
	t.Helper()
	for _, g := range s.Gauges {
		if !slices.ContainsFunc(got, func(r Reading) bool { return r.Name == g.Name }) {
			t.Errorf("%s declares %s and does not read it", s.ID, g.Name)
		}
	}
	for _, r := range got {
		if !slices.ContainsFunc(s.Gauges, func(g Gauge) bool { return g.Name == r.Name }) {
			t.Errorf("%s reads %s and does not declare it", s.ID, r.Name)
		}
	}
}

// machineReadings are values each source must find on the fake machine.
var machineReadings = map[string][]Reading{
	"threads": {{Name: "threads.runqueue.total", Value: 2.5}, {Name: "threads.involuntary.total", Value: 15}},
	"started": {{Name: "cpu.total", Value: 1 + 2.5 + 4}}, // ended ones, a server and its worker
	"receive": {{Name: "tcp.receive_pruned.total", Value: 12}, {Name: "tcp.listen_overflows.total", Value: 2}},
	"cpu": {
		{Name: "cpu.user.total", Value: 12}, {Name: "cpu.system.total", Value: 3.3}, {Name: "cpu.interrupts.total", Value: .3}, {Name: "cpu.steal.total", Value: 3.7},
		{Name: "context_switches.total", Value: 123456}, {Name: "processes.running", Value: 3},
	},
	"memory": {
		{Name: "memory.available", Value: 512 << 20}, {Name: "memory.swap.used", Value: 1 << 20}, {Name: "memory.swap.in.total", Value: 5},
	},
	"pressure": {
		{Name: "cpu.psi.some.avg10", Value: 0.125}, {Name: "cpu.psi.some.total", Value: 2.5}, {Name: "io.psi.full.avg10", Value: 0.005},
	},
	"load": {{Name: "load.avg1", Value: 1.5}, {Name: "load.avg5", Value: 0.75}},
	"network": {
		{Name: "net.received.total", Scope: "eth0", Value: 1000}, {Name: "net.sent.total", Scope: "eth0", Value: 3000},
		{Name: "net.dropped.total", Scope: "eth0", Value: 3}, {Name: "tcp.retransmits.total", Value: 42}, {Name: "tcp.time_wait", Value: 2},
	},
	"disks": {
		{Name: "disk.read.total", Scope: "nvme0n1", Value: 100 * 512}, {Name: "disk.written.total", Scope: "nvme0n1", Value: 200 * 512},
		{Name: "disk.requests.total", Scope: "nvme0n1", Value: 14}, {Name: "disk.busy.total", Scope: "nvme0n1", Value: 1.5},
	},
	"heat":       {{Name: "cpu.temperature", Value: 41.5}, {Name: "cpu.clock", Value: 3000}, {Name: "cpu.heat_throttles.total", Value: 7}},
	"throttling": {{Name: "cgroup.throttled.total", Value: 1.5}, {Name: "cgroup.throttled_periods.total", Value: 4}},
	"process": {
		{Name: "cpu.user.total", Value: 2.5}, {Name: "cpu.system.total", Value: 0.5}, {Name: "memory.resident", Value: 2 << 20},
		{Name: "runqueue.wait.total", Value: 2}, {Name: "files.open", Value: 3}, {Name: "switches.involuntary.total", Value: 12},
	},
	"runtime":    nil, // this process itself: see TestRuntime
	"gpu":        {{Name: "power", Scope: h200UUID, Value: 129.45}},
	"rapl":       {{Name: "rapl.energy.total", Scope: "package-0 (intel-rapl:0)", Value: 5}},
	"prometheus": nil, // pages of a server: see TestPrometheus
}

// TestSources is the conformance test: on a whole machine every declared gauge
// has its value; on an empty one every gauge is a null sample with one event.
func TestSources(t *testing.T) {
	for _, s := range All {
		t.Run(s.ID, func(t *testing.T) {
			want, ok := machineReadings[s.ID]
			if !ok {
				t.Fatal("every source needs its readings on the fake machine; add them to machineReadings")
			}
			for _, g := range s.Gauges {
				if g.Unit == "" || g.Doc == "" {
					t.Errorf("%s has unit %q and doc %q, want both", g.Name, g.Unit, g.Doc)
				}
			}
			h := fakeHost()
			h.GPUs = smi{answering(h200(t))}
			got, err := s.Open(h, Options{})(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s.ID != Prometheus.ID {
				checkDeclared(t, s, got)
			}
			for _, w := range want {
				if !slices.ContainsFunc(got, func(r Reading) bool {
					return r.Name == w.Name && r.Scope == w.Scope && r.Missing == "" && same(r.Value, w.Value)
				}) {
					t.Errorf("no reading %+v", w)
				}
			}
			checkEmptyHost(t, s)
			if _, err := s.Open(Host{Files: tree(garbage())}, Options{})(t.Context()); err != nil && err.Error() == "" {
				t.Error("garbage gives an error without words")
			}
		})
	}
}

func checkEmptyHost(t *testing.T, s Source) {
	t.Helper()
	if s.ID == Runtime.ID || s.ID == Prometheus.ID {
		return // neither reads the host
	}
	var samples []record.Sample
	var events []record.Event
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sink := Sink{
		Samples: func(b []record.Sample) { samples = append(samples, b...); cancel() }, // the next reading is the last
		Event:   func(e record.Event) { events = append(events, e) },
	}
	Sample(ctx, Host{Files: fstest.MapFS{}}, func() int64 { return 5 }, sink, Options{Sources: []Source{s}})
	if len(samples) != 2*len(s.Gauges) || len(events) != len(s.Gauges) {
		t.Errorf("empty host: got %d samples and %d events, want %d and %d", len(samples), len(events), 2*len(s.Gauges), len(s.Gauges))
	}
	for _, sample := range samples {
		if sample.Value != nil || sample.Unit == "" || sample.Source != s.Name {
			t.Errorf("empty host: got %+v, want null with unit and source", sample)
		}
	}
	for _, e := range events {
		if e.Name != "telemetry.unavailable" || e.At != 5 || !strings.Contains(e.Detail, ": ") {
			t.Errorf("empty host: got %+v, want the reason", e)
		}
	}
}

// counting is a source that counts its readings and fails at the third.
func counting(slow time.Duration) Source {
	return Source{
		ID: "count", Name: "host", Gauges: []Gauge{{"n", "1", "readings"}},
		Open: func(Host, Options) Reader {
			n := 0
			return func(ctx context.Context) ([]Reading, error) {
				select {
				case <-time.After(slow):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				n++
				if n == 3 {
					return nil, errors.New("third time unlucky")
				}
				return []Reading{{Name: "n", Value: float64(n)}}, nil
			}
		},
	}
}

func TestSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var ats []int64
		var values []float64
		var events []record.Event
		sink := Sink{
			Samples: func(b []record.Sample) {
				for _, s := range b {
					ats = append(ats, s.At)
					if s.Value != nil {
						values = append(values, *s.Value)
					}
				}
			},
			Event: func(e record.Event) { events = append(events, e) },
		}
		now := func() int64 { return time.Since(start).Nanoseconds() }
		stop := Start(t.Context(), Host{}, now, sink, Options{Sources: []Source{counting(0)}})
		time.Sleep(3500 * time.Millisecond)
		stop()
		second := int64(time.Second)
		if want := []int64{0, second, 2 * second, 3 * second, 3*second + second/2}; !slices.Equal(ats, want) {
			t.Errorf("read at %v, want %v", ats, want)
		}
		if want := []float64{1, 2, 4, 5}; !slices.Equal(values, want) {
			t.Errorf("values %v, want %v: a failed reading is null", values, want)
		}
		if len(events) != 1 || events[0].Detail != "host n: third time unlucky" {
			t.Errorf("events %+v, want one that names the gauge and the reason", events)
		}
	})
}

// A source that hangs delays neither the others nor the end.
func TestSampleSlowSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick, slow := counting(0), counting(time.Hour)
		slow.ID, slow.Name = "slow", "server"
		counts := map[string]int{}
		sink := Sink{Samples: func(b []record.Sample) { counts[b[0].Source]++ }}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		Sample(ctx, Host{}, func() int64 { return 0 }, sink, Options{Sources: []Source{quick, slow}, Interval: time.Second})
		if counts["host"] < 11 {
			t.Errorf("the quick source was read %d times in 10 s, want at least 11", counts["host"])
		}
		if took := time.Since(start); took > 10*time.Second+2*leastPatience {
			t.Errorf("ended after %v, want at most two readings after the context", took)
		}
	})
}

func TestRuntime(t *testing.T) {
	read := Runtime.Open(Host{}, Options{})
	got, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkDeclared(t, Runtime, got)
	i := slices.IndexFunc(got, func(r Reading) bool { return r.Name == "goroutines" })
	if got[i].Value < 1 {
		t.Errorf("goroutines = %v, want at least this one", got[i].Value)
	}
}

func TestUpperQuantile(t *testing.T) {
	buckets := []float64{0, 1, 2, 4}
	f := func(counts []uint64, q, want float64) {
		t.Helper()
		if got := upperQuantile(buckets, counts, q); got != want {
			t.Errorf("quantile %v of %v = %v, want %v", q, counts, got, want)
		}
	}
	f([]uint64{0, 0, 0}, 0.99, 0)
	f([]uint64{99, 1, 0}, 0.99, 1)
	f([]uint64{98, 1, 1}, 0.99, 2)
	f([]uint64{99, 0, 1}, 1, 4)
}

func TestRAPLGoesRound(t *testing.T) {
	files := tree(machine).(fstest.MapFS)
	read := RAPL.Open(Host{Files: files}, Options{})
	f := func(microjoules string, want float64) {
		t.Helper()
		files["sys/class/powercap/intel-rapl:0/energy_uj"] = &fstest.MapFile{Data: []byte(microjoules)}
		got, err := read(t.Context())
		if err != nil || len(got) != 1 || got[0].Value != want {
			t.Errorf("got %+v, %v; want %v J", got, err, want)
		}
	}
	f("7000000", 7)
	f("1000000", 9) // 8 J is the range: one more round
	f("2000000", 10)
	f("500000", 16.5)
}
