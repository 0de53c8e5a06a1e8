package stats

import "gonum.org/v1/gonum/stat"

// BatchMeans are the means of successive batches of size values. Values that
// fill no batch are left out at the end.
func BatchMeans(xs []float64, size int) []float64 {
	means := make([]float64, 0, len(xs)/size)
	for ; len(xs) >= size; xs = xs[size:] {
		means = append(means, stat.Mean(xs[:size], nil))
	}
	return means
}
