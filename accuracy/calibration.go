package accuracy

import (
	"fmt"
	"math"
	"slices"

	"assay/accuracy/lexical"
)

// calibrationBins is how many bins of equal width the confidence in answers falls into.
const calibrationBins = 10

// calibrationGraders judge whether a model knows when it is right.
var calibrationGraders = []Grader{{
	Name: "ece", Likelihood: true, Lower: true, Corpus: lexical.CalibrationError,
	Doc: "Expected calibration error: how far the confidence in the likeliest letter, its share in the probability of all letters, is from the share of right answers.",
	Signature: func(int) string {
		return fmt.Sprintf("bins:%d|width:equal|confidence:letters|assay-lexical:%s", calibrationBins, lexical.Version)
	},
	grade: gradeCalibration,
}}

// gradeCalibration is how sure the model is of its letter, and whether it is right. The
// letters share all of the probability: what else might have been said is no choice.
func gradeCalibration(a *Answer) (Mark, error) {
	values, why, err := letterLogprobs(a)
	if err != nil || why != "" {
		return Mark{Unparsed: true, Why: why}, err
	}
	top, all := slices.Max(values), 0.0
	for _, value := range values {
		all += math.Exp(value - top)
	}
	winner, confidence := slices.Index(values, top), 1/all
	stats := lexical.Calibrated(confidence, winner == *a.Key.Target, calibrationBins)
	return Mark{
		Score: lexical.CalibrationError(stats), Extracted: letters[winner : winner+1], Stats: stats, Why: fmt.Sprintf("confidence %.4g", confidence),
	}, nil
}
