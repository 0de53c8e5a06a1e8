package stats

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"assay/tests/oracle"
)

// A parityRow asks one question here and of scipy or statsmodels. To add one,
// write a function of the same name in a file of testdata/parity and a row in a
// table that parityRows joins.
type parityRow struct {
	name   string
	inputs func(*rand.Rand) []parityInput
	answer func(parityInput) ([]float64, error)

	// tolerance is relative; zero means 1e-9. A looser one needs a comment that
	// shows whose digits are missing.
	tolerance float64
}

// A parityInput is samples, and numbers such as a confidence.
type parityInput struct {
	A []float64 `json:"a,omitempty"`
	B []float64 `json:"b,omitempty"`
	N []float64 `json:"n,omitempty"`
}

var parityRows = slices.Concat(twoSampleParity, planningParity, oneSampleParity, bootstrapParity)

// TestParity compares this package with scipy and statsmodels wherever they define
// the same thing, on random data sets from a fixed seed.
func TestParity(t *testing.T) {
	python := oracle.Python(t, "scipy", "statsmodels")
	type question struct {
		Name string `json:"name"`
		parityInput
	}
	var questions []question
	var rows []parityRow
	rng := rand.New(rand.NewPCG(11, 12))
	for _, row := range parityRows {
		for _, in := range row.inputs(rng) {
			questions, rows = append(questions, question{row.name, in}), append(rows, row)
		}
	}
	data, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join("testdata", "parity"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), os.Stderr
	// Two threads of a linear algebra library that is hardly used only disturb.
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers [][]string
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(questions) {
		t.Fatalf("%d answers, %v; want %d", len(answers), err, len(questions))
	}
	worst, failures := map[string]float64{}, map[string]int{}
	for i, q := range questions {
		got, err := rows[i].answer(q.parityInput)
		if err != nil || len(got) != len(answers[i]) {
			t.Errorf("%s(%+v) = %v, %v; want %v", q.Name, q.parityInput, got, err, answers[i])
			continue
		}
		for j, text := range answers[i] {
			want, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			far := farApart(got[j], want)
			worst[q.Name] = max(worst[q.Name], far)
			if far > cmpOr(rows[i].tolerance, 1e-9) {
				if failures[q.Name]++; failures[q.Name] <= 3 {
					t.Errorf("%s(%+v)[%d] = %.17g, want %s: off by %.2g", q.Name, q.parityInput, j, got[j], text, far)
				}
			}
		}
	}
	for _, row := range parityRows {
		t.Logf("%-30s off by %.1e at most", row.name, worst[row.name])
	}
	t.Logf("%d questions", len(questions))
}

// farApart is the relative difference. What is smaller than 1e-12 is compared as
// if it were that: such a number is zero for every purpose.
func farApart(got, want float64) float64 {
	switch {
	case got == want, math.IsNaN(got) && math.IsNaN(want):
		return 0
	case math.IsNaN(got), math.IsNaN(want), math.IsInf(got, 0), math.IsInf(want, 0):
		return math.Inf(1)
	}
	return math.Abs(got-want) / max(math.Abs(want), 1e-12)
}

func cmpOr(tolerance, usual float64) float64 {
	if tolerance == 0 {
		return usual
	}
	return tolerance
}

// samplesOf makes count pairs of samples of least to most values: normal,
// log-normal, with ties, with outliers, tiny, huge, alike and far apart. All are
// positive, so that logarithms exist, and no side is constant.
func samplesOf(count, least, most int, numbers ...[]float64) func(*rand.Rand) []parityInput {
	return func(rng *rand.Rand) (inputs []parityInput) {
		for i := range count {
			na, nb := least+rng.IntN(most-least+1), least+rng.IntN(most-least+1)
			in := parityInput{A: drawSample(rng, i, na, 1), B: drawSample(rng, i, nb, 1+rng.Float64()*float64(i%3))}
			if len(numbers) > 0 {
				in.N = numbers[i%len(numbers)]
			}
			inputs = append(inputs, in)
		}
		return inputs
	}
}

// pairsOf is samplesOf with as many values on both sides.
func pairsOf(count, least, most int, numbers ...[]float64) func(*rand.Rand) []parityInput {
	return func(rng *rand.Rand) (inputs []parityInput) {
		for _, in := range samplesOf(count, least, most, numbers...)(rng) {
			n := min(len(in.A), len(in.B))
			inputs = append(inputs, parityInput{in.A[:n], in.B[:n], in.N})
		}
		return inputs
	}
}

// untied keeps the samples whose values all differ.
func untied(inputs func(*rand.Rand) []parityInput) func(*rand.Rand) []parityInput {
	return func(rng *rand.Rand) (kept []parityInput) {
		for _, in := range inputs(rng) {
			all := slices.Concat(in.A, in.B)
			slices.Sort(all)
			if len(slices.Compact(all)) == len(in.A)+len(in.B) {
				kept = append(kept, in)
			}
		}
		return kept
	}
}

// numbersOf asks with numbers alone.
func numbersOf(rows ...[]float64) func(*rand.Rand) []parityInput {
	return func(*rand.Rand) (inputs []parityInput) {
		for _, n := range rows {
			inputs = append(inputs, parityInput{N: n})
		}
		return inputs
	}
}

func drawSample(rng *rand.Rand, kind, n int, factor float64) []float64 {
	xs := make([]float64, n)
	for {
		for i := range xs {
			switch kind % 6 {
			case 0: // launches: a few per cent
				xs[i] = 100 * factor * math.Exp(.03*rng.NormFloat64())
			case 1: // skewed
				xs[i] = factor * math.Exp(rng.NormFloat64())
			case 2: // ties
				xs[i] = 1 + float64(rng.IntN(6)) + math.Round(factor-1)
			case 3: // outliers
				xs[i] = 10*factor + rng.Float64()
				if rng.IntN(5) == 0 {
					xs[i] *= 20
				}
			case 4: // nanoseconds as seconds
				xs[i] = 1e-9 * factor * (1 + rng.ExpFloat64())
			default: // tokens per second of a fleet, far from zero
				xs[i] = 1e9*factor + 1e6*rng.NormFloat64()
			}
		}
		if len(xs) < 2 || slices.Min(xs) < slices.Max(xs) {
			return xs
		}
	}
}
