package mllog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"assay/intake"
	"assay/stats"
)

// A Score is the result of a set of runs.
type Score struct {
	Benchmark string   `json:"benchmark,omitempty"`
	Runs      []Run    `json:"runs"` // by their start, each once
	Copies    []Copy   `json:"copies,omitempty"`
	Need      int      `json:"need"` // runs that a result is made of
	Scaling   float64  `json:"scalingFactor"`
	Windows   int      `json:"windows"`           // sets of so many runs that follow each other
	Seconds   *float64 `json:"seconds,omitempty"` // the result; nil without one
	Minutes   *float64 `json:"minutes,omitempty"`
	Why       []string `json:"why,omitempty"`              // why there is none, or what to know of it
	Rate      *float64 `json:"samplesPerSecond,omitempty"` // samples at the last evaluation / time, mean over runs
}

// few are the benchmarks of which three runs make a result: pretraining of large
// language models. Of all others ten do.
var few = []string{"gpt3", "llama31_405b", "llama3.1_405b", "deepseekv3_671b", "deepseek_v3"}

// NeededRuns is how many runs make a result.
func NeededRuns(benchmark string) int {
	if slices.Contains(few, benchmark) {
		return 3
	}
	return 10
}

// ScoreOf scores runs, each of them once. Zero for need takes the rule's number, and for factor one.
func ScoreOf(runs []Run, need int, factor float64) Score {
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(a.Start, b.Start) })
	runs, copies := distinct(runs)
	s := Score{Runs: runs, Copies: copies, Need: need, Scaling: factor}
	for _, c := range copies {
		s.Why = append(s.Why, fmt.Sprintf("%s is the run of %s once more and is not counted: %s", c.File, c.Of, c.Why))
	}
	if len(runs) > 0 {
		s.Benchmark = runs[0].Benchmark
	}
	if s.Need == 0 {
		s.Need = NeededRuns(s.Benchmark)
	}
	if s.Scaling == 0 {
		s.Scaling = 1
	}
	s.rate()
	for _, r := range runs {
		for _, f := range r.Faults {
			s.Why = append(s.Why, r.File+": "+f)
		}
	}
	if len(runs) < s.Need || s.Need < 3 {
		s.Why = append(s.Why, fmt.Sprintf("%d runs, want at least %d, and three to drop two of", len(runs), s.Need))
		return s
	}
	var results []float64
	for from := 0; from+s.Need <= len(runs); from++ {
		results = append(results, window(runs[from:from+s.Need]))
	}
	s.Windows = len(results)
	slices.Sort(results)
	middle := results[len(results)/2]
	if even := len(results)%2 == 0; even && !math.IsInf(middle, 1) {
		middle = (middle + results[len(results)/2-1]) / 2
	}
	if math.IsInf(middle, 1) {
		s.Why = append(s.Why, "two or more runs of the median set did not converge")
		return s
	}
	s.Seconds, s.Minutes = new(middle*s.Scaling), new(middle*s.Scaling/60)
	return s
}

// window is the mean of a set without its fastest and its slowest run. One that did
// not converge is the slowest; two make the set worthless.
func window(runs []Run) float64 {
	var times []float64
	for _, r := range runs {
		if r.Converged {
			times = append(times, r.Seconds)
		} else {
			times = append(times, math.Inf(1))
		}
	}
	slices.Sort(times)
	sum := 0.0
	for _, t := range times[1 : len(times)-1] {
		sum += t
	}
	return sum / float64(len(times)-2)
}

// rate tells how fast runs were, apart from how many samples they happened to need.
func (s *Score) rate() {
	var rates []float64
	for _, r := range s.Runs {
		if rate := r.Samples / r.Seconds; r.Samples > 0 && r.Seconds > 0 && !math.IsInf(rate, 0) {
			rates = append(rates, rate)
		}
	}
	if len(rates) == 0 || len(rates) < len(s.Runs) {
		return
	}
	if est, err := stats.Mean(rates, .95); err == nil {
		s.Rate = new(est.Value)
	}
}

// ReadFolder scores the logs of a folder, with the scaling.json beside them. Logs
// without a run, and those of power measurements, are passed over.
func ReadFolder(folder string, need int) (Score, error) {
	var runs []Run
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return Score{}, err
	}
	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil {
		return Score{}, err
	}
	for _, name := range slices.Sorted(slices.Values(append(names, logs...))) {
		r, ok, err := readRun(name)
		if err != nil {
			return Score{}, err
		}
		if ok {
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return Score{}, fmt.Errorf("%s: no log with run_start and run_stop; want result_N.txt with lines of %s", folder, mark)
	}
	factor, err := scaling(filepath.Join(folder, "scaling.json"))
	if err != nil {
		return Score{}, err
	}
	return ScoreOf(runs, need, factor), nil
}

// mostBytes is the largest log that is read: one of a thousand evaluations, with all
// that programs print between, has some ten megabytes.
const mostBytes = 256 << 20

func readRun(name string) (Run, bool, error) {
	f, err := intake.Open(name)
	if err != nil {
		return Run{}, false, err
	}
	defer f.Close()
	sum := sha256.New()
	events, err := Read(io.TeeReader(intake.Bounded(name, f, mostBytes), sum))
	if err != nil {
		return Run{}, false, fmt.Errorf("%s: %w", name, err)
	}
	r, ok := RunOf(filepath.Base(name), events)
	r.Digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	return r, ok, nil
}

// scaling reads the factor that the rules' own programs put beside logs whose runs
// converged faster than the reference.
func scaling(name string) (float64, error) {
	text, err := intake.ReadFile(name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	var said struct {
		Factor float64 `json:"scaling_factor"`
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	if err := d.Decode(&said); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if said.Factor <= 0 {
		return 0, fmt.Errorf("%s: scaling_factor %v: want above zero", name, said.Factor)
	}
	return said.Factor, nil
}
