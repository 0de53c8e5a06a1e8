package run

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// named serves completions under the name of an engine.
func named(t *testing.T, engine string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			io.Copy(io.Discard, r.Body)
			reply(w)
		case r.URL.Path == "/v1/models":
			fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":%q}]}`, engine)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func sidesPlan(t *testing.T, a, b string) plan.Plan {
	t.Helper()
	return planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
		target: {url: %q}, candidates: [{name: new, target: {url: %q}}],
		load: {concurrency: [1, 2], requests: 5, duration: 10s, warmup: {}}`, a, b))
}

// Every block holds a launch of each side, whose requests go to that side's own
// server and ask the same things; the bundle says which is which.
func TestBlocksOverTwoTargets(t *testing.T) {
	p := sidesPlan(t, named(t, "old-engine"), named(t, "new-engine"))
	b := carryOut(t, p)
	launches := b.Launches()
	if len(launches) != 6 {
		t.Fatalf("%d launches, want 6", len(launches))
	}
	prompts := map[int][]int64{} // by block, those of the first side seen
	sides := map[string]int{}
	for i, l := range launches {
		if l.Side != p.Launches[i].Side || l.Block != p.Launches[i].Block || l.Order != i || l.Outcome != bundle.LaunchCompleted {
			t.Errorf("launch %+v, planned %+v", l, p.Launches[i])
		}
		sides[l.Side]++
		var asked []int64
		for r, err := range bundle.Rows[record.Request](b, l.Index, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Phase == record.Measure {
				asked = append(asked, r.PromptHash)
			}
		}
		slices.Sort(asked)
		if len(asked) != 10 {
			t.Errorf("launch %d measured %d requests, want 10", l.Index, len(asked))
		}
		if first := prompts[l.Block]; first != nil && !slices.Equal(first, asked) {
			t.Errorf("block %d asks its sides different things", l.Block)
		}
		prompts[l.Block] = asked
	}
	if sides["baseline"] != 3 || sides["new"] != 3 {
		t.Errorf("launches by side: %v", sides)
	}
	env := b.Manifest.Environment
	if env["server.engine"].Value != "old-engine" || env["side.new.server.engine"].Value != "new-engine" {
		t.Errorf("the environment names %v and %v", env["server.engine"], env["side.new.server.engine"])
	}
}

// A side that nobody serves is named before anything is measured.
func TestSideThatIsNotThere(t *testing.T) {
	p := sidesPlan(t, named(t, "old-engine"), "http://127.0.0.1:1")
	_, err := Execute(t.Context(), p, Options{Out: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "side new: nothing answers at http://127.0.0.1:1") {
		t.Errorf("error %v, want one that names the side", err)
	}
}
