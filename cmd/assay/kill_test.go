package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"assay/bundle"
	"assay/record"
	"assay/sim"
	"assay/tests/whole"
)

// maxLoss is how much of a killed run may be missing.
const maxLoss = time.Second

// A killed run is one that was ended by SIGKILL, and when.
type killedRun struct {
	id  string // its x-request-id, by which the truth log knows it
	dir string // empty when it was killed before it had a bundle
	at  int64  // CLOCK_MONOTONIC

	underway bool // its first launch is waited for, however busy the machine is
}

// TestKilled kills real runs at random moments. Whatever the moment, the bundle
// can be recovered, verified and read, and it holds every request that the
// server finished more than a second before the kill. ASSAY_KILLS sets how many;
// make kills makes 200.
func TestKilled(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	kills, err := strconv.Atoi(os.Getenv("ASSAY_KILLS"))
	if err != nil {
		kills = 6
	}
	dir := t.TempDir()
	url, stop := startTruth(t, filepath.Join(dir, "truth.csv"))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))

	work := make(chan killedRun)
	var mu sync.Mutex
	var runs []killedRun
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for r := range work {
				if err := killOne(t, dir, url, &r); err != nil {
					t.Errorf("%s: %v", r.id, err)
				}
				mu.Lock()
				runs = append(runs, r)
				mu.Unlock()
			}
		})
	}
	for i := range kills {
		// A run takes some seven seconds; some kills come too late, and find a
		// sealed bundle.
		r := killedRun{id: fmt.Sprintf("kill-%d", i), at: rng.Int64N(int64(7500 * time.Millisecond)), underway: i%2 == 1}
		if r.underway {
			r.at = max(r.at, int64(2*time.Second))
		}
		work <- r
	}
	close(work)
	workers.Wait()
	stop()
	checkLosses(t, filepath.Join(dir, "truth.csv"), runs)
}

// startTruth serves the simulator and writes its truth log to path.
func startTruth(t *testing.T, path string) (url string, stop func()) {
	t.Helper()
	truth, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	server, err := sim.New(sim.Config{Truth: truth, Fixed: &sim.Fixed{TTFT: 20 * time.Millisecond, ITL: 2 * time.Millisecond, Tokens: 20}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends with Close
	return "http://" + listener.Addr().String(), func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
		if err := truth.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killOne starts a run, kills it after r.at and recovers its bundle. On return
// r.at is the time of the kill.
func killOne(t *testing.T, dir, url string, r *killedRun) error {
	out := filepath.Join(dir, r.id)
	specFile := filepath.Join(dir, r.id+".yaml")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: %s},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 20, weight: 1}]},
  target: {url: %q, headers: {x-request-id: %s}}, load: {calibrate: false, concurrency: [4], duration: 2s, warmup: {duration: 200ms}}}}`, r.id, url, r.id)
	if err := os.WriteFile(specFile, []byte(text), 0o644); err != nil {
		return err
	}
	cmd := program(t.Context(), "run", specFile, "--out", out)
	if err := cmd.Start(); err != nil {
		return err
	}
	for begun := []string(nil); r.underway && len(begun) == 0 && t.Context().Err() == nil; time.Sleep(10 * time.Millisecond) {
		begun, _ = filepath.Glob(filepath.Join(out, "[^.]*", "raw", "launch-00"))
	}
	time.Sleep(time.Duration(r.at))
	if err := cmd.Process.Kill(); err != nil && !strings.Contains(err.Error(), "already finished") {
		return err
	}
	r.at = monotonic()
	_ = cmd.Wait()                                             // killed: its error says nothing new
	bundles, err := filepath.Glob(filepath.Join(out, "[^.]*")) // one that has no name yet holds nothing
	if err != nil || len(bundles) == 0 {
		return err
	}
	r.dir = bundles[0]
	if stdout, stderr, code := call(t, "recover", r.dir); code != exitOK {
		return fmt.Errorf("recover: exit %d: %s %s", code, stdout, stderr)
	}
	if stdout, stderr, code := call(t, "verify", r.dir); code != exitOK {
		return fmt.Errorf("verify: exit %d: %s %s", code, stdout, stderr)
	}
	if stdout, stderr, code := call(t, "report", r.dir); code != exitOK {
		return fmt.Errorf("report: exit %d: %s %s", code, stdout, stderr)
	}
	return nil
}

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// checkLosses compares every recovered bundle with what the server knows.
func checkLosses(t *testing.T, truthFile string, runs []killedRun) {
	t.Helper()
	finished := map[string]map[string]int64{} // by run, when the server sent the end of each request
	for _, e := range readTruth(t, truthFile) {
		if e.kind != "done" {
			continue
		}
		if finished[e.client] == nil {
			finished[e.client] = map[string]int64{}
			continue // the request before the run, which is no part of it
		}
		finished[e.client][e.request] = e.sent
	}
	recovered, checked := 0, 0
	for _, r := range runs {
		if r.dir == "" {
			continue
		}
		recovered++
		kept := map[string]bool{}
		b, err := bundle.Open(r.dir)
		if err != nil {
			t.Errorf("%s: %v", r.id, err)
			continue
		}
		for _, l := range b.Launches() {
			for row, err := range bundle.Rows[record.Request](b, l.Index, bundle.Requests) {
				if err != nil {
					t.Errorf("%s: %v", r.id, err)
					break
				}
				kept[row.ServerID] = true
			}
		}
		for id, at := range finished[r.id] {
			if at > r.at-int64(maxLoss) {
				continue
			}
			checked++
			if !kept[id] {
				t.Errorf("%s: request %s ended %v before the kill and is lost", r.id, id, time.Duration(r.at-at))
			}
		}
	}
	t.Logf("%d runs killed, %d had a bundle, %d requests had to be in them", len(runs), recovered, checked)
	if checked == 0 {
		t.Error("no request was old enough to be checked: the test proves nothing")
	}
}
