package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/bundle"
	"assay/generator"
	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/run"
	"assay/spec"
	"assay/telemetry"
	"assay/tests/program"
	"assay/tests/whole"
	"assay/train"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// Hosts that are not hosts: a network namespace each, behind a link of 50 Mbit/s, and a
// clock that is ahead of this one's.
type host struct {
	name  string
	ahead time.Duration
}

// anyHost is the address of this host that every namespace has a way to.
const anyHost = "10.77.255.1"

// tool builds a program in C, or skips the test.
func tool(t *testing.T, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	if out, err := exec.Command("cc", "-O2", "-static", "-o", path, source, "-lm").CombinedOutput(); err != nil {
		t.Skipf("no C compiler (make test installs one): %v: %s", err, out)
	}
	return path
}

// ip runs a command of iproute2.
func ip(t *testing.T, args ...string) error {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// namespaces makes the hosts, or skips the test where that is not allowed.
func namespaces(t *testing.T, ahead ...time.Duration) []host {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network and time namespaces need root: run it as root")
	}
	if err := ip(t, "ip", "addr", "replace", anyHost+"/32", "dev", "lo"); err != nil {
		t.Skipf("this host makes no network namespaces and shaped links, for which iproute2 and root are needed: %v", err)
	}
	t.Cleanup(func() { _ = ip(t, "ip", "addr", "del", anyHost+"/32", "dev", "lo") })
	var hosts []host
	for i, by := range ahead {
		h := host{fmt.Sprintf("assay-%d-%d", os.Getpid(), i), by}
		if err := ip(t, "ip", "netns", "add", h.name); err != nil {
			t.Skipf("this host makes no network namespaces and shaped links, for which iproute2 and root are needed: %v", err)
		}
		t.Cleanup(func() { _ = ip(t, "ip", "netns", "del", h.name) })
		near, far, net := fmt.Sprintf("agn%d-%d", os.Getpid(), i), fmt.Sprintf("agf%d", i), fmt.Sprintf("10.77.%d.", i)
		for _, args := range [][]string{
			{"ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", h.name},
			{"ip", "addr", "add", net + "1/30", "dev", near},
			{"ip", "link", "set", near, "up"},
			{"ip", "-n", h.name, "addr", "add", net + "2/30", "dev", far},
			{"ip", "-n", h.name, "link", "set", "lo", "up"},
			{"ip", "-n", h.name, "link", "set", far, "up"},
			{"ip", "-n", h.name, "route", "add", "default", "via", net + "1"},
			{"tc", "qdisc", "add", "dev", near, "root", "tbf", "rate", "50mbit", "burst", "64kb", "latency", "50ms"},
			{"tc", "-n", h.name, "qdisc", "add", "dev", far, "root", "tbf", "rate", "50mbit", "burst", "64kb", "latency", "50ms"},
		} {
			if err := ip(t, args...); err != nil {
				t.Skipf("this host makes no network namespaces and shaped links, for which iproute2 and root are needed: %v", err)
			}
		}
		hosts = append(hosts, h)
	}
	return hosts
}

// shiftedHosts starts each generator on a host of its own.
type shiftedHosts struct {
	shifted string // the program that shifts clocks
	hosts   []host

	mu     sync.Mutex
	worlds []launch.World
}

var _ launch.Launcher = (*shiftedHosts)(nil)

func (s *shiftedHosts) Start(ctx context.Context, job launch.Job) (launch.World, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worlds = nil
	for rank, h := range s.hosts[:job.Ranks] {
		one := job
		one.Ranks, one.Namespaces = 1, []string{h.name}
		one.Input = func(int) []byte { return job.Input(rank) }
		one.Log = nil
		if h.ahead != 0 {
			one.Wrap = []string{s.shifted, strconv.FormatInt(int64(h.ahead/time.Second), 10), strconv.FormatInt(int64(h.ahead%time.Second), 10)}
		}
		w, err := launch.Local{}.Start(ctx, one)
		if err != nil {
			return nil, err
		}
		s.worlds = append(s.worlds, w)
	}
	return newApart(s.worlds), nil
}

// kill ends the processes of one generator.
func (s *shiftedHosts) kill(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worlds[number].Stop(0)
}

// apart is one world of several.
type apart struct {
	worlds []launch.World
	ended  chan launch.Exit
}

func newApart(worlds []launch.World) *apart {
	a := &apart{worlds, make(chan launch.Exit, len(worlds))}
	var waiting sync.WaitGroup
	for rank, w := range worlds {
		waiting.Go(func() {
			for exit := range w.Ended() {
				exit.Rank, exit.Asked = rank, false
				a.ended <- exit
			}
		})
	}
	go func() {
		waiting.Wait()
		close(a.ended)
	}()
	return a
}

