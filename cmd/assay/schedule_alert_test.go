package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/spec"
	"assay/tests/fixture"
	"assay/tests/whole"
	"assay/tokens"
	"assay/warehouse"
)

// newSlowedScene is a schedule whose engine is as slow as a file says, so that it can get
// slower while nothing else changes.
func newSlowedScene(t *testing.T) *scheduleScene {
	t.Helper()
	s := newScheduleScene(t, "300ms")
	text := read(t, s.file)
	from, to := strings.Index(text, "command: ["), strings.Index(text, ", ready:")
	_, rest, _ := strings.Cut(text[from:to], `--addr, "`)
	address, _, _ := strings.Cut(rest, `"`)
	script := filepath.Join(s.dir, "engine.sh")
	if err := os.WriteFile(script, fmt.Appendf(nil, "exec '%s' sim --addr %s --ttft \"$(cat '%s')\" --itl 2ms\n", os.Args[0], address, s.ttftFile()), 0o600); err != nil {
		t.Fatal(err)
	}
	text = text[:from] + fmt.Sprintf("command: [/bin/sh, %q]", script) + text[to:]
	s.write(strings.NewReplacer("outputTokens: 8,", "outputTokens: 11,", "concurrency: [2]", "concurrency: [8]", "warmup: {duration: 100ms}", "warmup: {duration: 50ms}").Replace(text))
	return s
}

func (s *scheduleScene) ttftFile() string { return filepath.Join(s.dir, "ttft") }
func (s *scheduleScene) place() string    { return filepath.Join(s.dir, "warehouse") }

// night makes a run now, with an engine whose first token takes so long. On a busy machine a
// launch of 300 ms may end without a single answer; the run is then made again.
func (s *scheduleScene) night(ttft string) (run string) {
	s.t.Helper()
	if err := os.WriteFile(s.ttftFile(), []byte(ttft), 0o600); err != nil {
		s.t.Fatal(err)
	}
	for range 3 {
		said := s.run("--now")
		ended := s.state().Ended
		last := ended[len(ended)-1]
		if last.Status == "completed" {
			return last.RunID
		}
		s.t.Logf("the run is %+v\n%s", last, said)
	}
	s.t.Fatal("three runs in a row were not completed")
	return ""
}

// ran keeps so many runs of a quiet machine before a run, in its series: the same document on
// the same machine, as fast as an engine with a first token after 20 ms.
func (s *scheduleScene) ran(n int, like string) {
	s.t.Helper()
	w, err := warehouse.Open(s.t.Context(), s.place())
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Close()
	dir, err := w.Bundle(s.t.Context(), like)
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	doc, faults := spec.Parse("run", []byte(read(s.t, filepath.Join(dir, "spec.yaml"))))
	if !spec.Valid(faults) {
		s.t.Fatal(faults)
	}
	keep := []string{"keep", "--warehouse", s.place()}
	for i := range n {
		keep = append(keep, fixture.Run{
			ID: fmt.Sprintf("before-%02d", i), Seed: uint64(i), Launches: 3, Window: 2 * time.Second, Unsigned: true, Baseline: fixture.System{Slow: .2},
			Topology: b.Manifest.TopologyDigest, Spec: func(r *spec.Run) { *r = *doc.Run },
			Environment: func(env record.Environment) {
				clear(env)
				maps.Copy(env, b.Manifest.Environment)
				delete(env, "join.run_id") // it is another run
			},
		}.Write(s.t, filepath.Join(s.dir, "before")))
	}
	if out, errs, code := call(s.t, keep...); code != exitOK {
		s.t.Fatalf("keep: exit %d\n%s%s", code, out, errs)
	}
}

// counted is how many of these runs may be concluded from: a busy machine makes void ones.
func (s *scheduleScene) counted(runs ...string) int {
	s.t.Helper()
	out, errs, code := call(s.t, "query", "--format", "csv", "--warehouse", s.place(),
		"SELECT run_id FROM current_run WHERE worst_finding <> 'void' AND run_id IN ('"+strings.Join(runs, "', '")+"')")
	if code != exitOK {
		s.t.Fatal(errs)
	}
	return strings.Count(out, "\n") - 1
}

