package parity

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"assay/accuracy/lexical"
	"assay/stats/items"
)

// sharedFolder holds reference values and public data that are no part of the
// repository.
const sharedFolder = "../../../shared"

func readLines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(sharedFolder, "data", "wmt17_en_de", name+".txt.gz"))
	if err != nil {
		t.Skipf("the public data is not there: want shared/data beside the repository: %v", err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	scanner := bufio.NewScanner(zipped)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

// Translations of WMT17 beside their baseline: the same P values and intervals as
// sacrebleu's, as closely as other random numbers allow.
func TestGoldenSignificance(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(sharedFolder, "golden", "accuracy", "sacrebleu_wmt17_significance.json"))
	if err != nil {
		t.Skipf("the reference values are not there: want shared/golden/accuracy beside the repository: %v", err)
	}
	var golden struct {
		Baseline    string
		Comparisons []struct {
			System string
			AR     float64 `json:"BLEU_ar_p"`
			BS     float64 `json:"BLEU_bs_p"`
			Half   float64 `json:"BLEU_bs_ci95_halfwidth"`
			ChrFAR float64 `json:"chrF2_ar_p"`
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	reference := readLines(t, "reference")
	metrics := []interface {
		Segment(hypothesis string, references []string) []float64
		Score(sum []float64) float64
	}{lexical.BLEU{}, lexical.CHRF{}}
	segments := func(system string) (list [2][][]float64) {
		for i, line := range readLines(t, system) {
			for m := range metrics {
				list[m] = append(list[m], metrics[m].Segment(line, reference[i:i+1]))
			}
		}
		return list
	}
	baseline := segments(golden.Baseline)
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for i, want := range golden.Comparisons {
		if i%2 == 1 && want.AR < .001 {
			continue // half of those that clearly differ are enough
		}
		system := segments(want.System)
		bleu := items.Corpus{Score: metrics[0].Score, Trials: 3000, Seed: 12345}
		ar, err := bleu.Randomization(baseline[0], system[0])
		if err != nil {
			t.Fatal(err)
		}
		near(want.System+" randomized", ar.P, want.AR, .02)
		bleu.Trials = 1000
		bs, err := bleu.Bootstrap(baseline[0], system[0], .95)
		if err != nil {
			t.Fatal(err)
		}
		near(want.System+" bootstrapped", bs.Test.P, want.BS, .04)
		near(want.System+" half-width", (bs.B.Interval.Hi-bs.B.Interval.Lo)/2, want.Half, .08)
		chrf := items.Corpus{Score: metrics[1].Score, Trials: 1000, Seed: 12345}
		if ar, err = chrf.Randomization(baseline[1], system[1]); err != nil {
			t.Fatal(err)
		}
		near(want.System+" chrF randomized", ar.P, want.ChrFAR, .02)
	}
}
