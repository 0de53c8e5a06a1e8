package metric

import (
	"testing"

	"assay/bundle"
)

// A bundle that assay measured tells everything; one of another tool only what the
// tool wrote down.
func TestTells(t *testing.T) {
	without := func(gaps ...string) bundle.Manifest {
		m := bundle.Manifest{Source: &bundle.Source{Tool: "other"}}
		for _, id := range gaps {
			m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: id})
		}
		return m
	}
	for _, m := range All {
		if !m.KnownIn(bundle.Manifest{}) || !m.KnownIn(without()) {
			t.Errorf("%s: nothing is unknown, and it is not reported", m.ID)
		}
		if m.KnownIn(without(bundle.GapRequests)) {
			t.Errorf("%s is known to a source without requests", m.ID)
		}
	}
	for _, tt := range []struct {
		gap        string
		kept, gone Metric
	}{
		{bundle.GapSendTimes, RequestThroughput, Concurrency},
		{bundle.GapDueTimes, TTFT, Lag},
		{bundle.GapChunks, TPOTDone, TPOT},
		{bundle.GapErrors, E2E, ErrorRate},
	} {
		if m := without(tt.gap); !tt.kept.KnownIn(m) || tt.gone.KnownIn(m) {
			t.Errorf("without %s: %s known %v, %s known %v; want true and false", tt.gap, tt.kept.ID, tt.kept.KnownIn(m), tt.gone.ID, tt.gone.KnownIn(m))
		}
	}
}
