package mllog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// long is the log of a run with evaluations at times of its own.
func long(start, took int64) []Event {
	events := run(start, took, "success")
	for i := range int64(12) {
		events = append(events, Event{TimeMS: start + took*i/13, Type: PointInTime, Key: "tracked_stats", Value: float64(took) / float64(i+1)})
	}
	return events
}

// One run is one run, however often its log lies in the folder.
func TestCopies(t *testing.T) {
	tests := []struct {
		name   string
		second func(first []Event) (events []Event, noise string)
		why    string // empty for a run of its own
	}{
		{"the same file", func(e []Event) ([]Event, string) { return e, "" }, "byte for byte"},
		{"another line in it", func(e []Event) ([]Event, string) { return e, "hello\n" }, "same events at the same times"},
		{"another clock", func([]Event) ([]Event, string) { return long(5e9, 1609849), "" }, "after another start"},
		{"a key taken out", func(e []Event) ([]Event, string) { return e[1:], "" }, "same millisecond"},
		{"another run", func([]Event) ([]Event, string) { return long(5e9, 1609850), "" }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			first := long(1e9, 1609849)
			again, noise := tt.second(first)
			for i, events := range [][]Event{first, again} {
				var log bytes.Buffer
				if err := Write(&log, events); err != nil {
					t.Fatal(err)
				}
				if i == 1 {
					log.WriteString(noise)
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("result_%d.txt", i)), log.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			s, err := ReadFolder(dir, 0)
			if err != nil {
				t.Fatal(err)
			}
			if tt.why == "" {
				if len(s.Runs) != 2 || len(s.Copies) > 0 {
					t.Errorf("%d runs and copies %+v, want two runs", len(s.Runs), s.Copies)
				}
				return
			}
			if len(s.Runs) != 1 || len(s.Copies) != 1 || s.Copies[0].Of != "result_0.txt" || !strings.Contains(s.Copies[0].Why, tt.why) || !strings.Contains(s.Why[0], "is not counted") {
				t.Errorf("%d runs, copies %+v, why %q: want one run, and why the other is none", len(s.Runs), s.Copies, s.Why)
			}
		})
	}
}

// Ten logs of one run are no ten runs: there is no score.
func TestCopiesMakeNoScore(t *testing.T) {
	var list []Run
	for range 10 {
		list = append(list, runs(published[:1])...)
	}
	if s := ScoreOf(list, 0, 0); s.Minutes != nil || len(s.Runs) != 1 || len(s.Copies) != 9 {
		t.Errorf("ten logs of one run: %d runs, %d copies, %v minutes; want no score", len(s.Runs), len(s.Copies), s.Minutes)
	}
}

// A run that ends before it begins is no fast run.
func TestNoTime(t *testing.T) {
	r, ok := RunOf("a", run(1e9, -1000, "success"))
	if !ok || r.Converged || len(r.Faults) == 0 {
		t.Errorf("%+v: want a run that did not converge, and the fault", r)
	}
}

// No log makes the reader or the score fail otherwise than with an error.
func FuzzRead(f *testing.F) {
	var log bytes.Buffer
	if err := Write(&log, long(1e12, 1000)); err != nil {
		f.Fatal(err)
	}
	f.Add(log.Bytes())
	f.Add([]byte(`:::MLLOG {"key": "run_start", "time_ms": 9223372036854775807}` + "\n" + `:::MLLOG {"key": "run_stop", "time_ms": -9223372036854775808, "metadata": {"status": "success"}}` + "\n"))
	f.Add([]byte(`:::MLLOG {"key": "eval_accuracy", "value": 1e308, "metadata": {"samples_count": 1e308}}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		r, ok := RunOf("fuzz.txt", events)
		if !ok {
			return
		}
		s := ScoreOf([]Run{r, r, r}, 3, 0)
		if len(s.Runs) != 1 || s.Minutes != nil {
			t.Errorf("one run three times has a score: %+v", s)
		}
	})
}
