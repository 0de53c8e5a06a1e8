package lexical

import "math"

// Calibrated is what one answer adds to a calibration error over so many bins of equal
// width: in the bin of its confidence, which is from 0 to 1, one answer, the confidence, and
// one if it is right. A confidence on the border of two bins is in the lower.
func Calibrated(confidence float64, right bool, bins int) []float64 {
	stats := make([]float64, 3*bins)
	bin := min(max(int(math.Ceil(confidence*float64(bins)))-1, 0), bins-1)
	stats[3*bin], stats[3*bin+1] = 1, confidence
	if right {
		stats[3*bin+2] = 1
	}
	return stats
}

// CalibrationError is the expected calibration error: how far the confidence in answers
// is from the share of them that is right, averaged over the bins, each by the answers in
// it (Guo et al., "On Calibration of Modern Neural Networks", 2017). It is NaN without
// answers.
func CalibrationError(sums []float64) float64 {
	n, off := 0.0, 0.0
	for i := 0; i < len(sums); i += 3 {
		n += sums[i]
		off += math.Abs(sums[i+1] - sums[i+2])
	}
	return off / n
}
