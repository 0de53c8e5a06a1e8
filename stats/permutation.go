package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The methods of permutation tests. The exact ones try every arrangement, the
// others the given number of random ones from the given seed.
const (
	PermutationExactMethod   = "permutation/exact"
	PermutationSampledMethod = "permutation/sampled"
	SignFlipExactMethod      = "permutation-in-blocks/exact"
	SignFlipSampledMethod    = "permutation-in-blocks/sampled"
)

const (
	// fewArrangements is how many are tried one by one even when fewer rounds were
	// asked for: an exact P costs less than the doubt about a sampled one.
	fewArrangements = 20_000

	// arrangementSlack forgives the rounding of sums taken in different orders, so
	// that arrangements with the same statistic count as such.
	arrangementSlack = 1e-12

	// permutationStream keeps the random numbers of permutation tests apart from
	// those that others draw from the same seed.
	permutationStream = 0x7065726d
)

// Permutation tests whether the labels a and b matter to a statistic that is the
// larger the more b exceeds a. P is twice the share of arrangements of the values
// whose statistic is as extreme on the nearer side. When there are few, all are
// tried; otherwise rounds random ones, and the observed arrangement counts as one
// of them, so that P is never zero. An arrangement whose statistic is not a number
// counts as extreme. statistic must not change its arguments.
func Permutation(a, b []float64, statistic func(a, b []float64) float64, rounds int, seed int64) (Test, error) {
	if err := needValues(1, a, b); err != nil {
		return Test{}, err
	}
	if rounds < 1 {
		return Test{}, fmt.Errorf("%d rounds: want at least 1", rounds)
	}
	observed := statistic(a, b)
	if math.IsNaN(observed) || math.IsInf(observed, 0) {
		return Test{}, fmt.Errorf("the statistic of the samples is %v: want a finite number", observed)
	}
	all := append(append(make([]float64, 0, len(a)+len(b)), a...), b...)
	t := tails{observed: observed, slack: arrangementSlack * math.Abs(observed)}
	if choose(len(all), len(a)) <= max(fewArrangements, float64(rounds)) {
		eachChoice(all, len(a), func(a, b []float64) { t.add(statistic(a, b)) })
		return t.test(PermutationExactMethod, true), nil
	}
	rng := rand.New(rand.NewPCG(uint64(seed), permutationStream))
	for range rounds {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		t.add(statistic(all[:len(a)], all[len(a):]))
	}
	return t.test(PermutationSampledMethod, false), nil
}

// SignFlip tests whether b[i] − a[i] is on average zero, where both belong to one
// block: under the hypothesis each difference could as well have the other sign, so
// what a block does to both of its values cancels. Statistic is the mean difference. P
// is as in Permutation.
func SignFlip(a, b []float64, rounds int, seed int64) (Test, error) {
	if err := needPairs(1, a, b); err != nil {
		return Test{}, err
	}
	if rounds < 1 {
		return Test{}, fmt.Errorf("%d rounds: want at least 1", rounds)
	}
	d := differencesOf(a, b)
	mean, slack := 0.0, 0.0
	for i, v := range d {
		mean += v / float64(len(d))
		slack += (math.Abs(a[i]) + math.Abs(b[i])) / float64(len(d))
	}
	t := tails{observed: mean, slack: arrangementSlack * slack}
	flipped := func(minus func(i int) bool) float64 {
		sum := 0.0
		for i, v := range d {
			if minus(i) {
				v = -v
			}
			sum += v / float64(len(d))
		}
		return sum
	}
	if all := math.Pow(2, float64(len(d))); all <= max(fewArrangements, float64(rounds)) {
		for mask := range int(all) {
			t.add(flipped(func(i int) bool { return mask>>i&1 == 1 }))
		}
		return t.test(SignFlipExactMethod, true), nil
	}
	rng := rand.New(rand.NewPCG(uint64(seed), permutationStream))
	for range rounds {
		t.add(flipped(func(int) bool { return rng.IntN(2) == 1 }))
	}
	return t.test(SignFlipSampledMethod, false), nil
}

// MeanDifference is the mean of b less that of a, the usual statistic of Permutation.
func MeanDifference(a, b []float64) float64 {
	var sa, sb float64
	for _, x := range a {
		sa += x
	}
	for _, x := range b {
		sb += x
	}
	return sb/float64(len(b)) - sa/float64(len(a))
}

// eachChoice calls visit with every way to split all into size values and the
// rest, in an order of no meaning. visit must not keep the slices.
func eachChoice(all []float64, size int, visit func(chosen, rest []float64)) {
	chosen, rest := make([]float64, 0, len(all)), make([]float64, 0, len(all))
	var from func(i int)
	from = func(i int) {
		if i == len(all) {
			visit(chosen, rest)
			return
		}
		if len(chosen) < size {
			chosen = append(chosen, all[i])
			from(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
		if len(rest) < len(all)-size {
			rest = append(rest, all[i])
			from(i + 1)
			rest = rest[:len(rest)-1]
		}
	}
	from(0)
}

// tails counts arrangements at least as extreme as the observed one, either way.
type tails struct {
	observed, slack     float64
	below, above, tried int
}

func (t *tails) add(v float64) {
	t.tried++
	if !(v > t.observed+t.slack) {
		t.below++
	}
	if !(v < t.observed-t.slack) {
		t.above++
	}
}

// test doubles the smaller tail. Sampled arrangements are joined by the observed
// one, without which P could be zero (Phipson and Smyth 2010).
func (t *tails) test(method string, exact bool) Test {
	hits, of := min(t.below, t.above), t.tried
	if !exact {
		hits, of = hits+1, of+1
	}
	return Test{Statistic: t.observed, P: min(1, 2*float64(hits)/float64(of)), Method: method, Exact: exact}
}
