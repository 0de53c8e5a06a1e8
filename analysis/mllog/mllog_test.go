package mllog

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// published are the times of ten published runs of a fine-tuning on eight
// accelerators, in ms.
var published = []int64{1609849, 1611696, 1612137, 1828681, 1607186, 1609194, 1611958, 1608082, 1613017, 1823121}

// run is the log of one run that keeps every rule.
func run(start, took int64, status string) []Event {
	e := func(at int64, kind, key string, value any, metadata map[string]any) Event {
		return Event{TimeMS: at, Type: kind, Key: key, Value: value, Metadata: metadata}
	}
	return []Event{
		e(start-60000, PointInTime, "submission_benchmark", "llama2_70b_lora", nil),
		e(start-60000, PointInTime, "submission_org", "x", nil), e(start-60000, PointInTime, "submission_platform", "8x", nil),
		e(start-60000, PointInTime, "submission_division", "closed", nil), e(start-60000, PointInTime, "cache_clear", true, nil),
		e(start-50000, IntervalStart, "init_start", nil, nil), e(start-1000, IntervalEnd, "init_stop", nil, nil),
		e(start, PointInTime, "train_samples", 3901, nil), e(start, PointInTime, "eval_samples", 173, nil),
		e(start, IntervalStart, "run_start", nil, nil), e(start, IntervalStart, "block_start", nil, nil),
		e(start+took, IntervalStart, "eval_start", nil, nil),
		e(start+took, PointInTime, "eval_accuracy", .92, map[string]any{"samples_count": 3072}),
		e(start+took, IntervalEnd, "eval_stop", nil, nil),
		e(start+took, IntervalEnd, "run_stop", nil, map[string]any{"status": status}),
	}
}

func runs(times []int64, failed ...int) (list []Run) {
	for i, took := range times {
		status := "success"
		if slices.Contains(failed, i) {
			status = "aborted"
		}
		r, ok := RunOf(fmt.Sprintf("result_%d.txt", i), run(int64(i)*1e7, took, status))
		if !ok {
			panic("no run")
		}
		list = append(list, r)
	}
	return list
}

func TestScore(t *testing.T) {
	tests := []struct {
		name    string
		times   []int64
		failed  []int
		need    int
		factor  float64
		minutes float64 // NaN means none
	}{
		{"published", published, nil, 0, 0, 27.290},
		{"published, scaled", published, nil, 0, 1.018803, 27.803},
		{"one did not converge", published, []int{3}, 0, 0, 27.290},
		{"two did not converge", published, []int{3, 5}, 0, 0, math.NaN()},
		{"too few", published[:9], nil, 0, 0, math.NaN()},
		// Sets of three that follow each other: 2, 3 and 4 minutes.
		{"median of windows", []int64{60000, 120000, 180000, 240000, 300000}, nil, 3, 0, 3},
		{"a bad window counts as infinite", []int64{60000, 120000, 180000, 240000, 300000}, []int{3, 4}, 3, 0, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := ScoreOf(runs(tt.times, tt.failed...), tt.need, tt.factor)
			switch {
			case math.IsNaN(tt.minutes) && s.Minutes == nil && len(s.Why) > 0:
			case s.Minutes == nil || math.Abs(*s.Minutes-tt.minutes) > .0005:
				t.Errorf("score = %v (%v), want %v", s.Minutes, s.Why, tt.minutes)
			}
		})
	}
}

func TestRead(t *testing.T) {
	var log bytes.Buffer
	if err := Write(&log, run(1e12, 1000, "success")); err != nil {
		t.Fatal(err)
	}
	// Launchers prefix lines, programs write between them, and not all of it is UTF-8.
	noisy := strings.ReplaceAll(log.String(), ":::MLLOG", "0: [default0]:\xe9 :::MLLOG") + "done \xff\n"
	events, err := Read(strings.NewReader(noisy))
	if err != nil {
		t.Fatal(err)
	}
	r, ok := RunOf("a", events)
	if !ok || r.Seconds != 1 || !r.Converged || r.Samples != 3072 || r.Init != 49 || len(r.Faults) > 0 {
		t.Errorf("run = %+v, %v", r, ok)
	}
	if _, ok := RunOf("power", events[:3]); ok {
		t.Error("a log without run_start is a run")
	}
	if _, err := Read(strings.NewReader(":::MLLOG {cut\n")); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a line that is cut: %v", err)
	}
}

func TestFaults(t *testing.T) {
	f := func(want string, change func([]Event) []Event) {
		t.Helper()
		r, _ := RunOf("a", change(run(1e9, 1000, "success")))
		if !strings.Contains(strings.Join(r.Faults, "; "), want) {
			t.Errorf("faults = %q, want %q", r.Faults, want)
		}
	}
	f("submission_org stands 2 times", func(e []Event) []Event { return append(e, e[1]) })
	f("cache_clear is missing", func(e []Event) []Event { return slices.Delete(e, 4, 5) })
	f("initialisation took", func(e []Event) []Event { e[5].TimeMS -= 40 * 60000; return e })
	f("in this order", func(e []Event) []Event { e[6].TimeMS += 5000; return e })
	f(`division "x"`, func(e []Event) []Event { e[3].Value = "x"; return e })
}

func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, took := range published {
		var log bytes.Buffer
		if err := Write(&log, run(int64(i)*1e7, took, "success")); err != nil {
			t.Fatal(err)
		}
		write(fmt.Sprintf("result_%d.txt", i), log.String())
	}
	write("scaling.json", `{"scaling_factor": 1.018803}`)
	write("power.txt", `:::MLLOG {"key": "power_reading", "time_ms": 1}`+"\n")
	s, err := ReadFolder(dir, 0)
	if err != nil || s.Minutes == nil || math.Abs(*s.Minutes-27.803) > .0005 || len(s.Runs) != 10 {
		t.Errorf("score = %+v, %v", s, err)
	}
	if _, err := ReadFolder(t.TempDir(), 0); err == nil {
		t.Error("an empty folder has a score")
	}
}
