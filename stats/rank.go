package stats

// OfRank is the value of Quantile alone, of values that are sorted already: what
// many quantiles of many values need, which none of them takes an interval of. It
// panics when there are none.
func OfRank(sorted []float64, q float64) float64 { return sorted[rankOf(len(sorted), q)-1] }