func (a *apart) Ended() <-chan launch.Exit { return a.ended }
func (a *apart) PID(int) (int, bool)       { return 0, false }
func (a *apart) Host(int) string           { return "" }
func (a *apart) Stop(grace time.Duration) {
	for _, w := range a.worlds {
		w.Stop(grace)
	}
}

// lead makes one launch of document with generators on hosts.
func lead(t *testing.T, document string, starter launch.Launcher) (*bundle.Bundle, error) {
	t.Helper()
	parsed, faults := spec.Parse("", []byte(document))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*parsed.Run)
	if err != nil {
		t.Fatal(err)
	}
	p.Launches = p.Launches[:1]
	here := telemetry.Local(t.Context())
	defer here.Close()
	assay := program.Path(t)
	version, err := exec.Command(assay, "version", "--json").Output()
	var says struct{ Version string }
	if err != nil || json.Unmarshal(version, &says) != nil || says.Version == "" {
		t.Fatalf("%v: %s", err, version)
	}
	result, runErr := run.Execute(t.Context(), p, run.Options{
		Source: []byte(document), Out: t.TempDir(), Tool: bundle.Tool{Name: "assay", Version: says.Version}, Environ: os.Environ(), Now: time.Now(), Host: here,
		Generator: []string{assay, "generator"}, Ranks: train.Tools{Launchers: map[string]launch.Launcher{spec.LaunchLocal: starter}},
	})
	if result == nil {
		t.Fatal(runErr)
	}
	if _, err := result.Bundle.Seal(t.Context(), result.Status, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(result.Bundle.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return b, runErr
}

func rowsOf[T any](t *testing.T, b *bundle.Bundle, table string) (list []T) {
	t.Helper()
	for row, err := range bundle.Rows[T](b, 0, table) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// Four generators in network namespaces behind shaped links, with clocks up to 5,000 s
// apart, are one load generator: they keep one schedule, and their stamps are those of the
// truth server's own clock within the bounds that the bundle states. One that is killed is
// named.
func TestGeneratorsAgainstTheTruth(t *testing.T) {
	whole.Only(t)
	hosts := namespaces(t, 0, 5000*time.Second, 40*time.Millisecond, 5000*time.Second+40*time.Millisecond)
	starter := &shiftedHosts{shifted: tool(t, "native/shifted.c"), hosts: hosts}
	o := options{server: tool(t, "native/server.c"), address: anyHost, answer: schedule{ttft: 30 * time.Millisecond, gap: 5 * time.Millisecond, tokens: 10, jitter: .3, seed: 1}}
	server, err := startServer(t.Context(), o, place{server: -1})
	if err != nil {
		t.Fatal(err)
	}
	document := func(duration string) string {
		return fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: hosts}, spec: {
			workload: {model: truth, concurrencyModel: open_loop, sequenceLengthMix: [{inputTokens: 32, outputTokens: 10, weight: 1}]},
			target: {url: %q}, load: {rate: [100], duration: %s, warmup: {duration: 1s}, calibrate: false, generators: 4, launch: {kind: local, address: %s, hangTimeout: 30s}}}}`,
			server.url, duration, anyHost)
	}
	b, err := lead(t, document("5s"), starter)
	if err != nil {
		t.Fatal(err)
	}
	killed := time.AfterFunc(4*time.Second, func() { starter.kill(2) })
	defer killed.Stop()
	partial, lostErr := lead(t, document("60s"), starter)
	truth, err := server.answers()
	if err != nil {
		t.Fatal(err)
	}
	checkSchedule(t, b)
	checkStamps(t, b, truth, hosts)
	checkLost(t, partial, lostErr)
}

// checkSchedule wants every request due when the schedule says, to the nanosecond.
func checkSchedule(t *testing.T, b *bundle.Bundle) {
	t.Helper()
	var drawn struct {
		Gaps []int64 `json:"gaps"`
	}
	data, err := os.ReadFile(filepath.Join(b.Dir, "raw", "launch-00", "schedule-00.json"))
	if err != nil || json.Unmarshal(data, &drawn) != nil {
		t.Fatal(err)
	}
	requests := rowsOf[record.Request](t, b, bundle.Requests)
	slices.SortFunc(requests, func(a, b record.Request) int { return int(a.ID - b.ID) })
	if len(requests) < len(drawn.Gaps) {
		t.Fatalf("%d requests of %d in the schedule", len(requests), len(drawn.Gaps))
	}
	due := requests[0].Due - drawn.Gaps[0]
	var planned, offered []int64
	var late []float64
	for i, gap := range drawn.Gaps {
		due += gap
		r := requests[i]
		if r.Due != due || int(r.Shard) != i%4 || r.Sent < r.Due {
			t.Fatalf("request %d of generator %d was due at %d and sent at %d, want %d", i, r.Shard, r.Due, r.Sent, due)
		}
		planned, offered = append(planned, due), append(offered, r.Sent)
		late = append(late, float64(r.Sent-r.Due)/1e3)
	}
	slices.Sort(late)
	t.Logf("index of dispersion of 200 ms: planned %.3f, sent %.3f; due to sent p50 %.0f us, p99 %.0f us",
		dispersion(planned), dispersion(offered), late[len(late)/2], late[len(late)*99/100])
}

// dispersion is the variance of the counts in bins of 200 ms over their mean.
func dispersion(at []int64) float64 {
	counts := make([]float64, (at[len(at)-1]-at[0])/200e6+1)
	for _, stamp := range at {
		counts[min(len(counts)-1, int(max(0, stamp-at[0])/200e6))]++
	}
	mean, square := 0., 0.
	for _, n := range counts {
		mean += n / float64(len(counts))
	}
	for _, n := range counts {
		square += (n - mean) * (n - mean) / float64(len(counts)-1)
	}
	return square / mean
}

// checkStamps holds every stamp against the server's own log. No stamp may be earlier
// than the server's by more than the stated bound, whatever the machine does; and of so
// many, one has no delay worth the name, which a clock that is 40 ms off would.
func checkStamps(t *testing.T, b *bundle.Bundle, truth answers, hosts []host) {
	t.Helper()
	epoch := b.Launches()[0].EpochNS
	bounds := map[int32]int64{}
	for _, g := range rowsOf[record.Generator](t, b, bundle.Generators) {
		ahead := int64(hosts[g.Generator].ahead)
		if off := *g.Offset - ahead; max(off, -off) > *g.Bound {
			t.Errorf("generator %d: offset %d, want %d within %d", g.Generator, *g.Offset, ahead, *g.Bound)
		}
		t.Logf("generator %d: clock %v ahead, known within %v; %d requests, %d bytes to the leader", g.Generator, time.Duration(*g.Offset), time.Duration(*g.Bound), g.Requests, g.Received)
		bounds[g.Generator] = *g.Bound
	}
	first := map[int64]int64{}
	for _, c := range rowsOf[record.Chunk](t, b, bundle.Chunks) {
		if at, seen := first[c.Request]; c.Kind.Output() && (!seen || c.At < at) {
			first[c.Request] = c.At
		}
	}
	least := map[int32]int64{}
	var ours, theirs []float64
	worst := int64(0)
	for _, r := range rowsOf[record.Request](t, b, bundle.Requests) {
		if r.Result == record.Cut {
			continue // under way when the point ended
		}
		answer, ok := truth[r.ServerID]
		if !ok || r.Result != record.OK {
			t.Fatalf("request %d: %s %s, which the server does not know", r.ID, r.Result, r.ServerID)
		}
		received, written := answer.received-epoch, answer.events[0].written-epoch
		delay := first[r.ID] - written
		if bound := bounds[r.Shard]; delay < -bound || received < r.Sent-bound {
			t.Errorf("request %d of generator %d: sent %d, received %d, written %d, seen %d: the bound is %d", r.ID, r.Shard, r.Sent, received, written, first[r.ID], bound)
		}
		if before, seen := least[r.Shard]; !seen || delay < before {
			least[r.Shard] = delay
		}
		ours, theirs = append(ours, float64(first[r.ID]-r.Due)), append(theirs, float64(written-r.Due))
		worst = max(worst, delay)
	}
	for shard, delay := range least {
		if delay > int64(20*time.Millisecond) {
			t.Errorf("generator %d never saw a token less than %v after it was written", shard, time.Duration(delay))
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	for _, q := range []float64{.5, .9, .99} {
		at := int(math.Ceil(q*float64(len(ours)))) - 1
		t.Logf("p%g of TTFT of all generators: %.3f ms, by the server's log %.3f ms", 100*q, ours[at]/1e6, theirs[at]/1e6)
		if d := ours[at] - theirs[at]; d < -float64(slices.Max(slices.Collect(mapValues(bounds)))) || d > float64(worst) {
			t.Errorf("p%g: %.3f ms and %.3f ms in the server's log", 100*q, ours[at]/1e6, theirs[at]/1e6)
		}
	}
}

func mapValues(m map[int32]int64) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// checkLost wants the killed generator named, and what was recorded kept.
func checkLost(t *testing.T, b *bundle.Bundle, err error) {
	t.Helper()
	var lost *generator.LostError
	if !errors.As(err, &lost) || lost.Number != 2 {
		t.Errorf("the run without generator 2 ended with %v", err)
	}
	if info := b.Launches()[0]; info.Outcome != bundle.LaunchFailed || !strings.Contains(info.Reason, "load generator 2") {
		t.Errorf("its launch: %s, %s", info.Outcome, info.Reason)
	}
	if len(rowsOf[record.Request](t, b, bundle.Requests)) == 0 {
		t.Error("nothing was kept")
	}
}
