package items

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"assay/stats"
	"assay/tests/oracle"
)

// A parityRow asks one question here and of scipy or statsmodels, on random samples
// from a fixed seed. To add one, write a function of the same name in a file of
// testdata/parity.
type parityRow struct {
	Name   string    `json:"name"`
	A      []float64 `json:"a,omitempty"`
	B      []float64 `json:"b,omitempty"`
	N      []float64 `json:"n,omitempty"`
	answer []float64
}

func TestParity(t *testing.T) {
	python := oracle.Python(t, "scipy", "statsmodels")
	rows := parityRows(t, rand.New(rand.NewPCG(17, 5)))
	data, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join("testdata", "parity"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), os.Stderr
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers [][]string
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(rows) {
		t.Fatalf("%d answers, %v; want %d", len(answers), err, len(rows))
	}
	failures := 0
	for i, row := range rows {
		if len(row.answer) != len(answers[i]) {
			t.Fatalf("%s: %v, want %v", row.Name, row.answer, answers[i])
		}
		for j, text := range answers[i] {
			want, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if far := math.Abs(row.answer[j] - want); far > 1e-9*math.Max(math.Abs(want), 1e-6) && failures < 10 {
				failures++
				t.Errorf("%s %v [%d] = %.17g, want %s", row.Name, row.N, j, row.answer[j], text)
			}
		}
	}
	t.Logf("%d questions", len(rows))
}

func parityRows(t *testing.T, rng *rand.Rand) (rows []parityRow) {
	ask := func(row parityRow, answer ...float64) {
		row.answer = answer
		rows = append(rows, row)
	}
	for range 100 {
		n := 1 + rng.IntN(2000)
		right := rng.IntN(n + 1)
		var ends []float64
		for _, m := range ShareIntervals {
			e, err := Share(m.Name, right, n, .9)
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, e.Interval.Lo, e.Interval.Hi)
		}
		ask(parityRow{Name: "share", N: []float64{float64(right), float64(n), .9}}, ends...)

		f := Flips{1 + rng.IntN(80), rng.IntN(80)}
		chi2, corrected := f.Chi2(false), f.Chi2(true)
		ask(parityRow{Name: "mcnemar", N: []float64{float64(f.Lost), float64(f.Gained)}},
			f.Exact().P, f.MidP().P, chi2.Statistic, chi2.P, corrected.Statistic, corrected.P)

		a, b := correlated(rng, 20+rng.IntN(300), false)
		d, err := Compare(pairsOf(a, b))
		if err != nil {
			t.Fatal(err)
		}
		ci := d.Interval(.95)
		ask(parityRow{Name: "paired", A: a, B: b, N: []float64{.03}}, d.Value, d.Differs(), ci.Lo, ci.Hi, d.Above(-.03), d.Below(.03), d.Correlation)
		size := 2 + rng.IntN(6)
		clustered := contrastOf(d.sample.d, blocks(len(a), size))
		ask(parityRow{Name: "clustered", A: a, B: b, N: []float64{float64(size)}}, clustered.Value, clustered.SE)

		x, y := correlated(rng, 20+rng.IntN(200), true)
		third, scores := make([]float64, len(x)), make([][]float64, len(x))
		for i := range x {
			third[i] = float64(rng.IntN(2))
			scores[i] = []float64{x[i], y[i], math.Mod(x[i]+y[i]+third[i], 2)}
		}
		q, err := CochranQ(scores)
		if err != nil {
			t.Fatal(err)
		}
		ask(parityRow{Name: "cochran", A: x, B: y, N: third}, q.Statistic, q.P)

		p := make([]float64, 1+rng.IntN(12))
		for i := range p {
			p[i] = rng.Float64() * rng.Float64()
		}
		ask(parityRow{Name: "yekutieli", A: p}, stats.BenjaminiYekutieli(p)...)

		k := 2 + rng.IntN(4)
		as, bs := correlated(rng, k*(10+rng.IntN(50)), true)
		var pairs []Pair
		for i := 0; i < len(as); i += k {
			pairs = append(pairs, Pair{A: as[i : i+k], B: bs[i : i+k]})
		}
		s, err := Compare(pairs)
		if err != nil {
			t.Fatal(err)
		}
		ask(parityRow{Name: "components", A: as, B: bs, N: []float64{float64(k)}}, s.Spread.WithinA, s.Spread.WithinB, s.Spread.Between)
	}
	return rows
}

// correlated makes the scores of two systems that find the same items hard, from 0 to 1
// or right and wrong.
func correlated(rng *rand.Rand, n int, binary bool) (a, b []float64) {
	a, b = make([]float64, n), make([]float64, n)
	for i := range a {
		ease := rng.Float64()
		a[i], b[i] = (ease+rng.Float64())/2, (ease+rng.Float64())/2
		if binary {
			a[i], b[i] = math.Round(a[i]), math.Round(b[i])
		}
	}
	return a, b
}
