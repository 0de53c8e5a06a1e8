package lexical

import (
	"fmt"
	"math"
)

// PassAtK is the chance that at least one of k answers is right, when c of n were: an
// estimate without bias (Chen et al., "Evaluating Large Language Models Trained on
// Code", 2021).
func PassAtK(n, c, k int) (float64, error) {
	if c < 0 || c > n || k < 1 || k > n {
		return math.NaN(), fmt.Errorf("pass@%d of %d right answers in %d: want 1 ≤ k ≤ n and 0 ≤ right ≤ n", k, c, n)
	}
	if n-c < k {
		return 1, nil
	}
	none := 1.0
	for i := n - c + 1; i <= n; i++ {
		none *= 1 - float64(k)/float64(i)
	}
	return 1 - none, nil
}
