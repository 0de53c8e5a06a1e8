package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/server/jobs"
	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
	"assay/tokens"
)

// fetched is the answer to a request with a token: its status and its body.
func fetched(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/yaml")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// outcome reads the events of a job until it is over, and counts the moments before.
func outcome(t *testing.T, url, token string) (last jobs.Job, moments int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var now struct {
			jobs.Job
			Now *struct{ Requests int64 }
		}
		if err := json.Unmarshal([]byte(data), &now); err != nil {
			t.Fatal(err)
		}
		if last = now.Job; now.Now != nil && now.Now.Requests > 0 {
			moments++
		}
	}
	return last, moments
}

// A real run is asked for, seen while it goes on, and in the warehouse when it is over; one
// that the server's end cuts off is in the warehouse after the next start, as far as it
// came, and what waited is carried out.
func TestServeRuns(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	place := filepath.Join(t.TempDir(), "warehouse")
	token, err := demoToken(tokens.Open(filepath.Join(place, tokensFile)), tokens.Run)
	if err != nil {
		t.Fatal(err)
	}
	target := strings.TrimPrefix(simtest.Serve(t, sim.Config{Engine: sim.Engine{Cost: sim.Cost{Base: time.Millisecond}}}), "http://")
	flags := []string{"--warehouse", place, "--runs", "local", "--run-target", target}
	document := func(name, duration string) string {
		return fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  workload: {model: sim, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 32, outputTokens: 8, weight: 1}]}
  target: {url: "http://%s"}
  load: {concurrency: [2], duration: %s, warmup: {duration: 100ms}, calibrate: false}
  trials: {quick: true}
`, name, target, duration)
	}
	s := serving(t, flags...)
	line := s.line(t)
	url := line[strings.LastIndex(line, " ")+1:] + "api/v1/"
	post := func(name, duration string) jobs.Job {
		t.Helper()
		code, body := fetched(t, "POST", url+"runs", token, document(name, duration))
		var j jobs.Job
		if err := json.Unmarshal([]byte(body), &j); err != nil || code != http.StatusAccepted {
			t.Fatalf("asked for %s: %d %s", name, code, body)
		}
		return j
	}
	if code, body := fetched(t, "POST", url+"runs", token, strings.ReplaceAll(document("x", "1s"), target, "127.0.0.1:22")); code != http.StatusUnprocessableEntity {
		t.Errorf("another target: %d %s", code, body)
	}
	done, moments := outcome(t, url+"runs/"+post("short", "2500ms").ID+"/events", token)
	if done.State != jobs.Done || moments == 0 || done.Digest == "" {
		t.Errorf("after %d moments: %+v", moments, done)
	}
	if code, body := fetched(t, "GET", url+"runs/"+strings.TrimPrefix(done.Digest, "sha256:"), token, ""); code != http.StatusOK || !strings.Contains(body, `"completed"`) {
		t.Errorf("its bundle: %d %.300s", code, body)
	}
	long, waits := post("long", "10m"), post("waits", "300ms")
	for range 600 {
		if _, body := fetched(t, "GET", url+"jobs/"+long.ID, token, ""); strings.Contains(body, `"stage":"measuring"`) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	s = serving(t, flags...)
	defer s.stop()
	line = s.line(t)
	url = line[strings.LastIndex(line, " ")+1:] + "api/v1/"
	if last, _ := outcome(t, url+"runs/"+waits.ID+"/events", token); last.State != jobs.Done {
		t.Errorf("what waited: %+v", last)
	}
	if last, _ := outcome(t, url+"runs/"+long.ID+"/events", token); last.State != jobs.Cut || last.Digest == "" {
		t.Errorf("what was cut: %+v", last)
	}
}
