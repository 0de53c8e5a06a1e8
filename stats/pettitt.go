package stats

import (
	"cmp"
	"math"
)

// A Shift is where the level of a series is most unlike before and after.
type Shift struct {
	At int     `json:"at"` // the first value after it
	K  int     `json:"k"`  // the largest |U|
	P  float64 `json:"p"`
}

// Pettitt tests xs for one change of level at an unknown place (Pettitt 1979):
// K = max|U_t|, U_t = Σ_{i≤t<j} sgn(x_i − x_j), p ≈ 2·exp(−6K²/(n³+n²)). It assumes
// no distribution but independent values; means of batches come near that. A
// steady slope has a small p too: the test sees that the level changed and not
// how.
func Pettitt(xs []float64) Shift {
	n := len(xs)
	s := Shift{P: 1}
	u := 0
	for t := range max(0, n-1) {
		for j := range xs { // U_t − U_{t−1} is the sum of sgn(x_t − x_j) over all j
			u += cmp.Compare(xs[t], xs[j])
		}
		if k := max(u, -u); k > s.K {
			s.K, s.At = k, t+1
		}
	}
	if n > 1 {
		k, m := float64(s.K), float64(n)
		s.P = min(1, 2*math.Exp(-6*k*k/(m*m*m+m*m)))
	}
	return s
}
