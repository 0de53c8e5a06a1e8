package items

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"assay/stats"
)

// Noise is how much one system differs from itself when the same items are asked again:
// temperature 0 is not deterministic under batching.
type Noise struct {
	Items    int `json:"items"`
	Launches int `json:"launches"`

	// SD is the standard deviation of a launch's score, and Explained the part of it
	// that items which change by themselves explain.
	SD        float64 `json:"sd"`
	Explained float64 `json:"explained"`

	// Unstable is the share of items whose score is not the same in every launch.
	Unstable float64 `json:"unstable"`

	// Floor is the difference that two launches of one system stay below in 95 of 100
	// cases.
	Floor float64 `json:"floor"`

	// Test says whether launches differ by more than their items explain: a small P means
	// that a launch is good or bad as a whole.
	Test stats.Test `json:"test"`
}

// NoiseOf measures it from scores[i][j], that of item i in launch j.
func NoiseOf(scores [][]float64) (Noise, error) {
	test, err := CochranQ(scores)
	if err != nil {
		return Noise{}, err
	}
	n := Noise{Items: len(scores), Launches: len(scores[0]), Test: test}
	launches, variance := make([]float64, n.Launches), 0.0
	for _, row := range scores {
		v := stat.Variance(row, nil)
		variance += v
		if v > 0 {
			n.Unstable += 1 / float64(n.Items)
		}
		for j, score := range row {
			launches[j] += score / float64(n.Items)
		}
	}
	n.SD, n.Explained = stat.StdDev(launches, nil), math.Sqrt(variance)/float64(n.Items)
	n.Floor = z(.975) * math.Sqrt2 * math.Max(n.SD, n.Explained)
	return n, nil
}
