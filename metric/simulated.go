package metric

import (
	"slices"

	"assay/plan"
)

// Drawn is what one launch of a simulation gave: the values of its requests, or the hits
// and trials of a share.
type Drawn struct {
	Values       []float64 // which Simulated sorts
	Hits, Trials int
}

// Simulated are the estimates of m at the first point of p, had its launches given what
// was drawn. They come from the code that a bundle's records go through, so that a
// simulation of known truth judges what people read.
func Simulated(p plan.Plan, m Metric, launches []Drawn) (Estimates, error) {
	e := Estimates{Version: EstimatesVersion, Confidence: p.Trials().ConfidenceLevel, Rows: []Row{}, Outcomes: []Outcomes{}}
	place := slices.IndexFunc(All, func(one Metric) bool { return one.ID == m.ID })
	samples := make([]judgedPoint, len(launches))
	for i, l := range launches {
		results := make([]metricResult, len(All))
		results[place] = metricResult{known: true, hits: l.Hits, trials: l.Trials, distribution: summarise(l.Values, false)}
		samples[i] = judgedPoint{launch: i, results: results}
		e.Launches = append(e.Launches, i)
	}
	var err error
	e.Rows, err = m.rows(place, p.Points[0].Index, samples, e.Confidence)
	e.markOutliers(p)
	return e, err
}
