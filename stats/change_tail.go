package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// tailShare is the part of the arrangements that shows how the tail falls.
const tailShare = 40

// beyond is split for an alpha that is smaller than the arrangements can show: where many
// series are looked at together, millions would be needed for each that changed. No
// arrangement may reach the statistic of the series, and its P is read off the tail of the
// others, which is taken to fall exponentially above its largest fortieth. That of a sum of
// squares, which the energy statistic is close to, does in the end, and that of finitely many
// arrangements falls faster; the slope is the slowest that the sample allows at 95 %. P is
// never less than the chance that the arrangement is the one that was seen.
func (o ChangePointOptions) beyond(d *distances, xs []float64, at int, observed float64, rng *rand.Rand) (ChangePoint, bool, error) {
	shuffled, reached := slices.Clone(xs), make([]float64, 0, o.Rounds)
	for len(reached) < o.Rounds {
		if err := o.Between(); err != nil {
			return ChangePoint{}, false, err
		}
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		_, most := d.best(shuffled, o.Shortest)
		if most >= observed*(1-arrangementSlack) {
			return ChangePoint{}, false, nil // P is one in so many, which is too much
		}
		reached = append(reached, most)
	}
	p := max(tailBeyond(reached, observed), math.Exp(-combin.LogGeneralizedBinomial(float64(len(xs)), float64(at))))
	return ChangePoint{at, observed, p, ChangePointTailMethod}, p <= o.Alpha, nil
}

// tailBeyond is the chance of a value of at least x, going by a sample that lies below it. It
// sorts the sample.
func tailBeyond(sample []float64, x float64) float64 {
	slices.Sort(sample)
	n := max(1, len(sample)/tailShare)
	above := sample[len(sample)-n:]
	from, excess := above[0], 0.0
	for _, v := range above {
		excess += (v - from) / float64(n)
	}
	slope := excess * (1 + 1.645/math.Sqrt(float64(n)))
	return float64(n) / float64(len(sample)) * math.Exp(-(x-from)/slope)
}
