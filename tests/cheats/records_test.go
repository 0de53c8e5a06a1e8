package cheats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/record"
	"assay/spec"
	"assay/tests/fixture"
	"assay/tests/forger"
	"assay/tests/program"
	"assay/tests/whole"
)

// A recordCheat makes a run look better than it was in its records or in what it
// says about itself. Lint must name the check that sees it.
type recordCheat struct {
	name  string
	run   fixture.Run
	check string // by its id, as void or as caution
}

var recordCheats = []recordCheat{
	{
		"usage of three tokens more than were sent",
		fixture.Run{Baseline: fixture.System{Usage: 14}}, "usage-mismatch",
	},
	{
		"every prompt is the same, and the server has it cached",
		fixture.Run{Baseline: fixture.System{Request: func(_ int, r *record.Request, _ *[]record.Chunk) { r.PromptHash = 7 }}}, "prompt-cache",
	},
	{
		"a client that is late by half an answer",
		fixture.Run{Baseline: fixture.System{Request: func(_ int, r *record.Request, _ *[]record.Chunk) { r.Sent = r.Due + 150e6 }}}, "client-limit",
	},
	{
		"the second launch is a copy of the first",
		fixture.Run{Baseline: fixture.System{Request: copied()}}, "copied-answers",
	},
	{
		"answers that come before their requests",
		fixture.Run{Baseline: fixture.System{Request: func(_ int, r *record.Request, _ *[]record.Chunk) {
			if r.ID%10 == 0 {
				r.Done = r.Sent - 1e6
			}
		}}}, "impossible-times",
	},
	{
		"requests of the warm-up are counted as measured",
		fixture.Run{Baseline: fixture.System{Request: func(_ int, r *record.Request, _ *[]record.Chunk) { r.Phase = record.Measure }}}, "outside-window",
	},
	{
		"calls that failed are not in the records",
		fixture.Run{Forgotten: 40}, "missing-requests",
	},
	{
		"a planned launch is not there",
		fixture.Run{Lost: []int{3}}, "missing-launches",
	},
	{
		"all launches share one server",
		fixture.Run{Spec: func(r *spec.Run) { r.Spec.Target.Server = nil }}, "shared-server",
	},
}

// copied makes every answer of the second launch take as long as that of the first.
func copied() func(int, *record.Request, *[]record.Chunk) {
	type timing struct{ first, done int64 }
	seen := map[int64]timing{}
	return func(launch int, r *record.Request, events *[]record.Chunk) {
		switch {
		case r.First == nil || launch > 1:
		case launch == 0:
			seen[r.ID] = timing{*r.First - r.Sent, r.Done - r.Sent}
		default:
			was, ok := seen[r.ID]
			if !ok {
				return
			}
			moved := r.Sent + was.first - *r.First
			*r.First, r.Done = r.Sent+was.first, r.Sent+was.done
			for i := range *events {
				(*events)[i].At = min((*events)[i].At+moved, r.Done)
			}
		}
	}
}

func TestRecordCheats(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, one := range recordCheats {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			wantFound(t, program.Run(t, "", "lint", one.run.Write(t, t.TempDir())), one.check)
		})
	}
	t.Run("an honest run", func(t *testing.T) {
		t.Parallel()
		got := program.Run(t, "", "lint", fixture.Run{}.Write(t, t.TempDir()))
		for _, one := range recordCheats {
			if found(got, one.check) {
				t.Errorf("%s accuses an honest run\n%s", one.check, got.Text())
			}
		}
	})
}

// A wrong statement about a right run is found by its value, its interval and its
// percentile.
func TestWrongStatements(t *testing.T) {
	t.Parallel()
	honest := fixture.Run{}.Write(t, t.TempDir())
	for name, tt := range map[string]struct{ statement, check string }{
		"twice the throughput": {"{metric: output_throughput.v1, statistic: value, value: 900, interval: [880, 920], n: 5}", "stated-value"},
		"a narrower interval":  {"{metric: ttft.v2, statistic: p50, value: 0.1, interval: [0.09999, 0.10001], n: 5}", "pooled-requests"},
		"more launches":        {"{metric: ttft.v2, statistic: p50, value: 0.1003, interval: [0.0990, 0.1015], n: 50}", "pooled-requests"},
		"a tail nobody saw":    {"{metric: ttft.v2, statistic: p99.9, value: 0.11, interval: [0.1, 0.12], n: 5}", "uncertified-percentile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := write(t, "statements.yaml", "{version: \"1.0\", statements: ["+tt.statement+"]}\n")
			wantFound(t, program.Run(t, "", "lint", honest, "--statements", file), tt.check)
		})
	}
}

// Pairs that must not be compared are named as such.
func TestPairCheats(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	base := fixture.Run{ID: "base"}.Write(t, t.TempDir())
	newer := fixture.System{Version: newerEngine}
	for name, tt := range map[string]struct {
		run   fixture.Run
		check string
	}{
		"another model answers to the same name": {fixture.Run{Baseline: newer, Environment: func(e record.Environment) {
			e.Set("server.models", []string{"openai/gpt-oss-20b", "tiny-draft"})
		}}, "served-model"},
		"the candidate may stop early": {fixture.Run{Baseline: newer, Spec: func(r *spec.Run) {
			off := !(r.Spec.Load.IgnoreEOS != nil && *r.Spec.Load.IgnoreEOS)
			r.Spec.Load.IgnoreEOS = &off
		}}, "length-control"},
		"one after the other": {fixture.Run{Baseline: newer}, "unpaired-drift"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.run.ID = "candidate"
			wantFound(t, program.Run(t, "", "lint", base, tt.run.Write(t, t.TempDir())), tt.check)
		})
	}
	t.Run("the same records twice", func(t *testing.T) {
		t.Parallel()
		twin := filepath.Join(t.TempDir(), "twin")
		noError(t, os.CopyFS(twin, os.DirFS(base)))
		noError(t, os.Remove(filepath.Join(twin, "attestation.intoto.jsonl")))
		forger.Reseal(t, twin, func(m forger.Manifest) { m["runID"], m["signer"] = "twin", map[string]any{"keyID": "unsigned"} })
		wantFound(t, program.Run(t, "", "lint", base, twin), "shared-launches")
	})
}

// found reports whether lint says something about a check that is worse than a note.
func found(got program.Result, check string) bool {
	for line := range strings.Lines(got.Stdout) {
		word, rest, _ := strings.Cut(line, " ")
		if (word == "VOID" || word == "CAUTION") && strings.HasPrefix(strings.TrimSpace(rest), check) {
			return true
		}
	}
	return false
}

func wantFound(t *testing.T, got program.Result, check string) {
	t.Helper()
	if !found(got, check) {
		t.Errorf("exit %d: %s is silent\n%s", got.Code, check, got.Text())
	}
}
