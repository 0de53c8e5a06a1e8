package lint

import (
	"testing"

	"assay/metric"
	"assay/spec"
)

// A model that writes bytes which are no text has more tokens in its answers than the
// server counted: that makes it look slower, and the check of the two counts says so.
func TestUsageBelowTheText(t *testing.T) {
	s := clean()
	s.small()
	f := s.facts(t)
	f.Plan.Run.Spec.Workload.Tokenizer.Kind = spec.TokenizerFile
	f.Estimates.Counts = []metric.Count{{Of: metric.OfAnswer, Requests: 400, Ours: 72.6, Server: 64, Least: -29, Most: 1}}
	if answer := usageMismatch(f); len(answer.Findings) > 0 {
		t.Errorf("a count below the text's was called inflated: %+v", answer.Findings)
	}
}
