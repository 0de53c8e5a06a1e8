package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts the P of several tests of one family so that the chance of any
// false alarm stays at the level asked of each: adjusted p(i) = max over j ≤ i of
// (m − j + 1)·p(j), one at most (Holm 1979). It is for gates, where one false
// alarm stops a release. The result is in the order of p. A P that is not a number
// counts as one: a test that could not be made is still a member of its family.
func Holm(p []float64) []float64 {
	adjusted, order := sortedP(p)
	worst := 0.0
	for j, i := range order {
		worst = max(worst, min(1, float64(len(p)-j)*adjusted[i]))
		adjusted[i] = worst
	}
	return adjusted
}

// BenjaminiHochberg adjusts the P of several tests so that among those called
// differences the expected share of false ones stays at the level: adjusted p(i) =
// min over j ≥ i of m·p(j)/j, one at most (Benjamini and Hochberg 1995). It is for
// tables that a reader scans. The result is in the order of p; a P that is not a
// number counts as one.
func BenjaminiHochberg(p []float64) []float64 {
	adjusted, order := sortedP(p)
	least := 1.0
	for j := len(order) - 1; j >= 0; j-- {
		i := order[j]
		least = min(least, float64(len(p))*adjusted[i]/float64(j+1))
		adjusted[i] = least
	}
	return adjusted
}

// BenjaminiYekutieli is BenjaminiHochberg for tests that depend on each other in any
// way, as tasks do that share questions: every P is multiplied by 1 + 1/2 + … + 1/m more
// (Benjamini and Yekutieli 2001).
func BenjaminiYekutieli(p []float64) []float64 {
	sum := 0.0
	for j := range p {
		sum += 1 / float64(j+1)
	}
	adjusted, order := sortedP(p)
	least := 1.0
	for j := len(order) - 1; j >= 0; j-- {
		i := order[j]
		least = min(least, sum*float64(len(p))*adjusted[i]/float64(j+1))
		adjusted[i] = least
	}
	return adjusted
}

// sortedP is a copy of p and the order of its members from the smallest.
func sortedP(p []float64) (values []float64, order []int) {
	values, order = slices.Clone(p), make([]int, len(p))
	for i, v := range values {
		order[i] = i
		if math.IsNaN(v) {
			values[i] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return values, order
}
