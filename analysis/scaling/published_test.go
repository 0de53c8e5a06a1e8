package scaling

import (
	"slices"
	"strings"
	"testing"

	"assay/finding"
)

// A published series of MLPerf Training v4.1: minutes to the target and throughput
// a minute, with what follows from either.
type published struct {
	name       string
	workers    []int
	minutes    []float64
	batch      []float64
	rate       []float64
	software   []string
	efficiency []float64 // from the times
	karpFlatt  []float64
	ofRate     []float64 // efficiency from the throughput
	rateKarp   []float64
	amdahl     float64
	sigma      float64
	kappa      float64
	findings   []string
	reading    string
}

var series = []published{
	{
		name: "gpt3, TPU v5p", workers: []int{4096, 8192, 12288}, minutes: []float64{29.616, 16.255, 11.765},
		batch: []float64{4096, 4096, 6144}, rate: []float64{44.213, 80.481, 124.050},
		efficiency: []float64{1, .911, .839}, karpFlatt: []float64{.098, .096}, ofRate: []float64{1, .910, .935}, rateKarp: []float64{.099, .035},
		amdahl: .0965, sigma: .0963, findings: []string{"scaling-baseline", "scaling-batch", "non-monotone", "no-variance"}, reading: "a serial part",
	},
	{
		name: "gpt3, H100 Eos", workers: []int{256, 512, 11616}, minutes: []float64{96.664, 49.795, 3.444},
		batch: []float64{2048, 2048, 2904}, rate: []float64{12.518, 24.013, 357.397}, software: []string{"24.09", "24.09", "24.04"},
		efficiency: []float64{1, .971, .619}, karpFlatt: []float64{.030, .014}, ofRate: []float64{1, .959, .629}, rateKarp: []float64{.043, .013},
		amdahl: .0173, sigma: .0139, findings: []string{"scaling-baseline", "scaling-batch", "scaling-software", "no-variance"}, reading: "it falls",
	},
	{
		name: "llama2_70b_lora, Dell XE9680", workers: []int{8, 16, 32, 64}, minutes: []float64{27.290, 19.703, 9.478, 5.035},
		batch: []float64{8, 8, 8, 8}, rate: []float64{114.28, 173.23, 335.66, 628.71},
		efficiency: []float64{1, .693, .720, .678}, karpFlatt: []float64{.444, .130, .068}, ofRate: []float64{1, .758, .734, .688}, rateKarp: []float64{.319, .121, .065},
		amdahl: .150, sigma: .0838, findings: []string{"scaling-baseline", "non-monotone", "no-law-chosen", "no-variance"}, reading: "it falls",
	},
}

func TestPublished(t *testing.T) {
	for _, p := range series {
		t.Run(p.name, func(t *testing.T) {
			s := Study{Kind: Strong, Quantity: Time, Unit: "min", Baseline: Smallest}
			for i, n := range p.workers {
				point := Point{Workers: n, Values: []float64{p.minutes[i]}, Batch: p.batch[i], Rate: []float64{p.rate[i]}}
				if p.software != nil {
					point.Software = p.software[i]
				}
				s.Points = append(s.Points, point)
			}
			r, err := Analyse(s)
			if err != nil {
				t.Fatal(err)
			}
			p.held(t, r, p.efficiency, p.karpFlatt)
			p.held(t, *r.Rate, p.ofRate, p.rateKarp)
			near(t, "Amdahl", r.Closed[0].Values[0], p.amdahl, 5.1e-4)
			near(t, "σ", r.Closed[1].Values[0], p.sigma, 1e-4)
			near(t, "κ", r.Closed[1].Values[1], p.kappa, 1e-12)
			var got []string
			for _, f := range r.Findings {
				got = append(got, f.Check)
			}
			slices.Sort(got)
			slices.Sort(p.findings)
			if got = slices.Compact(got); !slices.Equal(got, p.findings) {
				t.Errorf("findings %v, want %v", got, p.findings)
			}
			if !strings.Contains(r.Reading, p.reading) {
				t.Errorf("reading %q, want %q", r.Reading, p.reading)
			}
		})
	}
}

