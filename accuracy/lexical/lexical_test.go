package lexical

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"assay/tests/texts"
)

// TestCorpusMetrics is what every corpus metric keeps, on texts of all kinds: as many
// statistics for every text, the same whatever was scored before and on whatever core,
// and a score in its range.
func TestCorpusMetrics(t *testing.T) {
	pairs := texts.New(7).Pairs(300)
	hyps, refs := make([]string, len(pairs)), make([][]string, len(pairs))
	for i, pair := range pairs {
		hyps[i], refs[i] = pair.Hyp, pair.Refs
	}
	for _, entry := range All {
		m := entry.Corpus
		if m == nil {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			all := Statistics(m, hyps, refs)
			for i := len(pairs) - 1; i >= 0; i-- {
				one := m.Segment(hyps[i], refs[i])
				if !slices.Equal(one, all[i]) || len(one) != len(all[0]) {
					t.Fatalf("text %d: %v by itself, %v in the corpus", i, one, all[i])
				}
				if score := m.Score(one); math.IsNaN(score) || score < 0 || m.Name() != "TER" && score > 100.0001 {
					t.Errorf("text %d scores %v", i, score)
				}
			}
		})
	}
}

func TestReferences(t *testing.T) {
	f := func(want int, references ...[]string) {
		t.Helper()
		if got := References(references); got != want {
			t.Errorf("References(%v) = %d, want %d", references, got, want)
		}
	}
	f(0)
	f(1, []string{"a"}, []string{"b"})
	f(2, []string{"a", "b"})
	f(0, []string{"a", "b"}, []string{"c"})
	if got, want := (BLEU{}).Signature(0), "nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|assay-lexical:"+Version; got != want {
		t.Errorf("Signature = %s, want %s", got, want)
	}
}

func ExampleBLEU() {
	hypotheses := []string{"The cat sat on the mat.", "He likes tea."}
	references := [][]string{{"The cat is on the mat."}, {"He likes green tea."}}
	statistics := Statistics(BLEU{}, hypotheses, references)
	fmt.Printf("%.2f %s\n", BLEU{}.Score(Sum(statistics)), BLEU{}.Signature(References(references)))
	// Output: 39.39 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|assay-lexical:1.0
}
