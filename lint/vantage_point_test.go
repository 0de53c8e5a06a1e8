package lint

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// What generators see alike is not told apart, also where requests come in waves and every
// launch has a level of its own; a place that is a fifth slower is.
func TestVantagePoints(t *testing.T) {
	const worlds = 2000
	told, missed := 0, 0
	for world := range worlds {
		random := rand.New(rand.NewPCG(uint64(world), 1))
		if len(vantagePoint(vantages(random, 1)).Findings) > 0 {
			told++
		}
		if world >= 200 {
			continue
		}
		switch list := vantagePoint(vantages(random, 1.25)).Findings; {
		case len(list) == 0:
			missed++
		case !strings.Contains(list[0].Message, "on host-"):
			t.Fatalf("the place is not named: %s", list[0].Message)
		}
	}
	t.Logf("%d of %d clean worlds accused, %d of 200 slow places missed", told, worlds, missed)
	if told > worlds/100 || missed > 10 {
		t.Errorf("%d of %d clean worlds accused, %d of 200 slow places missed; want at most %d and 10", told, worlds, missed, worlds/100)
	}
}

// vantages are facts of 2 to 4 generators and 1 to 5 launches of one world.
func vantages(random *rand.Rand, slow float64) *Facts {
	f := &Facts{}
	generators := int32(2 + random.IntN(3))
	for launch := range 1 + random.IntN(5) {
		own := math.Exp(.05 * random.NormFloat64())
		t := PointTally{Launch: launch, Vantages: Vantages{}}
		wave := 0.0
		for i := range 100 * int(generators) {
			wave = .9*wave + .1*random.NormFloat64() // requests that stand near each other wait alike
			shard := int32(i) % generators
			took := .1 * own * math.Exp(wave+.2*random.NormFloat64())
			if shard == 1 {
				took *= slow
			}
			if t.Vantages[shard] == nil {
				t.Vantages[shard] = &vantage{host: "host-" + string('a'+rune(shard))}
			}
			t.Vantages[shard].took = append(t.Vantages[shard].took, took)
		}
		f.Tally.Points = append(f.Tally.Points, t)
	}
	return f
}
