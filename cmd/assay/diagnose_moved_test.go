package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/tests/fixture"
)

// Two requests of a hundred stall in the middle of their answers: the median stays, and the
// tail is what is diagnosed. Its slow requests say that decoding grew; the means do not.
func TestDiagnoseTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := fixture.Run{ID: "before", Seed: 1, Window: 12 * time.Second}.Write(t, dir)
	stall := int64(time.Second)
	after := fixture.Run{ID: "after", Seed: 2, Window: 12 * time.Second, Baseline: fixture.System{Request: func(_ int, r *record.Request, events *[]record.Chunk) {
		if r.ID%50 != 0 || r.Result != record.OK {
			return
		}
		for i := len(*events) / 2; i < len(*events); i++ {
			(*events)[i].At += stall
		}
		r.Done += stall
	}}}.Write(t, dir)
	diagnosed := func(args ...string) (d diagnosis) {
		t.Helper()
		out, errs, code := call(t, append([]string{"diagnose", "--json", after, before}, args...)...)
		if code != exitOK {
			t.Fatalf("exit %d: %s", code, errs)
		}
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, args := range [][]string{nil, {"--metric", "e2e:p99"}, {"--metric", "e2e.v2:p99@concurrency=8"}} {
		d := diagnosed(args...)
		if d.Moved == nil || d.Moved.Statistic != "p99" || len(d.Shifts) == 0 {
			t.Fatalf("%q: moved is %+v, with %d shifts", args, d.Moved, len(d.Shifts))
		}
		if s := d.Shifts[0]; s.Largest != "decode" || s.Whole.Change.Value < .5 || !strings.Contains(s.Of, "beyond p99") {
			t.Errorf("%q: the change of %s is put down to %q: %+v", args, s.Of, s.Largest, s.Parts)
		}
		if w := d.Playbooks[0]; w.Symptom.Reply != "yes" || !strings.Contains(w.Symptom.Figure, "p99") {
			t.Errorf("%q: %s says %+v", args, w.Playbook, w.Symptom)
		}
	}
	if d := diagnosed("--metric", "ttft:p99"); d.Playbooks[0].Symptom.Reply != "no" || !strings.HasPrefix(d.Playbooks[0].Symptom.Figure, "TTFT") {
		t.Errorf("asked about TTFT, which did not move, the playbook says %+v", d.Playbooks[0].Symptom)
	}
	out, _, _ := call(t, "diagnose", after, before)
	if !strings.Contains(out, "what moved: ") || !strings.Contains(out, "most of it is decode") {
		t.Errorf("the text says\n%s", out)
	}
	for _, wrong := range []string{"nothing:p99", "ttft:p99@concurrency=9"} {
		if _, errs, code := call(t, "diagnose", after, before, "--metric", wrong); code != exitUsage || !strings.Contains(errs, "--metric") {
			t.Errorf("--metric %s: exit %d, %s", wrong, code, errs)
		}
	}
}
