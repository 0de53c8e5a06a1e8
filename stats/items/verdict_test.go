package items

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// flipped is an evaluation of n items of which so many were lost and gained.
func flipped(n, lost, gained int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		switch {
		case i < lost:
			pairs[i] = Pair{A: []float64{1}, B: []float64{0}}
		case i < lost+gained:
			pairs[i] = Pair{A: []float64{0}, B: []float64{1}}
		default:
			pairs[i] = Pair{A: []float64{1}, B: []float64{1}}
		}
	}
	return pairs
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name            string
		n, lost, gained int
		margin          float64
		want            Verdict
	}{
		{"nothing flips and there are items enough", 1000, 0, 0, .01, Equivalent},
		{"nothing flips of too few items", 100, 0, 0, .01, Undecided},
		{"as many lost as gained", 5000, 50, 50, .01, Equivalent},
		{"a little worse and within the margin", 20_000, 120, 60, .01, Equivalent},
		{"worse", 1319, 60, 20, .01, Worse},
		{"better", 1319, 20, 60, .01, Better},
		{"rather better than not", 1319, 10, 25, .01, Better},
		{"not worse, perhaps better", 1319, 12, 22, .01, NotInferior},
		{"too few flips to say", 1319, 20, 12, .01, Undecided},
	} {
		j, err := Judge(flipped(tt.n, tt.lost, tt.gained), Demand{Margin: tt.margin})
		if err != nil || j.Verdict != tt.want {
			t.Errorf("%s: %s, %v; want %s (bounds %v, p %v)", tt.name, j.Verdict, err, tt.want, j.Bounds, j.Test.P)
		}
	}
}

// As many items as the verdict asks for decide, in four of five evaluations.
func TestMoreItemsDecide(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	j, err := Judge(flipped(700, 7, 7), Demand{Margin: .01})
	if err != nil || j.Verdict != Undecided {
		t.Fatalf("%s, %v", j.Verdict, err)
	}
	n, decided := j.Items+j.MoreItems(Demand{Margin: .01}), 0
	const evaluations = 200
	for range evaluations {
		lost, gained := 0, 0
		for range n {
			switch rng.IntN(100) {
			case 0:
				lost++
			case 1:
				gained++
			}
		}
		again, err := Judge(flipped(n, lost, gained), Demand{Margin: .01})
		if err != nil {
			t.Fatal(err)
		}
		if again.Verdict != Undecided {
			decided++
		}
	}
	if decided < evaluations*7/10 {
		t.Errorf("%d items decide %d of %d evaluations, want 80 %%", n, decided, evaluations)
	}
}

func TestRefusals(t *testing.T) {
	for name, pairs := range map[string][]Pair{
		"no items":     nil,
		"no answer":    {{A: []float64{1}}},
		"not a number": {{A: []float64{math.NaN()}, B: []float64{1}}},
	} {
		if _, err := Judge(pairs, Demand{Margin: .01}); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	if _, err := Judge(flipped(10, 1, 1), Demand{}); err == nil {
		t.Error("no margin: want an error")
	}
	// One cluster says nothing about others.
	pairs := flipped(100, 0, 0)
	for i := range pairs {
		pairs[i].Cluster = "one"
	}
	if j, err := Judge(pairs, Demand{Margin: .5}); err != nil || j.Verdict != Undecided {
		t.Errorf("one cluster: %s, %v; want undecided", j.Verdict, err)
	}
}

// More samples of each item make the interval narrower, and the planning knows by how
// much.
func TestSamplesNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(k int) []Pair {
		pairs := make([]Pair, 2000)
		for i := range pairs {
			chance := rng.Float64()
			for range k {
				pairs[i].A = append(pairs[i].A, math.Round(chance+rng.Float64()-.5))
				pairs[i].B = append(pairs[i].B, math.Round(chance+rng.Float64()-.5))
			}
		}
		return pairs
	}
	four, err := Compare(draw(4))
	if err != nil {
		t.Fatal(err)
	}
	sixteen, err := Compare(draw(16))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sixteen.SE*sixteen.SE*2000, four.Spread.WithSamples(16).Variance(); math.Abs(got/want-1) > .15 {
		t.Errorf("variance with sixteen samples %v, planned %v", got, want)
	}
	if noise := four.Spread.Noise(); noise < .9 {
		t.Errorf("the systems are one and noise explains %v of the variance, want nearly all", noise)
	}
	demand := Demand{Margin: .02}
	if k, ok := demand.SamplesNeeded(four.Spread, 500); !ok || k < 2 {
		t.Errorf("%d samples of 500 items, %v", k, ok)
	}
	items := Spread{Between: .2, SamplesA: 1, SamplesB: 1}
	if k, ok := demand.SamplesNeeded(items, 500); ok {
		t.Errorf("%d samples where the items themselves differ", k)
	}
}