func (p published) held(t *testing.T, r Result, efficiency, karpFlatt []float64) {
	t.Helper()
	for i, row := range r.Rows {
		near(t, string(r.Quantity)+" efficiency", row.Efficiency.Value, efficiency[i], 6e-4)
		if i > 0 {
			near(t, string(r.Quantity)+" Karp–Flatt", *row.KarpFlatt, karpFlatt[i-1], 6e-4)
		}
	}
}

// Time to the target is samples over throughput: a third more workers needed 12 %
// more tokens, and the throughput alone scaled better than the times.
func TestTimeIsSamplesOverThroughput(t *testing.T) {
	p := series[0]
	s := Study{Kind: Strong, Quantity: Time, Baseline: Smallest}
	for i, n := range p.workers {
		s.Points = append(s.Points, Point{Workers: n, Values: []float64{p.minutes[i]}, Samples: []float64{p.minutes[i] * p.rate[i]}})
	}
	r, err := Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		near(t, "throughput", r.Rate.Rows[i].Value.Value, p.rate[i], 1e-9)
		near(t, "efficiency of time", row.Efficiency.Value, r.Rate.Rows[i].Efficiency.Value**row.Convergence, 1e-9)
	}
	near(t, "convergence", 1 / *r.Rows[2].Convergence, 1.12, .006)
}

// The dent of the Dell series is convergence, which the finding says.
func TestDentIsConvergence(t *testing.T) {
	p := series[2]
	s := Study{Kind: Strong, Quantity: Time, Baseline: Smallest}
	for i, n := range p.workers {
		s.Points = append(s.Points, Point{Workers: n, Values: []float64{p.minutes[i]}, Rate: []float64{p.rate[i]}})
	}
	r, err := Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Check == "non-monotone" })
	if i < 0 || !strings.Contains(r.Findings[i].Message, "that of throughput falls") {
		t.Errorf("%+v", r.Findings)
	}
}

// The noisy column of the contract's synthetic model: times printed to four digits.
func TestNoisyModel(t *testing.T) {
	times := map[int]float64{1: 1.0047, 2: .5343, 4: .3032, 8: .1884, 16: .1392, 32: .1189, 64: .1140}
	speedup := map[int]float64{1: 1, 2: 1.88, 4: 3.31, 8: 5.33, 16: 7.22, 32: 8.45, 64: 8.82}
	efficiency := map[int]float64{1: 1, 2: .940, 4: .828, 8: .667, 16: .451, 32: .264, 64: .138}
	s := Study{Kind: Strong, Quantity: Time, Baseline: OneWorker}
	for k, v := range times {
		s.Points = append(s.Points, Point{Workers: k, Values: []float64{v, v, v}})
	}
	r, err := Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		near(t, "speed-up", row.Speedup.Value, speedup[row.Workers], .0101) // S was taken before rounding T
		near(t, "efficiency", row.Efficiency.Value, efficiency[row.Workers], 6e-4)
	}
	if r.Bend == nil || *r.Bend != 8 || !strings.Contains(r.Reading, "it grows with the workers") {
		t.Errorf("bend %v, reading %q; want 8 and a cost of working together", r.Bend, r.Reading)
	}
}

// Advice follows the ratio of exposed communication to computation.
func TestExposedRows(t *testing.T) {
	share := func(exposed float64) *float64 { v := exposed / (exposed + 180); return &v }
	r, err := Analyse(Study{Kind: Strong, Quantity: Time, Baseline: OneWorker, Points: []Point{
		{Workers: 1, Values: []float64{1, 1}}, {Workers: 2, Values: []float64{.8, .8}, Communication: share(120)},
		{Workers: 4, Values: []float64{.5, .5}, Communication: share(36)}, {Workers: 8, Values: []float64{.3, .3}, Communication: share(9)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		ratio, efficiency float64
		advice            string
	}{{.667, .6, "more to do"}, {.2, .833, "hide"}, {.05, .952, "may be added"}} {
		got := r.Rows[i+1].Exposed
		near(t, "R", got.Value, want.ratio, 5e-4)
		near(t, "E", got.Efficiency, want.efficiency, 5e-4)
		if !strings.Contains(got.Advice, want.advice) {
			t.Errorf("advice %q, want %q", got.Advice, want.advice)
		}
	}
	if r.Rows[0].Exposed != nil {
		t.Error("a ratio without a measurement")
	}
}
