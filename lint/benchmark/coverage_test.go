package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/stats"

	"gonum.org/v1/gonum/stat"
)

// The worlds must be what they say: the truths are checked on long launches.
func TestWorlds(t *testing.T) {
	for _, w := range worlds {
		var means []float64
		below := 0
		rng := rand.New(rand.NewPCG(5, 5))
		for range 200 {
			xs := w.launch(rng, 2000)
			means = append(means, stat.Mean(xs, nil))
			for _, x := range xs {
				if x <= w.quantile(.9) {
					below++
				}
			}
		}
		mean, sd := stat.MeanStdDev(means, nil)
		if off := math.Abs(mean-w.mean) / (sd / math.Sqrt(200)); off > 4 {
			t.Errorf("%s: mean %.4f, said to be %.4f", w.name, mean, w.mean)
		}
		if share := float64(below) / (200 * 2000); math.Abs(share-.9) > .015 {
			t.Errorf("%s: %.4f lie below the p90, want 0.9", w.name, share)
		}
	}
	if got := slowTruth(queueWorld("", .7)); math.Abs(got-math.Exp(-2*.3)) > 1e-9 {
		t.Errorf("%v of a queue's response times are slow, want %v", got, math.Exp(-2*.3))
	}
}

// Some methods with enough trials to notice a break; the command does all of them.
func TestCoverage(t *testing.T) {
	picked := []string{"mean, Student's t", "percentile p50, effective n", "percentile p99", "ratio of geometric means, Welch"}
	for _, m := range methods {
		if !slices.Contains(picked, m.name) {
			continue
		}
		for at, w := range worlds {
			got, err := tally(m, w, 200, int64(at))
			if err != nil {
				t.Fatal(err)
			}
			if !got.kept(m) {
				t.Errorf("%s of %s, %s: covers %.3f of %d answers", m.name, m.sample, w.name, got.coverage(), got.answered())
			}
		}
	}
}

// A method that takes dependent requests for independent is called broken.
func TestBrokenIsSeen(t *testing.T) {
	naive := ofRequests("mean, normal", 1000, false, meanTruth, func(xs []float64) (stats.Estimate, error) {
		mean, sd := stat.MeanStdDev(xs, nil)
		half := 1.96 * sd / math.Sqrt(float64(len(xs)))
		return stats.Estimate{Interval: stats.Interval{Lo: mean - half, Hi: mean + half}}, nil
	})
	for at, want := range []bool{true, false, false, false, true, false} { // launches that differ are refused by nature
		got, err := tally(naive, worlds[at], 200, 1)
		if err != nil || got.kept(naive) != want {
			t.Errorf("%s: covers %.3f, %v, kept %v; want %v", worlds[at].name, got.coverage(), err, got.kept(naive), want)
		}
	}
	// Refusing most samples does not excuse the rest.
	if (tallied{trials: 1000, refused: 600, covered: 200}).kept(naive) {
		t.Error("a fifth of all samples with a wrong interval was accepted")
	}
	if !(tallied{trials: 1000, refused: 990, covered: 0}).kept(naive) {
		t.Error("ten wrong intervals in a thousand samples were not accepted")
	}
}
