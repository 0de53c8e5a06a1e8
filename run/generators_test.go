package run

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/bundle"
	"assay/generator"
	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/search"
	"assay/spec"
	"assay/telemetry"
	"assay/tests/whole"
	"assay/train"
)

// goroutines starts load generators as goroutines of the test, which speak to their
// leader through real sockets and TLS.
type goroutines struct {
	mu     sync.Mutex
	cancel []context.CancelFunc
}

var _ launch.Launcher = (*goroutines)(nil)

func (g *goroutines) Start(ctx context.Context, job launch.Job) (launch.World, error) {
	w := &goroutineWorld{ended: make(chan launch.Exit, job.Ranks)}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cancel = nil
	for rank := range job.Ranks {
		credentials, err := generator.ParseCredentials(job.Input(rank))
		if err != nil {
			return nil, err
		}
		own, cancel := context.WithCancel(ctx)
		g.cancel = append(g.cancel, cancel)
		w.work.Go(func() {
			if Generate(own, credentials, GenerateOptions{Environ: os.Environ(), Tool: bundle.Tool{Name: "test", Version: "0"}}) != nil {
				w.ended <- launch.Exit{Rank: rank, Code: -1, Signal: "killed"}
			} else {
				w.ended <- launch.Exit{Rank: rank}
			}
		})
	}
	w.stop = slices.Clone(g.cancel)
	go func() {
		w.work.Wait()
		close(w.ended)
	}()
	return w, nil
}

// kill ends one generator at once.
func (g *goroutines) kill(number int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cancel[number]()
}

type goroutineWorld struct {
	ended chan launch.Exit
	stop  []context.CancelFunc
	work  sync.WaitGroup
}

func (w *goroutineWorld) Ended() <-chan launch.Exit { return w.ended }
func (w *goroutineWorld) PID(int) (int, bool)       { return 0, false }
func (w *goroutineWorld) Host(int) string           { return "" }
func (w *goroutineWorld) Stop(grace time.Duration) {
	ended := make(chan struct{})
	go func() {
		w.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return
	case <-time.After(grace):
	}
	for _, stop := range w.stop {
		stop()
	}
	<-ended
}

