package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/bundle"
	"assay/judge"
	"assay/tests/whole"
	"assay/tokens"
	"assay/warehouse"
)

// retainMode has the test binary drop what is old until another test kills it.
const retainMode = "ASSAY_SERVER_TEST_RETAIN"

// retainChild drops the bundles of a warehouse, a little at a time, as years pass.
func retainChild(dir string) error {
	ctx := context.Background()
	day := 24 * time.Hour
	for age := range 1000 {
		w, err := warehouse.OpenWriter(ctx, dir)
		if err != nil {
			return err
		}
		now := time.Now().Add(time.Duration(age) * 20 * day)
		list, err := w.Plan(ctx, warehouse.Tiers{Hot: 5 * day, Warm: 10 * day, Cold: 30 * day}, now)
		if err == nil {
			err = w.Retain(ctx, list[:min(len(list), age+1)], now)
		}
		if err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// filled is a warehouse with some runs, to be copied.
func filled(t *testing.T, token tokens.Token) (dir string, digests []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "w")
	must(t, tokens.Open(filepath.Join(dir, "tokens.json")).Add(token))
	w, err := warehouse.OpenWriter(t.Context(), dir)
	must(t, err)
	for i := range 4 {
		j, err := judge.Open(sealed(t, fmt.Sprintf("run-%d", i), "nightly", 1+float64(i)/50), judge.Options{Version: "test", Derive: true})
		must(t, err)
		kept, err := w.Keep(t.Context(), j, time.Now())
		must(t, err)
		digests = append(digests, kept.Digest)
	}
	must(t, w.Close())
	return dir, digests
}

// Server and retention are killed at random moments while people ask. Afterwards every run
// is still known; its bundle verifies, or retention dropped it and the catalogue says so;
// and a server is there again soon.
func TestKilledWhileAsked(t *testing.T) {
	moments := 6
	if whole.Exhaustive() {
		moments = 200
	}
	secret, token, err := tokens.New("test", tokens.Read, time.Now(), time.Hour)
	must(t, err)
	from, digests := filled(t, token)
	rng := rand.New(rand.NewPCG(7, 8))
	var restarts []time.Duration
	for range moments {
		dir := filepath.Join(t.TempDir(), "w")
		must(t, os.CopyFS(dir, os.DirFS(from)))
		must(t, os.Chmod(filepath.Join(dir, "tokens.json"), 0o600))
		server, url := startChild(t, dir)
		old := exec.Command(os.Args[0])
		old.Env = append(os.Environ(), retainMode+"="+dir)
		must(t, old.Start())
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for _, path := range []string{"/api/v1/runs", "/api/v1/runs/run-1/report", "/api/v1/history?metric=ttft", "/"} {
			readers.Go(func() { asksUntil(stop, url+path, secret) })
		}
		readers.Go(func() { queriesUntil(stop, url+"/api/v1/query", secret) })
		time.Sleep(time.Duration(rng.Int64N(int64(500 * time.Millisecond))))
		end(t, server)
		must(t, old.Process.Kill())
		_ = old.Wait() // it was killed, or had nothing more to drop
		close(stop)
		readers.Wait()
		begun := time.Now()
		again, url := startChild(t, dir)
		answer, err := http.Get(url + "/healthz")
		must(t, err)
		answer.Body.Close()
		restarts = append(restarts, time.Since(begun))
		end(t, again)
		knownAfter(t, dir, digests)
	}
	slices.Sort(restarts)
	t.Logf("a server answers again after %v (median), %v at most", restarts[len(restarts)/2].Round(time.Millisecond), restarts[len(restarts)-1].Round(time.Millisecond))
}

// knownAfter checks that no run is lost and none is half there.
func knownAfter(t *testing.T, dir string, digests []string) {
	t.Helper()
	w, err := warehouse.OpenWriter(t.Context(), dir)
	must(t, err)
	defer w.Close()
	list, all, err := w.Runs(t.Context(), warehouse.RunFilter{})
	must(t, err)
	said, err := w.Query(t.Context(), `SELECT artifact_manifest_digest FROM dropped_fact WHERE what = '`+warehouse.DropBundle+`'`, warehouse.Limit{})
	must(t, err)
	var dropped []string
	for _, row := range said.Rows {
		dropped = append(dropped, fmt.Sprint(row[0]))
	}
	if all != len(digests) {
		t.Errorf("%d runs are known, want %d", all, len(digests))
	}
	for _, run := range list {
		place, there := w.Held(run.Digest)
		if !there && !slices.Contains(dropped, run.Digest) {
			t.Errorf("%s is gone, and the catalogue does not say so", run.RunID)
		}
		if !there {
			continue
		}
		if r, err := bundle.Verify(place); err != nil || !r.Verified {
			t.Errorf("%s is there and does not verify: %v", run.RunID, err)
		}
	}
}

// asksUntil asks for something until stopped; the server may die at any moment.
func asksUntil(stop <-chan struct{}, url, secret string) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		r, err := http.NewRequest("GET", url, nil)
		if err != nil {
			return
		}
		send(r, secret)
	}
}

func queriesUntil(stop <-chan struct{}, url, secret string) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		r, err := http.NewRequest("POST", url, strings.NewReader(`{"sql": "SELECT count(*), avg(value) FROM metric_fact"}`))
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/json")
		send(r, secret)
	}
}

func send(r *http.Request, secret string) {
	r.Header.Set("Authorization", "Bearer "+secret)
	if a, err := http.DefaultClient.Do(r); err == nil {
		a.Body.Close()
		return
	}
	time.Sleep(5 * time.Millisecond)
}
