package metric

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/record"
)

// spread lets so many workers see requests with the given values, in an order of
// their own, and keeps no more than most of them as they are.
func spread(values [][]float64, workers int, most int64) distribution {
	m := Metric{Of: Each(func(t *Timeline) []float64 { return values[t.place] })}
	c := newCollector(m, len(values), workers)
	c.most = most
	rng := rand.New(rand.NewPCG(uint64(workers), 1))
	for _, place := range rng.Perm(len(values)) {
		c.see(rng.IntN(workers), &Timeline{place: int32(place)})
	}
	return c.end(true)
}

func TestCollector(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var values [][]float64
	var flat []float64
	for range 3000 {
		n := []int{0, 1, 1, 1, 7}[rng.IntN(5)]
		var xs []float64
		for range n {
			xs = append(xs, math.Exp(rng.NormFloat64()-4))
		}
		values, flat = append(values, xs), append(flat, xs...)
	}
	exact := summarise(slices.Clone(flat), true)
	for _, workers := range []int{1, 2, 5} {
		if got := spread(values, workers, exactValues); !same(got, exact) {
			t.Errorf("%d workers: %+v, want %+v", workers, got, exact)
		}
	}
	sketched := spread(values, 1, 100)
	for _, workers := range []int{1, 2, 5} {
		for _, most := range []int64{0, 100, int64(len(flat)) - 1} {
			if got := spread(values, workers, most); !same(got, sketched) {
				t.Errorf("%d workers, %d values kept: %+v, want %+v", workers, most, got, sketched)
			}
		}
	}
	if sketched.n != exact.n || sketched.error != sketchError || exact.error != 0 {
		t.Errorf("%d values with error %v, want %d with %v", sketched.n, sketched.error, exact.n, sketchError)
	}
	for i, want := range exact.values {
		if off := math.Abs(sketched.values[i]/want - 1); off > sketchError*1.0000001 {
			t.Errorf("%s of a sketch is off by %v, want at most %v", statistics[i].name, off, sketchError)
		}
	}
	if off := math.Abs(sketched.values[0]/exact.values[0] - 1); off > 1e-14 {
		t.Errorf("the mean beside a sketch is off by %v, want it exact", off)
	}
	if got := spread(make([][]float64, 10), 2, 0); got.n != 0 {
		t.Errorf("no values give %+v", got)
	}
}

func same(a, b distribution) bool {
	return a.n == b.n && a.error == b.error && slices.Equal(a.values, b.values)
}

// A row says that its percentiles are not exact.
func TestSketchedRowsSaySo(t *testing.T) {
	d := spread([][]float64{{1}, {2}, {3}}, 1, 0)
	place := slices.IndexFunc(All, func(m Metric) bool { return m.ID == E2E.ID })
	one := judgedPoint{results: make([]metricResult, len(All))}
	one.results[place] = metricResult{distribution: d}
	rows, err := E2E.rows(place, 0, []judgedPoint{one}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		has := slices.Contains(row.Warnings, "the launches' percentiles come from a sketch and are within 0.05 % of the exact ones")
		if want := row.Statistic != "mean"; has != want {
			t.Errorf("%s: warnings %q; a word about the sketch: %v, want %v", row.Statistic, row.Warnings, has, want)
		}
	}
	want := slices.DeleteFunc(slices.Clone(statistics), func(s statistic) bool { return s.spread != nil })
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
}

// Sums do not depend on the order, and are right.
func TestExactSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	xs := []float64{0, 1, -1, 0x1p-64, 0x1p80, -0x1p80, 1e-30, 5e-324}
	for range 5000 {
		xs = append(xs, rng.NormFloat64()*math.Pow(2, float64(rng.IntN(100)-30)))
	}
	truth := new(big.Float).SetPrec(400)
	for _, x := range xs {
		truth.Add(truth, new(big.Float).SetFloat64(x))
	}
	truth.Quo(truth, new(big.Float).SetInt64(int64(len(xs))))
	want, _ := truth.Float64()
	first := math.NaN()
	for round := range 5 {
		rng.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
		var a, b exactSum
		for i, x := range xs {
			if i%(round+2) == 0 {
				a.add(x)
			} else {
				b.add(x)
			}
		}
		a.merge(b)
		got := a.mean(int64(len(xs)))
		if round == 0 {
			first = got
		}
		if got != first || math.Abs(got/want-1) > 1e-15 {
			t.Errorf("round %d: mean %v, first %v, truth %v", round, got, first, want)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		var s exactSum
		s.add(1)
		s.add(x)
		if got := s.mean(2); !math.IsNaN(got) {
			t.Errorf("mean of 1 and %v = %v, want NaN", x, got)
		}
	}
}

func TestWhoCounts(t *testing.T) {
	in := &Point{Begin: 10, End: 20}
	f := func(phase record.Phase, due int64, result record.Outcome, load, probe bool) {
		t.Helper()
		r := &Timeline{Request: record.Request{Phase: phase, Due: due, Result: result}, in: in}
		if got := newCollector(E2E, 1, 1).counts(r); got != load {
			t.Errorf("%s due at %d, %s: counted %v, want %v", phase, due, result, got, load)
		}
		if got := newCollector(ProbeE2E, 1, 1).counts(r); got != probe {
			t.Errorf("%s due at %d, %s: counted as a probe %v, want %v", phase, due, result, got, probe)
		}
	}
	f(record.Measure, 15, record.OK, true, false)
	f(record.Measure, 15, record.Reset, false, false)
	f(record.Warmup, 5, record.OK, false, false)
	f(record.Probe, 15, record.OK, false, true)
	f(record.Probe, 20, record.OK, false, false)
	if newCollector(E2E, 1, 1).counts(&Timeline{Request: record.Request{Phase: record.Measure, Result: record.OK}}) {
		t.Error("a request outside of every point is counted")
	}
}
