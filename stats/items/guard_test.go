package items

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Every outcome of single right or wrong answers, with its chance: two systems exactly
// a margin apart are called equivalent in no more than 5 % of evaluations, however many
// items flip. Student's t alone breaks that everywhere.
func TestGuardHoldsByEnumeration(t *testing.T) {
	for _, n := range []int{30, 50, 100, 300} {
		for _, margin := range []float64{.01, .02, .05, .1} {
			guarded, plain := 0.0, 0.0
			first := firstGains(n, margin, func(d Difference) bool { return d.Guard(.05, 1).NotInferior(margin) <= .05 })
			unguarded := firstGains(n, margin, func(d Difference) bool { return d.Above(-margin) <= .05 })
			for flips := margin; flips < 1; flips *= 1.25 {
				guarded = math.Max(guarded, chance(n, flips, margin, first))
				plain = math.Max(plain, chance(n, flips, margin, unguarded))
			}
			if guarded > .05 || plain < .055 {
				t.Errorf("%d items, margin %v: not inferior in %.3f of evaluations, in %.3f without the guard; want 0.05 at most, and more", n, margin, guarded, plain)
			}
		}
	}
}

// Exact bounds show equivalence where few items flip: two systems that agree in 99 of 100
// answers are called equivalent within 5 points after 100 items in 8 of 10 evaluations, and
// by Student's t with the guard alone in 4.
func TestGuardPower(t *testing.T) {
	for _, tt := range []struct {
		n             int
		flips, margin float64
		least         float64
	}{{100, .01, .05, .82}, {100, .03, .05, .30}, {100, .05, .05, .07}, {300, .05, .05, .90}, {500, .01, .02, .90}} {
		power, guard := 0.0, 0.0
		all := distuv.Binomial{N: float64(tt.n), P: tt.flips}
		for flips := range min(tt.n, 60) {
			lost := distuv.Binomial{N: float64(flips), P: .5}
			for l := range flips + 1 {
				chance := all.Prob(float64(flips))
				if flips > 0 {
					chance *= lost.Prob(float64(l))
				}
				g := ofFlips(tt.n, flips-l, l).Guard(.05, 1)
				if g.Equivalent(tt.margin) <= .05 {
					power += chance
				}
				if max(g.Lower.Above(-tt.margin), g.Upper.Below(tt.margin)) <= .05 {
					guard += chance
				}
			}
		}
		t.Logf("%d items, %.0f %% flip, margin %.0f points: %.0f %%, by the guard alone %.0f %%", tt.n, 100*tt.flips, 100*tt.margin, 100*power, 100*guard)
		if power < tt.least || power < guard {
			t.Errorf("%d items, %v flip, margin %v: power %v, want %v; by the guard alone %v", tt.n, tt.flips, tt.margin, power, tt.least, guard)
		}
	}
}

// firstGains is, for each number of flips, the fewest of them that must be gains for the
// answer to be yes: more gains never make it no.
func firstGains(n int, margin float64, yes func(Difference) bool) []int {
	first := make([]int, n+1)
	for flips := range first {
		low, high := 0, flips+1
		for low < high {
			middle := (low + high) / 2
			if yes(ofFlips(n, middle, flips-middle)) {
				high = middle
			} else {
				low = middle + 1
			}
		}
		first[flips] = low
	}
	return first
}

// ofFlips is the difference of n items of which so many were gained and lost.
func ofFlips(n, gained, lost int) Difference {
	d := make([]float64, n)
	for i := range d {
		switch {
		case i < gained:
			d[i] = 1
		case i < gained+lost:
			d[i] = -1
		}
	}
	s := sample{a: d, b: d, d: d, clusters: clustersOf(make([]string, n))}
	return Difference{Contrast: contrastOf(d, s.clusters), Items: n, Flips: &Flips{Lost: lost, Gained: gained}, sample: s}
}

// chance is that of a yes when the second system loses margin more items than it gains.
func chance(n int, flips, margin float64, first []int) float64 {
	sum := 0.0
	all := distuv.Binomial{N: float64(n), P: flips}
	for m, least := range first {
		if least > m {
			continue
		}
		gains := distuv.Binomial{N: float64(m), P: (flips - margin) / 2 / flips}
		if least == 0 {
			sum += all.Prob(float64(m))
			continue
		}
		sum += all.Prob(float64(m)) * gains.Survival(float64(least-1))
	}
	return sum
}

// The interval and the two tests are one thing.
func TestGuardAgreesWithItself(t *testing.T) {
	for _, d := range []Difference{ofFlips(200, 0, 0), ofFlips(200, 3, 9), ofFlips(1000, 40, 31)} {
		g := d.Guard(.05, 1)
		ends := g.Interval()
		if !ends.Contains(d.Value) {
			t.Errorf("[%v, %v] without %v", ends.Lo, ends.Hi, d.Value)
		}
		if p := g.NotInferior(-ends.Lo); math.Abs(p-.05) > 1e-9 {
			t.Errorf("at its own lower end: P %v, want 0.05", p)
		}
		if p := g.notBetter(ends.Hi); math.Abs(p-.05) > 1e-9 {
			t.Errorf("at its own upper end: P %v, want 0.05", p)
		}
		plain := d.Interval(.90)
		if ends.Lo > plain.Lo || ends.Hi < plain.Hi || ends.Hi-plain.Hi > 4/float64(d.Items) {
			t.Errorf("[%v, %v] beside [%v, %v]: want a little more", ends.Lo, ends.Hi, plain.Lo, plain.Hi)
		}
	}
}
