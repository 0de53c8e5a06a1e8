package spec

import (
	"strings"
	"testing"
)

// A quick look changes one field of a document and nothing else that its author wrote.
func TestWithQuick(t *testing.T) {
	const head = "apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: a}\n"
	const rest = "  workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 8, weight: 1}]}\n  target: {url: \"http://h\"} # ours\n  load: {concurrency: [1]}\n"
	flow := `{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkRun", "metadata": {"name": "a"}, "spec": {"workload": {"model": "m", "sequenceLengthMix": [{"inputTokens": 8, "outputTokens": 8, "weight": 1}]}, "target": {"url": "http://h"}, "load": {"concurrency": [1]}}}`
	tests := []struct{ name, source, want string }{
		{"no trials", head + "spec:\n  # what is asked\n" + rest, head + "spec:\n  trials: {quick: true}\n  # what is asked\n" + rest},
		{"trials in a block", head + "spec:\n" + rest + "  trials:\n    # five\n    minReplicates: 5\n", head + "spec:\n" + rest + "  trials:\n    quick: true\n    # five\n    minReplicates: 5\n"},
		{"trials in a line", head + "spec:\n" + rest + "  trials: {minReplicates: 5}\n", head + "spec:\n" + rest + "  trials: {quick: true, minReplicates: 5}\n"},
		{"not quick", head + "spec:\n" + rest + "  trials: {quick: false} # no\n", head + "spec:\n" + rest + "  trials: {quick: true} # no\n"},
		{"JSON", flow, strings.Replace(flow, `"spec": {`, `"spec": {"trials": {"quick": true}, `, 1)},
	}
	for _, tt := range tests {
		document, faults := Parse("", []byte(tt.source))
		if !Valid(faults) {
			t.Fatalf("%s: %v", tt.name, faults)
		}
		got, err := WithQuick([]byte(tt.source), *document.Run)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, tt.want)
		}
	}
	odd := head + "spec:\n" + rest + "  trials: {}\n"
	document, _ := Parse("", []byte(odd))
	got, err := WithQuick([]byte(odd), *document.Run)
	if again, faults := Parse("", got); err != nil || !Valid(faults) || !again.Run.Spec.Trials.Quick {
		t.Errorf("an odd place: %v, %v\n%s", err, faults, got)
	}
}
