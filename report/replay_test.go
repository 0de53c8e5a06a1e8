package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/report"
	"assay/report/reporttest"
	"assay/spec"
	"assay/unit"
)

// A report of a replay says what was replayed, and one of sessions what they
// are; metrics of single requests that mean nothing there are not shown.
func TestReplayText(t *testing.T) {
	r := reporttest.Example(t)
	r.Plan.Run.Spec.Load.TraceRef = "day@sha256:1"
	r.Plan.Run.Spec.Workload.ConcurrencyModel = spec.OpenLoop
	r.Replays = []judge.Replay{{
		Name: "day", Digest: "sha256:1", Format: "mooncake", Requests: 24, Chosen: 22, Used: 20, Share: 20.0 / 24, Scale: 2,
		RecordedRate: 21.05, OfferedRate: 10.3, InputTokens: 615, OutputTokens: 3.45, SharedInput: 0.4995,
	}}
	shown := func() string {
		var b bytes.Buffer
		if err := report.Text(&b, r); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	f := func(text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("the report does not say %q:\n%s", want, text)
			}
		}
	}
	f(shown(), "day sha256:1 (mooncake): 20 of 24 requests, 83.3 %; gaps × 2; recorded 21.1 req/s, offered 10.3 req/s; 50 % of the prompt tokens",
		"as recorded: 615 tokens in, 3.45 out on average", "open loop: requests leave on schedule")
	if text := shown(); strings.Contains(text, "weight 1") {
		t.Errorf("the report tells lengths that the trace did not have:\n%s", text)
	}
	r.Plan.Run.Spec.Workload.Session = &spec.Session{
		From: "synthetic", History: "live", Turns: 3, SystemTokens: 9, ThinkTime: unit.Duration(time.Second),
		Tool: &spec.SessionTool{Time: unit.Duration(2 * time.Second)}, Fork: &spec.Fork{Every: 2, Branches: 3},
	}
	f(shown(), "open loop of sessions", "offered 10.3 session/s",
		"from synthetic, 3 turns, system text of 9 tokens, think time 1s, injected tool time 2s, 3 branches before every 2 turns, live history")
	r.Plan.Run.Spec.Workload.ConcurrencyModel = spec.ClosedLoop
	r.Plan.Run.Spec.Workload.Session = &spec.Session{From: "dataset", History: "recorded", Tool: &spec.SessionTool{Command: []string{"grep", "x"}}}
	f(shown(), "closed loop of sessions", "from dataset, real tool grep x, recorded history", "session error rate", "make load.duration longer than a session")
}
