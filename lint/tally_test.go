package lint

import (
	"math"
	"math/rand/v2"
	"testing"

	"assay/plan"
	"assay/record"
)

// Prompts that came before are found, also when there are too many to remember
// them all; the share that is known stays what it is.
func TestSeenPrompts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s, p := newSeen(), Prompts{}
	fresh := make([]int64, 0, 300_000)
	for i := range 400_000 {
		hash := random.Int64()
		if i%4 == 3 {
			hash = fresh[random.IntN(len(fresh))] // one in four was there before
		} else {
			fresh = append(fresh, hash)
		}
		p.add(s.before(hash))
	}
	if share := float64(p.Known) / float64(p.Looked); math.Abs(share-.25) > .02 || len(s.hashes) > mostSeen {
		t.Errorf("%.3f of %d are known, of %d remembered; want a quarter", share, p.Looked, len(s.hashes))
	}
	if known, sampled := s.before(0); known || sampled {
		t.Error("a prompt without a hash counts")
	}
}

// The index of dispersion is that of the process: one for Poisson arrivals, zero
// for even ones, and that of the bursts where they come in bursts.
func TestDispersion(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	f := func(name string, gap func() float64, want, within float64) {
		t.Helper()
		a := newArrivals(plan.Point{Arrival: "poisson", Rate: 100}, 0, 100e9)
		for at := gap(); at < 100; at += gap() {
			a.add(int64(at * 1e9))
		}
		if got, ok := a.Dispersion(); !ok || math.Abs(got-want) > within {
			t.Errorf("%s: %.3f, want %v ± %v", name, got, want, within)
		}
	}
	f("poisson", func() float64 { return random.ExpFloat64() / 100 }, 1, .15)
	f("even", func() float64 { return .01 }, 0, .03)
	burst := 0
	f("bursts of five", func() float64 {
		if burst++; burst%5 != 0 {
			return 0
		}
		return random.ExpFloat64() / 20
	}, 5, 1)
	if _, ok := newArrivals(plan.Point{Arrival: "poisson", Rate: 1}, 0, 10e9).Dispersion(); ok {
		t.Error("ten arrivals have a dispersion")
	}
}

// Chance alone does not make a Poisson point look like another process, in few
// bins or in many.
func TestArrivalsOfChance(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 300 {
		for _, seconds := range []int64{4, 40} {
			a := newArrivals(plan.Point{Arrival: "poisson", Rate: 100}, 0, seconds*1e9)
			for at := random.ExpFloat64() / 100; at < float64(seconds); at += random.ExpFloat64() / 100 {
				a.add(int64(at * 1e9))
			}
			if index, ok := a.Dispersion(); ok && misfits(index, 1, len(a.counts)) {
				found++
			}
		}
	}
	if found > 0 {
		t.Errorf("%d of 600 Poisson points are called another process", found)
	}
	if !misfits(.02, 1, 30) || !misfits(4, 1, 30) || misfits(.02, 0, 30) || !misfits(1, 0, 30) {
		t.Error("paced, bursty or declared arrivals are not distinguished")
	}
}

// The opening holds the requests that were due first, in whatever order they
// ended.
func TestOpening(t *testing.T) {
	o := newOpening(plan.Point{Concurrency: 8})
	for _, i := range rand.New(rand.NewPCG(7, 8)).Perm(200) {
		due := int64(i) * 1e6
		first := due + 1e6
		if i < 8 {
			first = due + 5e6
		}
		o.add(&record.Request{User: -1, Due: due, First: &first, Result: record.OK})
	}
	if got := medianWait(o.First); got != .005 || len(o.First) != 8 {
		t.Errorf("the first %d wait %v, want 8 and 5 ms", len(o.First), got)
	}
}

func TestDivisor(t *testing.T) {
	if got := divisor(0, 3e6, 7e6, 11e6); got != 1e6 {
		t.Errorf("milliseconds: %d", got)
	}
	if got := divisor(0, 3e6, 7e6+1); got != 1 {
		t.Errorf("nanoseconds: %d", got)
	}
}

func TestAttempts(t *testing.T) {
	for flags, want := range map[string]int{"": 0, "no_done": 0, "attempts=3": 3, "no_usage attempts=1": 1, "attempts=x": 0} {
		if got, told := attempts(flags); got != want || told != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", flags, got, told, want)
		}
	}
}
