package spec

import "testing"

// What a session or a trace cannot mean is refused where it is written.
func TestSessionAndTraceRules(t *testing.T) {
	const digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	const open = "open-loop.yaml"
	object := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	session := func(pairs ...any) patch { return patch{"spec.workload.session", object(pairs...)} }
	trace := func(ref string, pairs ...any) []patch {
		return []patch{{"spec.load.rate", remove{}}, {"spec.load.arrival", remove{}}, {"spec.load.traceRef", ref}, {"spec.load.trace", object(pairs...)}}
	}
	f := func(rule, file, path, message string, patches ...patch) {
		t.Helper()
		wantFault(t, patched(t, example(t, file), patches...), rule, path, message)
	}
	f("A41", minimal, "spec.workload.session.from", "dataset needs prompt.dataset", session("from", "dataset"))
	f("A41", minimal, "spec.workload.session.turns", "does not belong to sessions from dataset, which say it themselves", session("from", "dataset", "turns", 3))
	f("A41", minimal, "spec.workload.session.from", "trace and load.traceRef go together", session("from", "trace"))
	f("A41", minimal, "spec.workload.session.history", "must be recorded: the prompts of a trace hold their history", session("from", "trace", "history", "live"))
	f("A41", minimal, "spec.workload.session.tool.command", "give command, or time and tokens, not both", session("tool", object("command", []string{"true"}, "time", "1s")))
	f("A41", minimal, "spec.load.requests", "is for single requests, not for sessions: workload.session.limit counts sessions", session(), patch{"spec.load.requests", 5})
	f("A41", minimal, "spec.load.warmup.requests", "is for single requests, not for sessions: give warmup.duration", session(), patch{"spec.load.warmup", object("requests", 5)})
	f("A41", minimal, "spec.load.stages", "of sessions need an open loop", session(), patch{"spec.load.concurrency", remove{}}, patch{"spec.load.stages", []any{object("duration", "1s", "concurrency", 2)}})
	f("A41", minimal, "spec.workload.prompt", "scenario and prefixes shape single requests, not sessions", session(), patch{"spec.workload.prompt.prefixTokens", 5})
	f("A41", minimal, "spec.workload.sequenceLengthMix", "sessions take one shape of turn", session(),
		patch{"spec.workload.sequenceLengthMix", []any{object("inputTokens", 5, "outputTokens", 5, "weight", 0.5), object("inputTokens", 6, "outputTokens", 5, "weight", 0.5)}})
	f("A42", open, "spec.load.trace", "traceRef needs trace.format: one of the formats of docs/guides/replay.md",
		patch{"spec.load.rate", remove{}}, patch{"spec.load.arrival", remove{}}, patch{"spec.load.traceRef", "t.jsonl"})
	f("A42", open, "spec.load.trace", "needs traceRef, which names its content", patch{"spec.load.trace", object("format", "mooncake")})
	f("A42", open, "spec.load.trace.path", "must be the file that traceRef names by its digest", trace(digest, "format", "mooncake")...)
	f("A42", open, "spec.load.traceRef", "must be "+pinnedWant+" where trace.path is given", trace("a.jsonl", "format", "mooncake", "path", "b.jsonl")...)
	f("A42", open, "spec.load.trace.to", "must be after from", trace("a.jsonl", "format", "mooncake", "from", "5s", "to", "5s")...)
	f("A42", open, "spec.workload.prompt", "the trace says how prompts are made: leave out dataset, scenario, prefixes and spread",
		append(trace("a.jsonl", "format", "mooncake"), patch{"spec.workload.prompt.prefixTokens", 5})...)

	for _, tt := range []struct {
		file    string
		patches []patch
	}{
		{minimal, []patch{session("turns", 3, "thinkTime", "1s", "tool", object("time", "1s", "tokens", 20), "fork", object("every", 2))}},
		{open, []patch{session("history", "live")}},
		{open, trace("mooncake@"+digest, "format", "mooncake", "path", "a.jsonl", "from", "1s", "to", "2s", "limit", 5)},
		{open, append(trace("a.jsonl", "format", "weka"), session("from", "trace"))},
		{minimal, []patch{session("from", "trace"), {"spec.load.traceRef", "a.jsonl"}, {"spec.load.trace", object("format", "weka")}}},
	} {
		doc, faults := Parse("patched.json", patched(t, example(t, tt.file), tt.patches...))
		if !Valid(faults) {
			t.Errorf("%s with %v: %s", tt.file, tt.patches, lines(faults))
			continue
		}
		resolved, _ := Resolve(*doc.Run)
		if s := resolved.Spec.Workload.Session; s != nil && (s.From == SessionSynthetic) != (s.Turns > 0) {
			t.Errorf("%s: %d turns from %s", tt.file, s.Turns, s.From)
		}
	}
}

// The file's place is not the question; its content and the part of it are.
func TestTraceIdentity(t *testing.T) {
	const digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	of := func(trace Trace) string {
		run := Run{Spec: RunSpec{Workload: Workload{ConcurrencyModel: OpenLoop}, Load: &Load{TraceRef: digest, Trace: &trace}}}
		d, err := WorkloadDigest(run)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if of(Trace{Path: "a", Format: "weka"}) != of(Trace{Path: "b", Format: "weka"}) {
		t.Error("the place of a trace changes the workload's identity")
	}
	if of(Trace{Path: "a", Format: "weka"}) == of(Trace{Path: "a", Format: "weka", Limit: 5}) {
		t.Error("another part of a trace has the same identity")
	}
}
