package items

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats"
)

// CochranMethod names the test of CochranQ.
const CochranMethod = "cochran-q"

// CochranQ tests whether several systems, or several launches of one, score equally
// well: scores[i][j] is that of item i with system j (Cochran: Biometrika 37, 1950, for
// right and wrong; the same sum holds for any score). With two of right and wrong it is
// McNemar's χ².
func CochranQ(scores [][]float64) (stats.Test, error) {
	if len(scores) == 0 {
		return stats.Test{}, ErrNoItems
	}
	k := len(scores[0])
	if k < 2 {
		return stats.Test{}, fmt.Errorf("%d systems: want two at least", k)
	}
	columns, total, varied := make([]float64, k), 0.0, 0.0
	for i, row := range scores {
		if len(row) != k {
			return stats.Test{}, fmt.Errorf("item %d has %d scores, the first one %d: want one from every system", i, len(row), k)
		}
		mean, err := meanScore(row)
		if err != nil {
			return stats.Test{}, fmt.Errorf("item %d: %w", i, err)
		}
		for j, v := range row {
			columns[j] += v
			varied += (v - mean) * (v - mean)
		}
		total += mean
	}
	test := stats.Test{P: 1, DF: float64(k - 1), Method: CochranMethod}
	if varied == 0 {
		return test, nil // no item distinguishes them
	}
	for _, c := range columns {
		test.Statistic += (c - total) * (c - total) * float64(k-1) / varied
	}
	test.P = distuv.ChiSquared{K: test.DF}.Survival(test.Statistic)
	return test, nil
}
