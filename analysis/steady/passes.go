package steady

import (
	"math"
	"slices"

	"assay/stats"
)

// Passes are the verdict of the super-pass method on a load that goes through a
// data set again and again.
type Passes struct {
	Size   int               `json:"size"`   // rows of the data set that were asked
	Series []string          `json:"series"` // what was gated, in the order of the levels
	Result stats.SuperPasses `json:"result"`
}

// passes cuts calls into passes over the data set. Every row is asked once before
// any comes again, so the number of a call tells its pass; the size is the number
// of different prompts, which is known as soon as one came twice.
func passes(calls []call) *Passes {
	different := map[int64]bool{}
	for _, c := range calls {
		different[c.PromptHash] = true
	}
	p := &Passes{Size: len(different)}
	byPass := map[int64][]call{}
	if p.Size < len(calls) {
		for _, c := range calls {
			pass := c.id / int64(p.Size)
			byPass[pass] = append(byPass[pass], c)
		}
	}
	var whole [][]call
	for _, pass := range sortedKeys(byPass) {
		// A pass whose first rows went to the point before, or that the end of the
		// point cut, asks something else than the others. Failed calls are missing too;
		// a few do not change the mix.
		if own := byPass[pass]; len(own) >= p.Size*9/10 {
			whole = append(whole, own)
		}
	}
	var series [][]float64
	if len(whole) > 0 {
		for _, m := range gated(calls) {
			middle, high := perPass(m, whole)
			series = append(series, middle, high)
			p.Series = append(p.Series, m.name+" p50", m.name+" p95")
		}
	}
	p.Result, _ = stats.SuperPass(len(whole), series...) // the lengths agree
	return p
}

// perPass is the p50 and the p95 of a quantity in each pass.
func perPass(m measure, whole [][]call) (middle, high []float64) {
	for _, calls := range whole {
		var xs []float64
		for _, c := range calls {
			if v, ok := m.of(c); ok {
				xs = append(xs, v)
			}
		}
		slices.Sort(xs)
		at := func(q float64) float64 {
			if len(xs) == 0 {
				return 0
			}
			return xs[max(0, int(math.Ceil(q*float64(len(xs))-1e-9))-1)]
		}
		middle, high = append(middle, at(.5)), append(high, at(.95))
	}
	return middle, high
}

func sortedKeys(m map[int64][]call) []int64 {
	var keys []int64
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
