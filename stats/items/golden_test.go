package items

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"assay/stats"
)

// sharedFolder holds reference values and public data that are no part of the
// repository.
const sharedFolder = "../../../shared"

func readGolden(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sharedFolder, "golden", "accuracy", name))
	if err != nil {
		t.Skipf("the reference values are not there: want shared/golden/accuracy beside the repository: %v", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// closeTo compares to a relative 1e-9, tail probabilities below 1e-12 to 1e-6: that is
// what the reference values are given to.
func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	tolerance := 1e-9
	if math.Abs(want) < 1e-12 {
		tolerance = 1e-6
	}
	if !(math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-300)) && !(want == 0 && math.Abs(got) < 1e-15) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

func closeInterval(t *testing.T, what string, got stats.Interval, want []float64) {
	t.Helper()
	closeTo(t, what+" from", got.Lo, want[0])
	closeTo(t, what+" to", got.Hi, want[1])
}

func TestGoldenSmall(t *testing.T) {
	var golden struct {
		Intervals []struct {
			K, N           int
			Wilson         []float64 `json:"wilson95"`
			ClopperPearson []float64 `json:"clopper_pearson95"`
			Jeffreys       []float64 `json:"jeffreys95"`
			AgrestiCoull   []float64 `json:"agresti_coull95"`
		} `json:"binomial_intervals"`
		McNemar []struct {
			B, C  int
			Exact float64   `json:"exact_p"`
			MidP  float64   `json:"midp"`
			Chi2  []float64 `json:"chi2"`
			CC    []float64 `json:"chi2_cc"`
		}
		Multiplicity []struct {
			P, Holm []float64
			BH      []float64 `json:"fdr_bh"`
			BY      []float64 `json:"fdr_by"`
		}
		SignFlip []struct {
			Differences []float64
			P           float64 `json:"exact_two_sided_p"`
		} `json:"sign_flip_exact"`
	}
	readGolden(t, "stats_small.json", &golden)
	for _, row := range golden.Intervals {
		for method, want := range map[string][]float64{Wilson: row.Wilson, ClopperPearson: row.ClopperPearson, Jeffreys: row.Jeffreys, AgrestiCoull: row.AgrestiCoull} {
			got, err := Share(method, row.K, row.N, .95)
			if err != nil {
				t.Fatal(err)
			}
			closeInterval(t, method, got.Interval, want)
		}
	}
	for _, row := range golden.McNemar {
		f := Flips{Lost: row.B, Gained: row.C}
		closeTo(t, "exact", f.Exact().P, row.Exact)
		closeTo(t, "mid-p", f.MidP().P, row.MidP)
		if row.Chi2 != nil {
			closeTo(t, "chi2", f.Chi2(false).Statistic, row.Chi2[0])
			closeTo(t, "chi2 p", f.Chi2(false).P, row.Chi2[1])
			closeTo(t, "corrected", f.Chi2(true).Statistic, row.CC[0])
			closeTo(t, "corrected p", f.Chi2(true).P, row.CC[1])
		}
	}
	for _, row := range golden.Multiplicity {
		for i := range row.P {
			closeTo(t, "Holm", stats.Holm(row.P)[i], row.Holm[i])
			closeTo(t, "Benjamini–Hochberg", stats.BenjaminiHochberg(row.P)[i], row.BH[i])
			closeTo(t, "Benjamini–Yekutieli", stats.BenjaminiYekutieli(row.P)[i], row.BY[i])
		}
	}
	for _, row := range golden.SignFlip {
		got, err := stats.SignFlip(make([]float64, len(row.Differences)), row.Differences, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "sign flip", got.P, row.P)
	}
}

// solutions reads which of the 1319 questions each of four systems answered rightly.
func solutions(t *testing.T) map[string][]float64 {
	t.Helper()
	f, err := os.Open(filepath.Join(sharedFolder, "data", "gsm8k", "example_model_solutions.jsonl"))
	if err != nil {
		t.Skipf("the public data is not there: want shared/data beside the repository: %v", err)
	}
	defer f.Close()
	right := map[string][]float64{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		for name, raw := range row {
			var answer struct {
				Right *bool `json:"is_correct"`
			}
			if json.Unmarshal(raw, &answer) != nil || answer.Right == nil {
				continue
			}
			score := 0.0
			if *answer.Right {
				score = 1
			}
			right[name] = append(right[name], score)
		}
	}
	return right
}

func pairsOf(a, b []float64) []Pair {
	pairs := make([]Pair, len(a))
	for i := range a {
		pairs[i] = Pair{A: []float64{a[i]}, B: []float64{b[i]}}
	}
	return pairs
}

func TestGoldenGSM8K(t *testing.T) {
	var golden struct {
		Systems map[string]struct {
			Correct   int
			Acc       float64
			SE        float64   `json:"se_clt"`
			Wilson    []float64 `json:"wilson95"`
			Jeffreys  []float64 `json:"jeffreys95"`
			Clustered []struct {
				Block, Clusters int
				SE              float64 `json:"se_clustered_corrected"`
			}
		}
		Pairs []struct {
			A, B       string
			N10, N01   int
			Difference float64   `json:"diff_b_minus_a"`
			SE         float64   `json:"se_paired"`
			UnpairedSE float64   `json:"se_unpaired"`
			Corr       float64   `json:"corr"`
			CI95       []float64 `json:"ci95_t"`
			CI90       []float64 `json:"ci90_t"`
			P          float64   `json:"p_t"`
			Exact      float64   `json:"mcnemar_exact_p"`
			MidP       float64   `json:"mcnemar_midp"`
			CC         []float64 `json:"mcnemar_chi2_cc"`
			Chi2       []float64 `json:"mcnemar_chi2"`
			TOST       []struct {
				Margin float64
				Lower  float64 `json:"p_lower"`
				Upper  float64 `json:"p_upper"`
				P      float64 `json:"p_tost"`
			}
		}
		Cochran struct {
			Systems []string
			Q, P    float64
			DF      float64
		} `json:"cochran_q"`
		Adjusted struct {
			P, Holm []float64
			BY      []float64 `json:"fdr_by"`
		} `json:"mcnemar_exact_adjusted_over_these_pairs"`
	}
	readGolden(t, "gsm8k_paired_stats.json", &golden)
	right := solutions(t)
	for name, want := range golden.Systems {
		scores := right[name]
		mean := contrastOf(scores, clustersOf(make([]string, len(scores))))
		closeTo(t, name, mean.Value, want.Acc)
		// The reference divides by n; the standard error over items by n − 1.
		closeTo(t, name+" SE", mean.SE*math.Sqrt(1-1/float64(len(scores))), math.Sqrt(want.Acc*(1-want.Acc)/float64(len(scores))))
		wilson, _ := Share(Wilson, want.Correct, len(scores), .95)
		closeInterval(t, name+" Wilson", wilson.Interval, want.Wilson)
		jeffreys, _ := Share(Jeffreys, want.Correct, len(scores), .95)
		closeInterval(t, name+" Jeffreys", jeffreys.Interval, want.Jeffreys)
		for _, block := range want.Clustered {
			clustered := contrastOf(scores, blocks(len(scores), block.Block))
			closeTo(t, name+" clustered", clustered.SE, block.SE)
		}
	}
	for _, want := range golden.Pairs {
		d, err := Compare(pairsOf(right[want.A], right[want.B]))
		if err != nil {
			t.Fatal(err)
		}
		if d.Flips == nil || *d.Flips != (Flips{want.N10, want.N01}) {
			t.Errorf("flips %+v, want %d and %d", d.Flips, want.N10, want.N01)
			continue
		}
		closeTo(t, "difference", d.Value, want.Difference)
		closeTo(t, "SE", d.SE, want.SE)
		closeTo(t, "unpaired SE", d.UnpairedSE, want.UnpairedSE)
		closeTo(t, "correlation", d.Correlation, want.Corr)
		closeInterval(t, "95 %", d.Interval(.95), want.CI95)
		closeInterval(t, "90 %", d.Interval(.90), want.CI90)
		closeTo(t, "t", d.Differs(), want.P)
		closeTo(t, "exact", d.Flips.Exact().P, want.Exact)
		closeTo(t, "mid-p", d.Flips.MidP().P, want.MidP)
		closeTo(t, "chi2", d.Flips.Chi2(false).P, want.Chi2[1])
		closeTo(t, "corrected", d.Flips.Chi2(true).P, want.CC[1])
		for _, m := range want.TOST {
			closeTo(t, "lower", d.Above(-m.Margin), m.Lower)
			closeTo(t, "upper", d.Below(m.Margin), m.Upper)
			closeTo(t, "TOST", d.Equivalent(m.Margin), m.P)
		}
	}
	var scores [][]float64
	for i := range right[golden.Cochran.Systems[0]] {
		var row []float64
		for _, name := range golden.Cochran.Systems {
			row = append(row, right[name][i])
		}
		scores = append(scores, row)
	}
	q, err := CochranQ(scores)
	if err != nil || q.DF != golden.Cochran.DF {
		t.Errorf("Cochran's Q: %+v, %v", q, err)
	}
	closeTo(t, "Q", q.Statistic, golden.Cochran.Q)
	closeTo(t, "Q's p", q.P, golden.Cochran.P)
	for i := range golden.Adjusted.P {
		closeTo(t, "Holm", stats.Holm(golden.Adjusted.P)[i], golden.Adjusted.Holm[i])
		closeTo(t, "BY", stats.BenjaminiYekutieli(golden.Adjusted.P)[i], golden.Adjusted.BY[i])
	}
}

// blocks puts neighbouring items together, so many at a time.
func blocks(n, size int) clusters {
	c := clusters{of: make([]int, n), sizes: make([]float64, (n+size-1)/size)}
	for i := range n {
		c.of[i] = i / size
		c.sizes[i/size]++
	}
	return c
}

func TestGoldenPlanning(t *testing.T) {
	var golden struct {
		Paired []struct {
			N      int
			Flips  float64 `json:"flip_share"`
			MDE    float64 `json:"mde_paired_80"`
			Margin float64 `json:"tost_margin_80"`
		}
		Sizes []struct {
			Margin float64
			Flips  float64 `json:"flip_share"`
			TOST   int     `json:"n_tost_80"`
			Detect int     `json:"n_detect_80"`
		} `json:"sample_size"`
		Unpaired []struct {
			N   int
			P   float64
			MDE float64 `json:"mde_unpaired_80"`
		}
	}
	readGolden(t, "planning.json", &golden)
	for _, row := range golden.Paired {
		s := FlipSpread(row.Flips)
		closeTo(t, "detectable", Detectable(s, row.N, .05, .8), row.MDE)
		closeTo(t, "margin", Demand{Span: 1e-12}.ShowableMargin(s, row.N), row.Margin)
	}
	for _, row := range golden.Sizes {
		s, demand := FlipSpread(row.Flips), Demand{Margin: row.Margin}
		if n, ok := demand.ItemsToDetect(s, row.Margin); !ok || n != row.Detect {
			t.Errorf("to detect %v at %v: %d, want %d", row.Margin, row.Flips, n, row.Detect)
		}
		plain := demand
		plain.Span = 1e-12 // the formula knows no guard
		if n, ok := plain.ItemsEquivalent(s, 0); !ok || n != row.TOST {
			t.Errorf("within %v at %v: %d, want %d", row.Margin, row.Flips, n, row.TOST)
		}
		if n, ok := demand.ItemsEquivalent(s, 0); !ok || n <= row.TOST {
			t.Errorf("within %v at %v, guarded: %d, want more than %d", row.Margin, row.Flips, n, row.TOST)
		}
	}
	for _, row := range golden.Unpaired {
		closeTo(t, "unpaired", UnpairedDetectable(row.P, row.N, .05, .8), row.MDE)
	}
}
