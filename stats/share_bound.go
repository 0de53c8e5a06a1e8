package stats

import "gonum.org/v1/gonum/stat/distuv"

// ShareAtMost is the exact upper bound of a share after hits out of trials: the
// true one lies above it with probability alpha at most (Clopper and Pearson,
// one side). The counts need not be whole: those of samples that depend on each
// other are divided by DesignEffect before.
func ShareAtMost(hits, trials, alpha float64) float64 {
	if hits >= trials {
		return 1
	}
	return distuv.Beta{Alpha: hits + 1, Beta: trials - hits}.Quantile(1 - alpha)
}

// ShareAtLeast is the exact lower bound of a share, as ShareAtMost is the upper.
func ShareAtLeast(hits, trials, alpha float64) float64 {
	if hits <= 0 {
		return 0
	}
	return distuv.Beta{Alpha: hits, Beta: trials - hits + 1}.Quantile(alpha)
}