func TestReferenceRatio(t *testing.T) {
	for _, tt := range []struct {
		name            string
		n, lost, gained int
		target          float64
		want            Reached
		above           bool
	}{
		{"nothing lost of many", 5000, 0, 0, .99, IsReached, true},
		{"nothing lost of few", 100, 0, 0, .99, MayBeMissed, true},
		{"half a per cent lost of few", 1000, 5, 0, .99, MayBeMissed, true},
		{"three per cent lost", 5000, 150, 0, .99, IsMissed, false},
		{"99.9 % wants more items", 5000, 0, 0, .999, IsReached, true},
		{"99.9 % of a thousand", 1000, 0, 0, .999, MayBeMissed, true},
	} {
		r, err := ReferenceRatio(flipped(tt.n, tt.lost, tt.gained), tt.target, Demand{})
		if err != nil || r.Verdict != tt.want || r.Above != tt.above {
			t.Errorf("%s: %s, above %v, %v [%v, %v]; want %s, %v", tt.name, r.Verdict, r.Above, err, r.Interval.Lo, r.Interval.Hi, tt.want, tt.above)
		}
		if !r.Interval.Contains(r.Value) {
			t.Errorf("%s: [%v, %v] without %v", tt.name, r.Interval.Lo, r.Interval.Hi, r.Value)
		}
	}
	if _, err := ReferenceRatio([]Pair{{A: []float64{0}, B: []float64{1}}}, .99, Demand{}); err == nil {
		t.Error("a reference of nothing: want an error")
	}
}

// Items that change by themselves explain how much launches differ, until a launch is
// bad as a whole.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	scores := make([][]float64, 1000)
	for i := range scores {
		scores[i] = []float64{1, 1, 1, 1}
		if i < 100 { // these are a toss of a coin
			for j := range scores[i] {
				scores[i][j] = float64(rng.IntN(2))
			}
		}
	}
	n, err := NoiseOf(scores)
	if err != nil {
		t.Fatal(err)
	}
	if n.Unstable < .07 || n.Unstable > .1 || n.Explained < .004 || n.Explained > .006 || n.Test.P < .05 {
		t.Errorf("%+v: want launches as their items explain", n)
	}
	if n.Floor < 2.7*n.Explained {
		t.Errorf("floor %v of %v", n.Floor, n.Explained)
	}
	for i := 100; i < 160; i++ {
		scores[i][2] = 0
	}
	if n, _ = NoiseOf(scores); n.Test.P > .001 {
		t.Errorf("a launch that is bad as a whole: %+v", n.Test)
	}
	if _, err := NoiseOf([][]float64{{1}}); err == nil {
		t.Error("one launch: want an error")
	}
}

// Clusters of one size have one degree of freedom fewer than there are, unequal ones
// fewer still.
func TestFreedom(t *testing.T) {
	if df := blocks(100, 5).freedom(); math.Abs(df-19) > 1e-9 {
		t.Errorf("20 equal clusters: %v", df)
	}
	labels := slices.Repeat([]string{"large"}, 100)
	for i := range 50 {
		labels[i] = ""
	}
	if df := clustersOf(labels).freedom(); df > 1 {
		t.Errorf("half of the items in one cluster: %v degrees of freedom", df)
	}
}
