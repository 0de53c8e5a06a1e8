package timetable

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/alert"
)

// document is a schedule; its alerts go to a file, by a real program.
const document = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkSchedule
metadata: {name: NAME}
spec:
  purpose: canary
  schedule: "0 * * * *"
  startingDeadline: 10m
  concurrencyPolicy: POLICY
  alerts:
    - name: file
      email: {from: a@example.com, to: [b@example.com], command: [sh, -c, 'grep ^Subject >> "$0"', "FILE"]}
  template:
    spec:
      workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 8, weight: 1}]}
      target: {url: "http://127.0.0.1:1"}
      load: {concurrency: [1], duration: 5s}
`

// A scene is a timetable with a measurer that only sleeps.
type scene struct {
	t       *testing.T
	dir     string
	mu      sync.Mutex // of the lists: runs may be beside each other
	took    func(name string, due time.Time) time.Duration
	result  func(name string, due time.Time) Outcome
	started []string
	stopped []string
	saved   []string
	said    []string
}

func newScene(t *testing.T) *scene {
	return &scene{
		t: t, dir: t.TempDir(),
		took: func(string, time.Time) time.Duration { return time.Minute },
		result: func(string, time.Time) Outcome {
			return Outcome{Status: "completed", Looked: []alert.Kind{alert.Failed}}
		},
	}
}

func clock(due time.Time) string { return due.UTC().Format("15:04") }

func (s *scene) add(list *[]string, j Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, j.Entry.Name+" "+clock(j.Due))
}

func (s *scene) Measure(ctx context.Context, j Job) Outcome {
	s.add(&s.started, j)
	select {
	case <-time.After(s.took(j.Entry.Name, j.Due)):
		return s.result(j.Entry.Name, j.Due)
	case <-ctx.Done():
		time.Sleep(10 * time.Second) // it seals
		s.add(&s.stopped, j)
		return Outcome{Status: "aborted", Problems: []alert.Problem{{Kind: alert.Failed, Title: "stopped"}}, Looked: []alert.Kind{alert.Failed}}
	}
}

func (s *scene) Salvage(_ context.Context, j Job) Outcome {
	s.add(&s.saved, j)
	return Outcome{Status: "partial", Problems: []alert.Problem{{Kind: alert.Failed, Title: "killed"}}, Looked: []alert.Kind{alert.Failed}}
}

func (s *scene) entry(name, policy string) Entry {
	s.t.Helper()
	file := filepath.Join(s.dir, name+".yaml")
	text := strings.NewReplacer("NAME", name, "POLICY", policy, "FILE", filepath.Join(s.dir, "mail")).Replace(document)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	e, err := Read(file, os.LookupEnv, os.ReadFile)
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// runs works for a while and then is asked to stop.
func (s *scene) runs(d time.Duration, o Options, entries ...Entry) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), d)
	defer cancel()
	o.Dir, o.Measurer, o.Say = filepath.Join(s.dir, "state"), s, func(line string) { s.said = append(s.said, line) }
	if err := Run(ctx, entries, o); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) state(name string) State {
	s.t.Helper()
	state, err := readState(filepath.Join(s.dir, "state"), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return state
}

// subjects are the alerts that arrived.
func (s *scene) subjects() (list []string) {
	text, _ := os.ReadFile(filepath.Join(s.dir, "mail")) // none means no alerts
	for line := range strings.Lines(string(text)) {
		_, subject, _ := strings.Cut(strings.TrimSpace(line), "Subject: ")
		list = append(list, subject)
	}
	return list
}

func (s *scene) check(what string, got []string, want ...string) {
	s.t.Helper()
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: got %q, want %q\n%s", what, got, want, strings.Join(s.said, "\n"))
	}
}

// The fake clock begins at midnight: the first run is due at one.
func TestEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.result = func(_ string, due time.Time) Outcome {
			o := Outcome{Status: "completed", Looked: []alert.Kind{alert.Failed}}
			if h := due.Hour(); h == 2 || h == 3 {
				o.Status, o.Problems = "failed", []alert.Problem{{Kind: alert.Failed, Title: "the run failed"}}
			}
			return o
		}
		s.runs(4*time.Hour+30*time.Minute, Options{}, s.entry("chat", "Forbid"))
		s.check("started", s.started, "chat 01:00", "chat 02:00", "chat 03:00", "chat 04:00")
		s.check("alerts", s.subjects(), "[ALERT] chat: the run failed", "[resolved] chat: the run failed")
		state := s.state("chat")
		if len(state.Ended) != 4 || len(state.Active) != 0 || len(state.Missed) != 0 || clock(state.Next) != "05:00" {
			t.Errorf("state %+v", state)
		}
	})
}

// A run that takes too long blocks the next, which is missed at its deadline and not in
// silence; runs of another schedule wait for their turn too.
func TestOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.took = func(name string, due time.Time) time.Duration {
			if name == "long" && due.Hour() == 1 {
				return 75 * time.Minute
			}
			return 5 * time.Minute
		}
		s.runs(4*time.Hour-time.Minute, Options{}, s.entry("long", "Forbid"), s.entry("short", "Forbid"))
		s.check("started", s.started, "long 01:00", "long 03:00", "short 03:00")
		s.check("alerts", s.subjects(),
			"[ALERT] short: a run was missed", "[ALERT] long: a run was missed", "[resolved] long: a run was missed", "[resolved] short: a run was missed")
		if m := s.state("short").Missed; len(m) != 1 || m[0].Reason != "Blocked" || m[0].Count != 2 {
			t.Errorf("missed %+v, want two blocked", m)
		}
	})
}

func TestAllowAndReplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.took = func(string, time.Time) time.Duration { return 90 * time.Minute }
		s.runs(3*time.Hour+10*time.Minute, Options{}, s.entry("beside", "Allow"))
		s.check("started", s.started, "beside 01:00", "beside 02:00", "beside 03:00")
		slices.Sort(s.stopped)
		s.check("stopped", s.stopped, "beside 02:00", "beside 03:00") // by the end of the runner

		s = newScene(t)
		s.took = func(string, time.Time) time.Duration { return 90 * time.Minute }
		s.runs(3*time.Hour, Options{}, s.entry("instead", "Replace"))
		s.check("started", s.started, "instead 04:00", "instead 05:00", "instead 06:00")
		s.check("stopped", s.stopped, "instead 04:00", "instead 05:00", "instead 06:00")
	})
}

// What a killed runner left is found, and its due time is not run a second time; what was
// due while nobody ran is missed.
func TestKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		e := s.entry("chat", "Forbid")
		s.runs(time.Hour+time.Second, Options{}, e)
		state := s.state("chat")
		state.Active = []ActiveRun{{Due: state.Decided, Started: state.Decided, Folder: filepath.Join(s.dir, "left")}}
		if err := state.write(filepath.Join(s.dir, "state")); err != nil {
			t.Fatal(err)
		}
		s.started = nil
		time.Sleep(2*time.Hour + 30*time.Minute)
		s.runs(time.Hour, Options{}, e)
		s.check("saved", s.saved, "chat 01:00")
		s.check("started", s.started, "chat 04:00")
		s.check("alerts", s.subjects(),
			"[ALERT] chat: stopped", "[ALERT] chat: 2 runs were missed", "[resolved] chat: stopped", "[resolved] chat: 2 runs were missed")
	})
}

// A timer calls --once at a due time; a first call does not lose it, and others do nothing
// at other times. --now asks for no time.
func TestOnceAndNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		e := s.entry("chat", "Forbid")
		time.Sleep(time.Hour + 20*time.Second)
		s.runs(time.Hour, Options{Once: true}, e)
		s.runs(time.Hour, Options{Once: true}, e)
		s.check("started", s.started, "chat 01:00")
		time.Sleep(3 * time.Hour)
		s.runs(time.Hour, Options{Once: true}, e)
		if m := s.state("chat").Missed; fmt.Sprint(len(m), m[0].Count) != "1 2" && len(m) != 2 {
			t.Errorf("missed %+v", m)
		}
		before := s.state("chat").Decided
		s.started = nil
		s.runs(time.Hour, Options{Now: true}, e)
		if len(s.started) != 1 || !s.state("chat").Decided.Equal(before) {
			t.Errorf("started %q, decided until %s; want one run, and every due time as before", s.started, s.state("chat").Decided)
		}
	})
}

// Two runners in one folder would make every run twice; a schedule that changed begins
// when it is first seen; a damaged state stops the runner, which would otherwise forget.
func TestStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		e := s.entry("chat", "Forbid")
		s.runs(90*time.Minute, Options{}, e)
		time.Sleep(5 * time.Hour)
		e.Document.Spec.TimeZone = "Asia/Tokyo"
		s.runs(time.Minute, Options{}, e)
		if m := s.state("chat").Missed; len(m) != 0 {
			t.Errorf("missed %+v by a schedule that is new", m)
		}
		dir := filepath.Join(s.dir, "state")
		unlock, err := lock(t.Context(), filepath.Join(dir, ".lock"), false)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Dir: dir, Measurer: s, Say: func(string) {}}
		if err := Run(t.Context(), []Entry{e}, o); err == nil || !strings.Contains(err.Error(), "another runner") {
			t.Errorf("a second runner: %v", err)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), []Entry{e, e}, o); err == nil || !strings.Contains(err.Error(), "both called chat") {
			t.Errorf("one name twice: %v", err)
		}
		if err := os.WriteFile(stateFile(dir, "chat"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), []Entry{e}, o); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("a damaged state: %v", err)
		}
	})
}
