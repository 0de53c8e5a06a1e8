package items

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"assay/stats"
)

// The methods of differences between two systems.
const (
	PairedMethod    = "paired-items/student-t"
	ClusteredMethod = "paired-items/clustered-t"
	SignFlipMethod  = "paired-items/sign-flip"
)

// A Difference is by how much the second system scores higher than the first, item by
// item.
type Difference struct {
	Contrast

	Items    int `json:"items"`
	Clusters int `json:"clusters"` // as many as items where none belong together

	A, B       float64 `json:"-"`          // the mean scores
	UnpairedSE float64 `json:"unpairedSE"` // what the standard error were without pairs
	// Correlation is that of the two systems' scores; zero where a side never varies.
	Correlation float64 `json:"correlation"`

	// Flips are counted where every item was answered once by each, rightly or not.
	Flips *Flips `json:"flips,omitempty"`

	// Grouped is what became of groups that nobody labelled; absent where there are none.
	Grouped *Grouped `json:"grouped,omitempty"`

	Spread Spread `json:"spread"`

	// Test is that of the hypothesis that nothing differs: McNemar's mid-p where there
	// are flips to count and no clusters, else Student's t; where few items differ at
	// all, every pattern of signs.
	Test stats.Test `json:"test"`

	sample sample
}

// Compare takes the differences of the pairs. Items of one cluster are taken together.
func Compare(pairs []Pair) (Difference, error) {
	s, err := sampleOf(pairs)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{
		Contrast: contrastOf(s.d, s.clusters), Items: len(s.d), Clusters: s.clusters.count(),
		A: stat.Mean(s.a, nil), B: stat.Mean(s.b, nil), Spread: spreadOf(pairs, s.d), Grouped: s.grouped, sample: s,
	}
	d.UnpairedSE = math.Hypot(contrastOf(s.a, s.clusters).SE, contrastOf(s.b, s.clusters).SE)
	if r := stat.Correlation(s.a, s.b, nil); !math.IsNaN(r) {
		d.Correlation = r
	}
	if single(pairs) {
		flips := flipsOf(pairs)
		d.Flips = &flips
	}
	d.Test, err = d.test()
	return d, err
}

// fewDiffering is the largest number of items that differ for which every pattern of
// their signs is tried: Student's t is no guide to so few.
const fewDiffering = 14

func (d Difference) test() (stats.Test, error) {
	alone := d.sample.clusters.alone()
	if d.Flips != nil && alone {
		return d.Flips.MidP(), nil
	}
	differing := make([]float64, 0, fewDiffering+1)
	for _, v := range d.sample.d {
		if v != 0 && len(differing) <= fewDiffering {
			differing = append(differing, v)
		}
	}
	switch {
	case len(differing) == 0:
		return stats.Test{P: 1, Method: SignFlipMethod, Exact: true}, nil
	case alone && len(differing) <= fewDiffering:
		t, err := stats.SignFlip(make([]float64, len(differing)), differing, 1, 0)
		t.Statistic, t.Method = d.Value, SignFlipMethod
		return t, err
	}
	t := stats.Test{DF: d.DF, P: d.Differs(), Method: PairedMethod}
	if !alone {
		t.Method = ClusteredMethod
	}
	if d.SE > 0 && !math.IsInf(d.SE, 0) {
		t.Statistic = d.Value / d.SE
	}
	return t, nil
}

// Estimate is the difference with Student's t interval.
func (d Difference) Estimate(confidence float64) stats.Estimate {
	method := PairedMethod
	if !d.sample.clusters.alone() {
		method = ClusteredMethod
	}
	return stats.Estimate{Value: d.Value, Interval: d.Interval(confidence), Confidence: confidence, N: d.Items, Method: method}
}
