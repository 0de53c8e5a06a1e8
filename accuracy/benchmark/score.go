package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"assay/accuracy/lexical"
)

// metrics are what is measured.
var metrics = []struct {
	name   string
	metric lexical.CorpusMetric
}{
	{"BLEU", lexical.BLEU{}},
	{"chrF", lexical.CHRF{}},
	{"chrF++", lexical.CHRF{WordOrder: 2}},
	{"TER", lexical.TER{}},
	{"ROUGE", rouges{}},
	{"METEOR", lexical.METEOR{}},
}

// rouges are three types of ROUGE with stems, as the reference scores them together.
type rouges struct{ lexical.ROUGE }

func (rouges) Segment(hypothesis string, references []string) []float64 {
	stats := []float64{1}
	for _, score := range lexical.ROUGEs([]string{"1", "2", "L"}, true, hypothesis, references) {
		stats = append(stats, score.F)
	}
	return stats
}

// scores are the means of all types; other metrics have one score.
func scores(m lexical.CorpusMetric, sum []float64) []float64 {
	if _, several := m.(rouges); !several {
		return []float64{m.Score(sum)}
	}
	var means []float64
	for _, f := range sum[1:] {
		means = append(means, f/sum[0])
	}
	return means
}

// A corpus is what both sides score.
type corpus struct {
	References []string   `json:"references"`
	Systems    [][]string `json:"systems"`
}

// measured is what a process prints about scoring a corpus: once, if it did so more often.
type measured struct {
	Scores  [][]float64 `json:"scores"` // by system
	CPU     float64     `json:"cpu"`
	Clock   float64     `json:"clock"`
	PeakMiB float64     `json:"peakMiB"`
}

// better has the lesser of both times.
func (m measured) better(other measured) measured {
	m.CPU, m.Clock = min(m.CPU, other.CPU), min(m.Clock, other.Clock)
	return m
}

// writeCorpora writes all texts of a folder as one file, and the first n segments of them
// as another.
func writeCorpora(data, folder string, n int) (whole, part string, err error) {
	files, err := filepath.Glob(filepath.Join(data, "newstest*.gz"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no texts in %s: -data names the folder", data)
	}
	if err != nil {
		return "", "", err
	}
	var all corpus
	if all.References, err = readLines(filepath.Join(data, "reference.txt.gz")); err != nil {
		return "", "", err
	}
	first := corpus{References: all.References[:min(n, len(all.References))]}
	for _, file := range files {
		lines, err := readLines(file)
		if err == nil && len(lines) != len(all.References) {
			err = fmt.Errorf("%s has %d segments, the reference %d", file, len(lines), len(all.References))
		}
		if err != nil {
			return "", "", err
		}
		all.Systems = append(all.Systems, lines)
		first.Systems = append(first.Systems, lines[:len(first.References)])
	}
	whole, part = filepath.Join(folder, "whole.json"), filepath.Join(folder, "part.json")
	return whole, part, errors.Join(writeJSON(whole, all), writeJSON(part, first))
}

func readLines(name string) ([]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	from, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

func writeJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// scoreOnce scores a corpus with one metric, several times over, and prints how one time
// went. Nothing of a pass is kept for the next.
func scoreOnce(name, file string, passes int) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var texts corpus
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	references := make([][]string, len(texts.References))
	for i := range references {
		references[i] = texts.References[i : i+1]
	}
	var result measured
	cpu, clock := cpuSeconds(), time.Now()
	for range passes {
		result.Scores = scoreAll(name, texts.Systems, references)
	}
	result.CPU, result.Clock = (cpuSeconds()-cpu)/float64(passes), time.Since(clock).Seconds()/float64(passes)
	result.PeakMiB = peakMiB()
	return json.NewEncoder(os.Stdout).Encode(result)
}

func scoreAll(name string, systems [][]string, references [][]string) (all [][]float64) {
	for _, hypotheses := range systems {
		var row []float64
		for _, m := range metrics {
			if m.name == name {
				row = scores(m.metric, lexical.Sum(lexical.Statistics(m.metric, hypotheses, references)))
			}
		}
		all = append(all, row)
	}
	return all
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no way to fail for the process itself
	}
	return u
}

func cpuSeconds() float64 {
	u := usage()
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peakMiB is the most memory that the process has had, which Linux counts in KiB.
func peakMiB() float64 {
	u := usage()
	return float64(u.Maxrss) / 1024
}
