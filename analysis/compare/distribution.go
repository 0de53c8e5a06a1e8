package compare

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// A Distribution describes the requests of both sides at one point. It is there to
// be looked at: requests inside a launch share its luck, so nothing here is a
// test.
type Distribution struct {
	Metric string    `json:"metric"`
	Name   string    `json:"name"`
	Unit   unit.Unit `json:"unit"`
	Point  string    `json:"point"`

	// Quantiles of all requests of a side together.
	Quantiles []Quantiles `json:"quantiles"`

	// Distances between the launches, pair by pair.
	Distances []Distance `json:"distances"`
}

// Quantiles is one row of a table of quantiles; a side with too few requests to
// have one shows none.
type Quantiles struct {
	Quantile  float64  `json:"quantile"`
	Baseline  *float64 `json:"baseline"`
	Candidate *float64 `json:"candidate"`
}

// A Distance says how far the requests of two launches lie apart: the largest
// difference of their shares (Kolmogorov and Smirnov), and by how much a request
// is moved on average (Wasserstein).
type Distance struct {
	Baseline    int     `json:"baseline"`  // launch
	Candidate   int     `json:"candidate"` // launch
	KS          float64 `json:"ks"`
	Wasserstein float64 `json:"wasserstein"`
}

// shownQuantiles are those of the table.
var shownQuantiles = []float64{.05, .25, .5, .75, .9, .95, .99, .999}

// shownMetrics are the metrics whose distributions are laid side by side.
var shownMetrics = []metric.Metric{metric.TTFT, metric.TPOT, metric.E2E}

// requestValues are the values of each shown metric by point and launch.
type requestValues map[string]map[int]map[int][]float64 // metric, point, launch

// distributions describes the requests of both sides. The warning says why there
// is nothing to show.
func distributions(a, b Side, most int64) (list []Distribution, warning string, err error) {
	if a.Bundle == nil || b.Bundle == nil {
		return nil, "", nil
	}
	if rows := chunkRows(a) + chunkRows(b); rows > most {
		return nil, fmt.Sprintf("the sides hold %d events together, more than %d: their distributions are not laid side by side", rows, most), nil
	}
	inA, err := readValues(a)
	if err != nil {
		return nil, "", err
	}
	inB, err := readValues(b)
	if err != nil {
		return nil, "", err
	}
	for _, point := range a.Plan.Points {
		for _, other := range b.Plan.Points {
			if other.Name != point.Name {
				continue
			}
			for _, m := range shownMetrics {
				x, y := inA[m.ID][point.Index], inB[m.ID][other.Index]
				if len(x) > 0 && len(y) > 0 {
					d := describe(a, b, x, y)
					d.Metric, d.Name, d.Unit, d.Point = m.ID, m.Name, m.Unit, point.Name
					list = append(list, d)
				}
			}
		}
	}
	return list, "", nil
}

// chunkRows counts the events of the side's launches.
func chunkRows(s Side) (rows int64) {
	for _, l := range s.Manifest.Launches {
		if l.Side == s.Name {
			rows += l.Rows[bundle.Chunks]
		}
	}
	return rows
}

// readValues reads the shown metrics of every completed launch of the side, one
// launch at a time.
func readValues(s Side) (requestValues, error) {
	out := requestValues{}
	for _, m := range shownMetrics {
		out[m.ID] = map[int]map[int][]float64{}
	}
	for _, info := range s.Manifest.Launches {
		if info.Side != s.Name || !slices.Contains(s.Estimates.Launches, info.Index) {
			continue
		}
		launch, err := metric.ReadLaunch(s.Bundle, info.Index)
		if err != nil {
			return nil, err
		}
		for _, point := range launch.Points {
			for t := range point.Measured {
				if t.Result != record.OK {
					continue
				}
				for _, m := range shownMetrics {
					byPoint := out[m.ID]
					if byPoint[point.Index] == nil {
						byPoint[point.Index] = map[int][]float64{}
					}
					if values := m.Each(t); len(values) > 0 {
						byPoint[point.Index][info.Index] = append(byPoint[point.Index][info.Index], values...)
					}
				}
			}
		}
	}
	return out, nil
}

// describe lays the requests of two sides, by launch, side by side.
func describe(a, b Side, x, y map[int][]float64) Distribution {
	var d Distribution
	pooledA, pooledB := pool(x), pool(y)
	for _, q := range shownQuantiles {
		d.Quantiles = append(d.Quantiles, Quantiles{Quantile: q, Baseline: quantile(pooledA, q), Candidate: quantile(pooledB, q)})
	}
	blockA, blockB := blocks(a), blocks(b)
	launchesA, launchesB := keys(x), keys(y)
	for i, la := range launchesA {
		for j, lb := range launchesB {
			if sameRun(a, b) && blockA[la] != blockB[lb] || !sameRun(a, b) && i != j {
				continue
			}
			d.Distances = append(d.Distances, Distance{
				Baseline: la, Candidate: lb,
				KS: stats.KolmogorovSmirnov(x[la], y[lb]), Wasserstein: stats.Wasserstein(x[la], y[lb]),
			})
		}
	}
	return d
}

func pool(byLaunch map[int][]float64) []float64 {
	var all []float64
	for _, launch := range keys(byLaunch) {
		all = append(all, byLaunch[launch]...)
	}
	slices.Sort(all)
	return all
}

func keys(byLaunch map[int][]float64) []int {
	var list []int
	for launch := range byLaunch {
		list = append(list, launch)
	}
	slices.Sort(list)
	return list
}

// quantile is the value of rank ⌈qn⌉; nil where the requests are too few for the
// rank to be inside of the sample.
func quantile(sorted []float64, q float64) *float64 {
	n := len(sorted)
	if float64(n)*min(q, 1-q) < 1 {
		return nil
	}
	est, err := stats.Quantile(sorted, q, .95)
	if err != nil {
		return nil
	}
	return finite(est.Value)
}
