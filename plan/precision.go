package plan

import "assay/stats"

// Precision is what the planned sample can certify, before anything is spent.
type Precision struct {
	Confidence float64      `json:"confidence"`
	Launches   int          `json:"launches"`
	Percentile []Percentile `json:"percentiles"`
	Effects    []Effect     `json:"effects,omitempty"` // none for a single launch
	Power      float64      `json:"power"`             // of the effects
	Quality    *Quality     `json:"quality,omitempty"` // of an evaluation
}

// Percentile is the sample that one percentile needs and which points reach it
// within each launch.
type Percentile struct {
	Quantile  float64 `json:"quantile"`
	Need      int     `json:"need"`      // requests for an interval with two finite ends
	Certified []int   `json:"certified"` // points expected to reach it
}

// Effect is the smallest difference the planned launches could show, for a
// launch-to-launch coefficient of variation that only the run can tell.
type Effect struct {
	CV         float64 `json:"cv"`
	HalfWidth  float64 `json:"halfWidth"`  // of a mean over launches, relative; one side
	Detectable float64 `json:"detectable"` // minimum detectable effect between two sides
}

// quantiles are those the reports show.
var quantiles = []float64{0.5, 0.9, 0.95, 0.99, 0.999}

// launchCVs span what launch-to-launch variation is in practice: 1 % on a quiet
// dedicated machine, 5 % on a shared one.
var launchCVs = []float64{0.01, 0.02, 0.03, 0.05}

// usualPower is the chance of seeing an effect that is there, as nearly every
// plan in the field sets it.
const usualPower = 0.8

func precision(p Plan) Precision {
	trials := p.Run.Spec.Trials
	out := Precision{Confidence: trials.ConfidenceLevel, Launches: p.Replicates(), Power: usualPower, Quality: qualityOf(p)}
	for _, q := range quantiles {
		row := Percentile{Quantile: q, Need: stats.MinSamples(q, trials.ConfidenceLevel), Certified: []int{}}
		for _, point := range p.Expected.PerPoint {
			if point.Requests >= int64(row.Need) {
				row.Certified = append(row.Certified, point.Point)
			}
		}
		out.Percentile = append(out.Percentile, row)
	}
	if p.Replicates() < 2 {
		return out // one launch shows no spread, and so no effect
	}
	for _, cv := range launchCVs {
		out.Effects = append(out.Effects, Effect{
			CV:         cv,
			HalfWidth:  stats.HalfWidth(cv, p.Replicates(), trials.ConfidenceLevel),
			Detectable: stats.MinimumDetectableEffect(cv, p.Replicates(), 1-trials.ConfidenceLevel, usualPower),
		})
	}
	return out
}