// An engine gets slower. The gate of the schedule does not let the run pass, two runs are a
// change of their series, and a receiver gets both, signed. The dashboard shows the change
// as open, then as somebody decides about it; once it is fixed the receiver hears that too.
func TestScheduleAlertsEndToEnd(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	s := newSlowedScene(t)
	first := s.night("20ms")
	if _, errs, code := call(t, "mark", first, "--as", "accepted", "--why", "the first", "--warehouse", s.place()); code != exitOK {
		t.Fatal(errs)
	}
	s.ran(9, first)
	slow := []string{s.night("120ms"), s.night("120ms")}
	if s.counted(first) == 1 && s.counted(slow...) == 2 && len(s.hook.about("open minutely/regressed/", "the gate did not pass")) == 0 {
		t.Errorf("the receiver got %q, want that the gate did not pass", s.hook.got)
	}
	if s.counted(slow...) < 2 {
		t.Skipf("the machine is too busy for two runs that count; the receiver got %q", s.hook.got)
	}
	changed := s.hook.about("open minutely/changed/")
	if len(changed) == 0 || len(s.hook.about("not signed", "no JSON")) > 0 {
		t.Fatalf("the receiver got %q, want signed alerts of series that changed", s.hook.got)
	}
	s.diagnosed(t)
	id := s.decided(t, changed)
	if last := s.night("20ms"); s.counted(last) == 1 && len(s.hook.about("resolved minutely/changed/"+id)) != 1 {
		t.Errorf("the receiver got %q, want that %s is over", s.hook.got, id)
	}
}

// diagnosed carries out the command that an alert of a series names; without its --metric it is
// about the same result, since the alert is pending.
func (s *scheduleScene) diagnosed(t *testing.T) {
	t.Helper()
	_, line, _ := strings.Cut(s.openText("minutely/changed/"), "\nassay ")
	for !strings.HasPrefix(line, "diagnose ") {
		var more bool
		if _, line, more = strings.Cut(line, "\nassay "); !more {
			t.Errorf("the alert names no diagnosis: %s", s.openText("minutely/changed/"))
			return
		}
	}
	args := strings.Fields(line)[:5]
	for _, args := range [][]string{args, append(args[:3:3], "--warehouse", s.place())} {
		if out, errs, code := call(t, args...); code != exitOK || !strings.Contains(out, "what moved: ") || len(args) == 5 && args[3] == "--warehouse" && !strings.Contains(out, "(a pending alert)") {
			t.Errorf("%q: exit %d %s\n%s", args, code, errs, out)
		}
	}
	if out, errs, code := call(t, "history", "--alarms", "--warehouse", s.place()); code != exitOK || !strings.Contains(out, "week of") || !strings.Contains(out, ", at most ") {
		t.Errorf("history --alarms: exit %d %s\n%s", code, errs, out)
	}
}

// decided walks the first of the alerts that a receiver got through its states on the
// dashboard, and returns its series.
func (s *scheduleScene) decided(t *testing.T, sent []string) string {
	t.Helper()
	token, err := demoToken(tokens.Open(filepath.Join(s.place(), tokensFile)), tokens.Write)
	if err != nil {
		t.Fatal(err)
	}
	server := serving(t, "--warehouse", s.place())
	defer server.stop()
	line := server.line(t)
	d := dashboard{t, strings.TrimSuffix(line[strings.LastIndex(line, " ")+1:], "/"), token}
	waitForAlerts(t, d.url, token)
	id, _, _ := strings.Cut(strings.TrimPrefix(sent[0], "open minutely/changed/"), "/")
	a := d.alert(id)
	if a.State != "open" {
		t.Fatalf("%s is %+v, want open", id, a)
	}
	for _, as := range []string{"acknowledged", "fixed"} {
		body, err := json.Marshal(map[string]string{"run": a.Run, "as": as, "why": "the engine was slow"})
		if err != nil {
			t.Fatal(err)
		}
		d.ask("POST", "/api/v1/alerts/"+id, body)
		if got := d.alert(id); got.State != as || got.Why != "the engine was slow" {
			t.Errorf("%s is %+v, want %s", id, got, as)
		}
		if page := string(d.ask("GET", "/alerts?state="+as, nil)); !strings.Contains(page, id) {
			t.Errorf("the page of alerts that are %s does not have %s", as, id)
		}
		if page := string(d.ask("GET", "/alerts?state=open", nil)); strings.Contains(page, id) {
			t.Errorf("the page of open alerts has %s, which is %s", id, as)
		}
	}
	return id
}

// A dashboard is a server as a client sees it.
type dashboard struct {
	t          *testing.T
	url, token string
}

func (d dashboard) ask(method, path string, body []byte) []byte {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, bytes.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		d.t.Fatalf("%s %s: %s, %v\n%s", method, path, answer.Status, err, text)
	}
	return text
}

// alert is that of a series.
func (d dashboard) alert(series string) warehouse.Alert {
	d.t.Helper()
	var list struct{ Alerts []warehouse.Alert }
	if err := json.Unmarshal(d.ask("GET", "/api/v1/alerts", nil), &list); err != nil {
		d.t.Fatal(err)
	}
	for _, a := range list.Alerts {
		if a.SeriesID == series {
			return a
		}
	}
	d.t.Fatalf("the dashboard has %d alerts, and none of %s", len(list.Alerts), series)
	return warehouse.Alert{}
}