// carryOutDealt runs p with load generators and returns its sealed bundle.
func carryOutDealt(t *testing.T, p plan.Plan, starter launch.Launcher) (*bundle.Bundle, error) {
	t.Helper()
	host := telemetry.Local(t.Context())
	defer host.Close()
	result, runErr := Execute(t.Context(), p, Options{
		Source: []byte("test"), Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: host, Environ: os.Environ(),
		Generator: []string{"generator"}, Ranks: train.Tools{Launchers: map[string]launch.Launcher{spec.LaunchLocal: starter}},
	})
	if result == nil {
		return nil, runErr
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

func mustCarryOutDealt(t *testing.T, p plan.Plan) *bundle.Bundle {
	t.Helper()
	b, err := carryOutDealt(t, p, &goroutines{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// balanceOf is what became of the calls of the first point.
func balanceOf(t *testing.T, b *bundle.Bundle) (found Balance) {
	t.Helper()
	if err := json.Unmarshal([]byte(event(t, b, record.PointBalance).Detail), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// Three generators send one schedule: call k goes out from generator k mod 3, due at the
// stamp that the schedule has for it, to the nanosecond.
func TestGeneratorsKeepTheSchedule(t *testing.T) {
	t.Parallel()
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	b := mustCarryOutDealt(t, openPlan(t, url, "{rate: [60], duration: 1s, warmup: {}, calibrate: false, generators: 3}"))
	data, err := os.ReadFile(filepath.Join(b.Dir, "raw", "launch-00", "schedule-00.json"))
	if err != nil {
		t.Fatal(err)
	}
	var drawn struct {
		Gaps []int64 `json:"gaps"`
	}
	if err := json.Unmarshal(data, &drawn); err != nil {
		t.Fatal(err)
	}
	requests := rows[record.Request](t, b, bundle.Requests)
	slices.SortFunc(requests, func(a, b record.Request) int { return int(a.ID - b.ID) })
	due := requests[0].Due - drawn.Gaps[0]
	for i, r := range requests {
		if int(r.Shard) != int(r.ID%3) || r.Host == "" {
			t.Fatalf("request %d is of generator %d on %q", r.ID, r.Shard, r.Host)
		}
		if r.Phase != record.Measure {
			continue // load goes on until the last measured answer, at some a call longer
		}
		if r.ID != int64(i) {
			t.Fatalf("request %d is number %d", i, r.ID)
		}
		if i < len(drawn.Gaps) {
			if due += drawn.Gaps[i]; r.Due != due {
				t.Errorf("request %d was due at %d, want %d", i, r.Due, due)
			}
		}
		if r.Sent < r.Due || r.Done < r.Sent {
			t.Errorf("request %d: due %d, sent %d, done %d", i, r.Due, r.Sent, r.Done)
		}
	}
	if got := balanceOf(t, b); got.Begun != int64(len(requests)) || got.Completed+got.Cut != got.Begun { // the last ones may be cut
		t.Errorf("balance %+v of %d requests", got, len(requests))
	}
	list := rows[record.Generator](t, b, bundle.Generators)
	if len(list) != 3 {
		t.Fatalf("%d generators in the bundle, want 3", len(list))
	}
	for _, g := range list {
		if g.Verdict != record.GeneratorOK || g.Bound == nil || *g.Bound <= 0 || g.Requests == 0 || g.Received == 0 || g.Generators != 3 {
			t.Errorf("generator %+v", g)
		}
		// They run on this host: their clock is the leader's.
		if g.Offset == nil || max(*g.Offset, -*g.Offset) > *g.Bound {
			t.Errorf("generator %d: a clock of this host is %v ns off, within %d", g.Generator, g.Offset, *g.Bound)
		}
	}
	when := map[string]int{}
	for _, p := range rows[record.Ping](t, b, bundle.Pings) {
		when[p.When]++
	}
	if when[generator.Before] != 3*exchangesBefore || when[generator.After] != 3*exchangesAfter {
		t.Errorf("exchanges of stamps: %v", when)
	}
}

// Users are dealt out, and a generator without any waits for the others.
func TestGeneratorsOfUsers(t *testing.T) {
	t.Parallel()
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(5 * time.Millisecond)
		reply(w)
	})
	p := planOf(t, `workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
		target: {url: "`+url+`"}, load: {concurrency: [2, 5], duration: 300ms, warmup: {duration: 100ms}, calibrate: false, generators: 3}`)
	p.Launches = p.Launches[:1]
	b := mustCarryOutDealt(t, p)
	users := map[int32]map[int32]bool{0: {}, 1: {}}
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		users[r.Point][r.User] = true
		if r.User%3 != r.Shard {
			t.Fatalf("user %d is of generator %d", r.User, r.Shard)
		}
	}
	if len(users[0]) != 2 || len(users[1]) != 5 {
		t.Errorf("%d and %d users, want 2 and 5", len(users[0]), len(users[1]))
	}
	windows := map[string]int{}
	for _, e := range rows[record.Event](t, b, bundle.Events) {
		windows[e.Name]++
	}
	for _, name := range []string{record.PointBegin, record.WindowBegin, record.WindowEnd, record.WindowCollector, record.PointEnd} {
		if windows[name] != 2 {
			t.Errorf("%d events %s of 2 points", windows[name], name)
		}
	}
}

// A session is played by one generator, whole.
func TestGeneratorsOfSessions(t *testing.T) {
	t.Parallel()
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	for _, load := range []string{"concurrency: [4]", "rate: [20]"} {
		model := "closed_loop"
		if strings.HasPrefix(load, "rate") {
			model = "open_loop"
		}
		p := planOf(t, `workload: {model: m, concurrencyModel: `+model+`, session: {turns: 3}, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
			target: {url: "`+url+`"}, load: {`+load+`, duration: 400ms, warmup: {}, calibrate: false, generators: 2}`)
		p.Launches = p.Launches[:1]
		b := mustCarryOutDealt(t, p)
		owner := map[int64]int32{}
		for _, step := range rows[record.SessionStep](t, b, bundle.Sessions) {
			if shard, seen := owner[step.Session]; seen && shard != step.Shard || step.Session%2 != int64(step.Shard) {
				t.Errorf("%s: session %d has a step of generator %d", load, step.Session, step.Shard)
			}
			owner[step.Session] = step.Shard
		}
		if len(owner) < 2 {
			t.Errorf("%s: %d sessions were played", load, len(owner))
		}
	}
}

// The leader decides every step of a search, and the generators send it together.
func TestGeneratorsSearch(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	url := capacity(t, 10*time.Millisecond, time.Second) // 100 a second
	p := openPlan(t, url, "{search: {min: 10, max: 320, start: 40, resolution: 0.5, rounds: 2, probes: 6, confidence: 0.8}, duration: 1s, warmup: {}, calibrate: false, generators: 2}, slo: [{metric: error_rate, maxRatio: 0.1}]")
	b := mustCarryOutDealt(t, p)
	data, err := os.ReadFile(filepath.Join(b.Dir, "raw", "launch-00", search.File))
	var path search.Path
	if err != nil || json.Unmarshal(data, &path) != nil || len(path.Steps) == 0 {
		t.Fatalf("path of the search: %v: %.300s", err, data)
	}
	shards := map[int32]int{}
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		shards[r.Shard]++
	}
	if len(shards) != 2 {
		t.Errorf("requests by generator: %v", shards)
	}
}

// A generator that dies is named, the others are stopped, what all of them recorded by
// then is kept, and the launch is not called completed.
func TestLostGenerator(t *testing.T) {
	t.Parallel()
	started := &goroutines{}
	var once sync.Once
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { time.AfterFunc(300*time.Millisecond, func() { started.kill(1) }) })
		reply(w)
	})
	b, err := carryOutDealt(t, openPlan(t, url, "{rate: [100], duration: 30s, warmup: {}, calibrate: false, generators: 3}"), started)
	var lost *generator.LostError
	if !errors.As(err, &lost) || lost.Number != 1 || !strings.Contains(err.Error(), "load generator 1") {
		t.Fatalf("the run ended with %v", err)
	}
	info := b.Manifest.Launches[0]
	if info.Outcome != bundle.LaunchFailed || !strings.Contains(info.Reason, "load generator 1") {
		t.Errorf("the launch is %s: %s", info.Outcome, info.Reason)
	}
	if gone := event(t, b, record.GeneratorGone); !strings.Contains(gone.Detail, "load generator 1") {
		t.Errorf("event %+v", gone)
	}
	verdicts := map[int32]string{}
	for _, g := range rows[record.Generator](t, b, bundle.Generators) {
		verdicts[g.Generator] = g.Verdict
	}
	if verdicts[1] != record.GeneratorLost || verdicts[0] == record.GeneratorLost || verdicts[2] == record.GeneratorLost {
		t.Errorf("verdicts %v", verdicts)
	}
	if len(rows[record.Request](t, b, bundle.Requests)) == 0 {
		t.Error("nothing of what was recorded is kept")
	}
	if err := balanceOf(t, b).check(); err != nil {
		t.Error(err)
	}
}

// A queue that grows at all generators together ends the point of all of them.
func TestGeneratorsStopWhenSaturated(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	url := capacity(t, 50*time.Millisecond, time.Hour) // 20 a second
	b := mustCarryOutDealt(t, openPlan(t, url, "{rate: [200], duration: 6s, warmup: {}, stopWhenSaturated: true, calibrate: false, generators: 2}"))
	event(t, b, record.PointSaturated)
	if got := balanceOf(t, b); got.Cut == 0 {
		t.Errorf("balance %+v: want calls that were cut", got)
	}
}
