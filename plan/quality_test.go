package plan

import (
	"math"
	"testing"

	"assay/spec"
)

const evaluated = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: t}
spec:
  workload: {model: m}
  target: {url: "http://127.0.0.1:8101"}
  evaluation:
    margin: 0.02
    tasks:
      - {name: all, family: gsm8k, path: test.jsonl, datasetRef: "sha256:3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14"}
      - {name: some, family: gsm8k, path: test.jsonl, datasetRef: "sha256:3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14", limit: 500, samples: 2}
  trials: {minReplicates: 3}
`

// A plan says how many items its margin takes, and what those it has can show.
func TestQuality(t *testing.T) {
	t.Parallel()
	doc, faults := spec.Parse("t.yaml", []byte(evaluated))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	q := p.Precision.Quality
	if q == nil || q.Margin != .02 || len(q.Needs) != len(flipShares) {
		t.Fatalf("%+v", q)
	}
	if q.Tasks[0].Items != 0 || q.Tasks[1].Items != 500 || q.Tasks[1].Samples != 6 {
		t.Errorf("tasks %+v", q.Tasks)
	}
	before := QualityNeed{}
	for _, n := range q.Needs {
		if n.NotInferior >= n.Equivalent || n.Repeated >= n.Equivalent || n.Equivalent <= before.Equivalent || n.Detect <= before.Detect {
			t.Errorf("%+v after %+v", n, before)
		}
		if n.Shows[0] != 0 || n.Shows[1] <= before.least() || n.Samples[0] != 0 {
			t.Errorf("shows %v with %v samples after %v", n.Shows, n.Samples, before.Shows)
		}
		before = n
	}
	// 429 is the textbook number for 2 % flips and a margin of two points; the guard against
	// unseen losses takes some more.
	if n := q.Needs[0].Equivalent; n < 429 || n > 650 {
		t.Errorf("%d items for 2 %% flips, want 429 and what the guard takes", n)
	}
	if got := q.Tasks[1].Unpaired; math.Abs(got-.0886) > .001 {
		t.Errorf("unpaired %v", got)
	}
}

func (n QualityNeed) least() float64 {
	if len(n.Shows) < 2 {
		return 0
	}
	return n.Shows[1]
}
