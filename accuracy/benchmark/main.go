// Command benchmark times the text metrics beside the Python libraries that define them,
// on systems of WMT17, and checks that the scores are the same.
//
//	make bench-accuracy
//	benchmark -data FOLDER -python PYTHON -rounds 1
//
// Every measurement is a process of its own, and the two sides take turns. Times are CPU
// times of scoring alone, the least of all rounds; ours are on one core. It exits with 3
// where a metric is less than 50 times as fast as its reference, or TER less than 200
// times.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
)

//go:embed reference.py
var reference []byte

// errSlow says that a promise is broken.
var errSlow = errors.New("a metric is slower than promised")

func main() {
	var o options
	flag.StringVar(&o.data, "data", "../shared/data/wmt17_en_de", "folder of the texts, one segment a line, gzip")
	flag.StringVar(&o.python, "python", ".venv/bin/python", "interpreter with sacrebleu, rouge_score and nltk")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each side is measured")
	flag.IntVar(&o.ter, "ter", 300, "segments of each system that TER is measured on")
	score := flag.String("score", "", "score a corpus with this metric and print how it went (used by itself)")
	corpus := flag.String("corpus", "", "the corpus to score")
	passes := flag.Int("passes", 1, "how often to score it")
	flag.Parse()
	err := func() error {
		if *score != "" {
			return scoreOnce(*score, *corpus, *passes)
		}
		return o.run()
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		if errors.Is(err, errSlow) {
			os.Exit(3)
		}
		os.Exit(1)
	}
}

type options struct {
	data, python string
	rounds, ter  int
}

// A row is what was measured of one metric.
type row struct {
	name         string
	ours, theirs measured
	cores        measured // ours on all cores
	tenfold      measured // ours, with ten times the texts
}

func (o options) run() error {
	folder, err := os.MkdirTemp("", "bench-accuracy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	script := filepath.Join(folder, "reference.py")
	if err := os.WriteFile(script, reference, 0o600); err != nil {
		return err
	}
	whole, part, err := writeCorpora(o.data, folder, o.ter)
	if err != nil {
		return err
	}
	rows := make([]row, len(metrics))
	for round := range o.rounds {
		for i, m := range metrics {
			corpus := whole
			if m.name == "TER" {
				corpus = part
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, o.rounds, m.name)
			rows[i].name = m.name
			if err := rows[i].measure(o.python, script, corpus, round == 0); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
	}
	return o.print(rows)
}

// measure takes both sides in turn, and keeps the better of this round and those before.
func (r *row) measure(python, script, corpus string, first bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ours := func(cores, passes int) (measured, error) {
		return measure(cores, self, "-score", r.name, "-corpus", corpus, "-passes", strconv.Itoa(passes))
	}
	one, err := ours(1, passes)
	if err != nil {
		return err
	}
	theirs, err := measure(1, python, script, r.name, corpus)
	if err != nil {
		return err
	}
	all, err := ours(runtime.NumCPU(), passes)
	if err != nil {
		return err
	}
	if err := agree(one.Scores, theirs.Scores); err != nil {
		return err
	}
	if first {
		if r.tenfold, err = ours(1, 10*passes); err != nil {
			return err
		}
		r.ours, r.theirs, r.cores = one, theirs, all
	}
	r.ours, r.theirs, r.cores = r.ours.better(one), r.theirs.better(theirs), r.cores.better(all)
	return nil
}

// passes is how often our side scores the corpus in one measurement, so that it lasts.
const passes = 4

// measure runs a process and reads what it prints.
func measure(cores int, command string, args ...string) (m measured, err error) {
	cmd := exec.Command(command, args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(cores), "OPENBLAS_NUM_THREADS=1")
	out, err := cmd.Output()
	if err != nil {
		return m, fmt.Errorf("%s: %w", command, err)
	}
	return m, json.Unmarshal(out, &m)
}

// agree fails unless both sides found the same: otherwise the times do not compare.
func agree(ours, theirs [][]float64) error {
	if len(ours) != len(theirs) {
		return fmt.Errorf("%d systems, and %d by the reference", len(ours), len(theirs))
	}
	for i := range ours {
		for k, score := range ours[i] {
			if math.Abs(score-theirs[i][k]) > 1e-9*math.Abs(score) {
				return fmt.Errorf("system %d scores %v, and %v by the reference", i, score, theirs[i][k])
			}
		}
	}
	return nil
}

func (o options) print(rows []row) error {
	fmt.Printf("%d systems of WMT17 en-de, 3004 segments each (TER: the first %d); %s, %d cores; least of %d rounds\n",
		len(rows[0].ours.Scores), o.ter, runtime.Version(), runtime.NumCPU(), o.rounds)
	fmt.Printf("scores agree with sacrebleu, rouge_score and NLTK to 1e-9\n\n")
	fmt.Printf("%-8s %12s %12s %9s %14s %9s %10s %10s %10s\n", "", "Python CPU s", "ours CPU s", "ratio", "ours all cores", "ratio",
		"Python MiB", "ours MiB", "10x texts")
	var slow error
	for _, r := range rows {
		ratio, least := r.theirs.CPU/r.ours.CPU, 50.0
		if r.name == "TER" {
			least = 200
		}
		note := ""
		if ratio < least {
			note, slow = fmt.Sprintf("  less than %.0f", least), errSlow
		}
		fmt.Printf("%-8s %12.3f %12.4f %9.0f %14.4f %9.0f %10.0f %10.0f %10.0f%s\n", r.name, r.theirs.CPU, r.ours.CPU, ratio,
			r.cores.Clock, r.theirs.Clock/r.cores.Clock, r.theirs.PeakMiB, r.ours.PeakMiB, r.tenfold.PeakMiB, note)
	}
	fmt.Printf("\nCPU times are of one core; \"ours all cores\" and the ratio after it are by the clock.\n")
	return slow
}
