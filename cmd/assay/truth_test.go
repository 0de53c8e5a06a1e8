package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/tests/whole"
)

// Every stamp of the client is compared with the stamp that the server took when
// it sent the same event, on the same clock: none may be earlier, or the clock's
// epoch is wrong, and most must be close. The bound is wide because the machine
// is shared; the figures are logged.
func TestStampsAgainstTruth(t *testing.T) {
	whole.Only(t)
	dir := t.TempDir()
	truth := filepath.Join(dir, "truth.csv")
	url, stop := startTruth(t, truth)
	specFile := filepath.Join(dir, "truth.yaml")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: truth},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 20, weight: 1}]},
  target: {url: %q}, load: {calibrate: false, concurrency: [8], duration: 1s, warmup: {}}}}`, url)
	if err := os.WriteFile(specFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "runs")
	if stdout, stderr, code := call(t, "run", specFile, "--out", out); code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	stop()
	sent := map[string][]int64{} // by request, when the server sent each token
	for _, e := range readTruth(t, truth) {
		if e.kind == "token" {
			sent[e.request] = append(sent[e.request], e.sent)
		}
	}
	late := lateness(t, onlyBundle(t, out), sent)
	if len(late) < 1000 {
		t.Fatalf("only %d events could be compared", len(late))
	}
	slices.Sort(late)
	at := func(q float64) time.Duration { return time.Duration(late[int(q*float64(len(late)-1))]) }
	t.Logf("%d events: stamped p50 %v, p99 %v after the server sent them", len(late), at(.5), at(.99))
	// The kernel's stamps are of another clock, and a busy host parts the two readings
	// that join them.
	if at(0) < -100*time.Microsecond {
		t.Errorf("an event was stamped %v before the server sent it", -at(0))
	}
	if at(.5) > 20*time.Millisecond {
		t.Errorf("half of the events were stamped more than %v late", at(.5))
	}
}

// A truthEvent is one event as the server's truth log tells it.
type truthEvent struct {
	request, client, kind string
	sent                  int64 // CLOCK_MONOTONIC
}

func readTruth(t *testing.T, path string) []truthEvent {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	var events []truthEvent
	for _, row := range rows[1:] {
		sent, err := strconv.ParseInt(row[column("sent_ns")], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, truthEvent{row[column("request")], row[column("client_id")], row[column("kind")], sent})
	}
	return events
}

// lateness is, for every output event of a bundle, the client's stamp minus the
// server's.
func lateness(t *testing.T, dir string, sent map[string][]int64) []int64 {
	t.Helper()
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var late []int64
	for _, l := range b.Launches() {
		serverID := map[int64]string{}
		for r, err := range bundle.Rows[record.Request](b, l.Index, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			serverID[r.ID] = r.ServerID
		}
		seen := map[int64]int{}
		for c, err := range bundle.Rows[record.Chunk](b, l.Index, bundle.Chunks) {
			if err != nil {
				t.Fatal(err)
			}
			stamps := sent[serverID[c.Request]]
			if n := seen[c.Request]; c.Kind == record.Content && n < len(stamps) {
				late = append(late, c.At+l.EpochNS-stamps[n])
				seen[c.Request]++
			}
		}
	}
	return late
}
