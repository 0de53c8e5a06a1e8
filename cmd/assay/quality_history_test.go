package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"assay/sim"
	"assay/sim/simtest"
	"assay/stats/items"
	"assay/tests/whole"
	"assay/warehouse"
)

// Scores are kept night by night. The night on which a tenth of the answers went wrong is
// named, with the paired test of the very questions on both sides of it.
func TestScoresOverTime(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	const questions = 200
	dir := t.TempDir()
	sheet, place := filepath.Join(dir, "sums.jsonl"), filepath.Join(dir, "warehouse")
	writeSums(t, sheet, questions)
	var lost []int
	for i := range questions / 10 {
		lost = append(lost, 10*i)
	}
	var firstBad string
	for night := range 10 {
		var p pupil
		if night >= 6 {
			p.lost = lost
		}
		rows, err := sim.ReadScript(bytes.NewReader(p.script()))
		if err != nil {
			t.Fatal(err)
		}
		url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{}, Script: rows})
		out := filepath.Join(dir, "runs", string(rune('a'+night)))
		if _, stderr, code := call(t, "eval", url, "--task", "own="+sheet, "--name", "nightly", "--quick", "--quiet", "-o", out); code != exitOK {
			t.Fatalf("eval: exit %d\n%s", code, stderr)
		}
		bundle := onlyBundle(t, out)
		if night == 6 {
			firstBad = filepath.Base(bundle)
		}
		if _, stderr, code := call(t, "keep", bundle, "--warehouse", place); code != exitOK {
			t.Fatalf("keep: exit %d\n%s", code, stderr)
		}
	}
	var h warehouse.History
	if code := answer(t, &h, "history", "own.exact_match", "--alpha", ".05", "--warehouse", place, "--json"); code != exitVerdict {
		t.Errorf("history: exit %d, want %d: the score fell", code, exitVerdict)
	}
	if len(h.Series) != 1 || len(h.Series[0].Values) != 10 || len(h.Series[0].Changes) != 1 {
		t.Fatalf("history: %+v, want one series of ten nights with one change", h.Series)
	}
	c := h.Series[0].Changes[0]
	if c.FirstBad != firstBad || !c.Worse || len(c.Paired) != 1 {
		t.Fatalf("history: %+v, want the score worse from %s on", c, firstBad)
	}
	if p := c.Paired[0]; p.Verdict != items.Worse || p.Items != questions || p.Test.P > 1e-3 {
		t.Errorf("history: by item %+v, want worse on all questions", p)
	}
}
