package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/alert"
	"assay/tests/whole"
	"assay/timetable"
)

// scheduled is a schedule of a short run against a simulator, due every minute.
const scheduled = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkSchedule
metadata: {name: minutely}
spec:
  purpose: canary
  schedule: "* * * * *"
  gate: {policy: policy.yaml}
  alerts:
    - name: ops
      webhook: {url: "%s", secret: {env: ASSAY_TEST_HOOK_KEY}}
  template:
    spec:
      workload: {model: sim, sequenceLengthMix: [{inputTokens: 16, outputTokens: 8, weight: 1}]}
      target:
        url: "http://%[2]s"
        server: {command: [%[3]q, sim, --addr, "%[2]s", --ttft, 5ms, --itl, 1ms], ready: {interval: 20ms}}
      load: {concurrency: [2], duration: %[4]s, warmup: {duration: 100ms}, calibrate: false}
      trials: {minReplicates: 3}
`

// A hook is a real receiver of alerts.
type hook struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newHook(t *testing.T) *hook {
	h := &hook{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m alert.Message
		var seconds int64
		if json.Unmarshal(body, &m) != nil {
			m.Title = "no JSON"
		}
		if _, err := fmt.Sscanf(r.Header.Get(alert.SignatureHeader), "t=%d,", &seconds); err != nil || alert.Sign("sesame", time.Unix(seconds, 0), body) != r.Header.Get(alert.SignatureHeader) {
			m.Title = "not signed"
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.got = append(h.got, m.State+" "+m.ID+" "+m.Title)
	}))
	t.Cleanup(h.Close)
	return h
}

// about are the alerts that begin like this: a busy machine makes void runs, which
// are alerts too.
func (h *hook) about(prefixes ...string) (list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, got := range h.got {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.Contains(got, p) }) {
			list = append(list, got)
		}
	}
	return list
}

// A scheduleScene is a folder with a schedule, its state and a warehouse.
type scheduleScene struct {
	t    *testing.T
	dir  string
	file string
	hook *hook
}

func newScheduleScene(t *testing.T, duration string) *scheduleScene {
	t.Helper()
	s := &scheduleScene{t: t, dir: t.TempDir(), hook: newHook(t)}
	s.file = filepath.Join(s.dir, "schedule.yaml")
	s.write(fmt.Sprintf(scheduled, s.hook.URL, freeAddress(t), os.Args[0], duration))
	policy := "apiVersion: assay.dev/v1alpha1\nkind: GatePolicy\nmetadata: {name: p}\nspec: {grade: exploratory, metrics: [{metric: e2e.v2, statistic: p50, margin: 0.5}]}\n"
	if err := os.WriteFile(filepath.Join(s.dir, "policy.yaml"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scheduleScene) write(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scheduleScene) command(args ...string) *exec.Cmd {
	cmd := program(s.t.Context(), append(args, "--state", filepath.Join(s.dir, "state"))...)
	cmd.Env = append(environ(), "ASSAY_TEST_HOOK_KEY=sesame", "ASSAY_WAREHOUSE="+filepath.Join(s.dir, "warehouse"))
	return cmd
}

// run is assay schedule run, which succeeds whatever becomes of the runs.
func (s *scheduleScene) run(args ...string) string {
	s.t.Helper()
	out, err := s.command(append([]string{"schedule", "run", s.file}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func (s *scheduleScene) state() timetable.State {
	s.t.Helper()
	states, err := timetable.States(filepath.Join(s.dir, "state"))
	if err != nil || len(states) != 1 {
		s.t.Fatalf("%d states, %v", len(states), err)
	}
	return states[0]
}

// A due run is made, kept, gated and looked at; one that fails is an alert once, and once
// more when it is over.
func TestSchedule(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	s := newScheduleScene(t, "300ms")
	out := s.run("--once")
	state := s.state()
	// Two where a minute began meanwhile.
	if n := len(state.Ended); n < 1 || n > 2 || state.Ended[0].Status != "completed" || !strings.Contains(state.Ended[0].Note, "no gate") || len(state.Active) != 0 {
		t.Fatalf("state %+v\n%s", state, out)
	}
	if left, err := os.ReadDir(filepath.Join(s.dir, "state", "runs", "minutely")); err != nil || len(left) != 0 {
		t.Errorf("%d folders are left of a run that was kept (%v)", len(left), err)
	}
	place := []string{"--warehouse", filepath.Join(s.dir, "warehouse")}
	rows, _, code := call(t, append([]string{"query", "--format", "csv", "SELECT name, status, cadence FROM current_run"}, place...)...)
	if code != exitOK || !strings.Contains(rows, "minutely,completed,canary") {
		t.Errorf("exit %d: the warehouse has\n%s", code, rows)
	}
	if _, errs, code := call(t, append([]string{"mark", state.Ended[0].RunID, "--as", "accepted", "--why", "the first"}, place...)...); code != exitOK {
		t.Fatal(errs)
	}
	good, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	s.write(strings.Replace(string(good), " sim, --addr", " frobnicate, --addr", 1))
	s.run("--now")
	s.run("--now")
	s.write(string(good))
	s.run("--now")
	want := []string{"open minutely/failed", "resolved minutely/failed"}
	got := s.hook.about("minutely/failed")
	for i, w := range want {
		if len(got) != len(want) || !strings.HasPrefix(got[i], w) {
			t.Fatalf("the receiver got %q, want %q", got, want)
		}
	}
	state = s.state()
	if last := state.Ended[len(state.Ended)-1]; strings.Contains(last.Note, "no gate") || last.Status != "completed" {
		t.Errorf("the last run is %+v, want it gated against the accepted one", last)
	}
	asJSON, _, _ := call(t, "schedule", "status", "--json", "--state", filepath.Join(s.dir, "state"))
	matchesSchema(t, "schedule-status", asJSON)
	text, _, code := call(t, "schedule", "status", "--state", filepath.Join(s.dir, "state"))
	if wantCode := map[bool]int{true: exitOK, false: exitVerdict}[len(state.Alerts.Open) == 0]; code != wantCode || !strings.Contains(text, "minutely  next ") {
		t.Errorf("status: exit %d, want %d\n%s", code, wantCode, text)
	}
}

// A runner that is killed loses nothing: what its run had measured is sealed and kept, and
// is an alert. One that is asked to end seals it itself.
func TestScheduleKilled(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			s := newScheduleScene(t, "30s")
			cmd := s.command("schedule", "run", s.file, "--now")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			measuring := filepath.Join(s.dir, "state", "runs", "minutely", "*", "bundles", "*", "raw", "launch-*")
			for found := 0; found == 0; time.Sleep(20 * time.Millisecond) {
				files, err := filepath.Glob(measuring)
				if err != nil || t.Context().Err() != nil {
					t.Fatal(err, t.Context().Err())
				}
				found = len(files)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if signal == syscall.SIGKILL {
				s.write(strings.Replace(read(t, s.file), "* * * * *", "0 0 1 1 *", 1)) // nothing is due now
				s.run("--once")
			}
			state := s.state()
			if len(state.Ended) != 1 || len(state.Active) != 0 || state.Ended[0].Digest == "" || state.Ended[0].Status == "completed" {
				t.Fatalf("%v: state %+v, want one run that was cut short and kept", err, state)
			}
			if got := s.hook.about("open minutely/failed"); len(got) != 1 {
				t.Errorf("the receiver got %q, want one alert", got)
			}
		})
	}
}

// The units are ones that systemd takes.
func TestScheduleUnits(t *testing.T) {
	s := newScheduleScene(t, "1s")
	units := t.TempDir()
	if _, errs, code := call(t, "schedule", "units", s.file, "--out", units, "--state", filepath.Join(s.dir, "a state"), "--warehouse", s.dir); code != exitOK {
		t.Fatal(errs)
	}
	if text := read(t, filepath.Join(units, "assay-minutely.timer")); !strings.Contains(text, "OnCalendar=*-*-* *:*:00 UTC\n") {
		t.Errorf("the timer is\n%s", text)
	}
	s.write(strings.NewReplacer("minutely", "beside", "  gate:", "  concurrencyPolicy: Allow\n  gate:").Replace(read(t, s.file)))
	if _, errs, code := call(t, "schedule", "units", s.file, "--out", units, "--state", s.dir, "--warehouse", s.dir); code != exitOK {
		t.Fatal(errs)
	}
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	files, err := filepath.Glob(filepath.Join(units, "*"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%v: %q, want two services and a timer", err, files)
	}
	if out, err := exec.CommandContext(t.Context(), tool, append([]string{"verify"}, files...)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// Routes can be tried, and what does not take an alert is named.
func TestScheduleAlert(t *testing.T) {
	s := newScheduleScene(t, "1s")
	cmd := s.command("schedule", "alert", s.file)
	cmd.Args = cmd.Args[:len(cmd.Args)-2]
	if out, err := cmd.CombinedOutput(); err != nil || len(s.hook.about("open minutely/trial")) != 1 {
		t.Errorf("%v: %s; the receiver got %q", err, out, s.hook.got)
	}
	if _, errs, code := call(t, "schedule", "alert", s.file); code != exitUsage || !strings.Contains(errs, "ASSAY_TEST_HOOK_KEY is not set") {
		t.Errorf("without the key: exit %d, %s", code, errs)
	}
	t.Setenv("ASSAY_TEST_HOOK_KEY", "sesame")
	s.hook.Close()
	if _, errs, code := call(t, "schedule", "alert", s.file); code != exitFailed || !strings.Contains(errs, "by route ops") || strings.Contains(errs, "sesame") {
		t.Errorf("nobody listens: exit %d, %s", code, errs)
	}
}
