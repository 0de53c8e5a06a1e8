package tier1

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/intake"
)

// The files of a history.
const (
	IndexFile      = "index.json"
	SummaryFile    = "summary.json"
	RegressionJSON = "regression_summary.json"
	RegressionMD   = "regression_summary.md"
	TrendFile      = "trend_snapshot.json"
	RecheckFile    = "regression_rechecks.json"
	ActsFile       = "acceptances.jsonl"
)

// An Entry is one run in the index.
type Entry struct {
	RunID       string    `json:"run_id"`
	GeneratedAt time.Time `json:"generated_at"`
	Summary     string    `json:"summary_json"`
	Regression  string    `json:"regression_summary_json"`
	Markdown    string    `json:"regression_summary_md"`
	Trend       string    `json:"trend_snapshot_json"`
	Totals
}

// An Index lists the runs of a suite by time.
type Index struct {
	SuiteName string  `json:"suite_name"`
	Version   int     `json:"suite_version"`
	Runs      []Entry `json:"runs"`
}

// A Trend is the history up to a run.
type Trend struct {
	SuiteName      string   `json:"suite_name"`
	RunCount       int      `json:"run_count"`
	History        []Entry  `json:"history"`
	Avg            *float64 `json:"avg_speedup"`
	Median         *float64 `json:"avg_median_speedup"`
	Geomean        *float64 `json:"avg_geomean_speedup"`
	Representative *float64 `json:"representative_speedup"`
	Best           *float64 `json:"best_speedup_seen"`
	Latest         string   `json:"latest_run_id"`
}

// mostBytes is the largest file of a history that is read.
const mostBytes = 64 << 20

// ReadIndex reads the index of a history. One that cannot be read is a warning: a
// damaged past must not keep the present from being measured.
func ReadIndex(root string) (Index, []string) {
	index := Index{SuiteName: Name, Version: Version}
	data, err := intake.ReadFile(filepath.Join(root, IndexFile), mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return index, nil
	}
	if err == nil {
		var read Index
		if err = json.Unmarshal(data, &read); err == nil {
			return read, nil
		}
	}
	return index, []string{fmt.Sprintf("%s cannot be read and is begun anew: %v", IndexFile, err)}
}

// Add enters a run. A run id is entered once: history is not rewritten.
func (x Index) Add(e Entry) (Index, error) {
	if slices.ContainsFunc(x.Runs, func(have Entry) bool { return have.RunID == e.RunID }) {
		return x, fmt.Errorf("run %s is in the history already: choose another --run-id", e.RunID)
	}
	x.Runs = append(slices.Clone(x.Runs), e)
	slices.SortFunc(x.Runs, func(a, b Entry) int { return a.GeneratedAt.Compare(b.GeneratedAt) })
	return x, nil
}

// Trend sums the index up.
func (x Index) Trend() Trend {
	t := Trend{SuiteName: x.SuiteName, RunCount: len(x.Runs), History: x.Runs}
	mean := func(of func(Entry) *float64) *float64 {
		sum, n := 0., 0.
		for _, e := range x.Runs {
			if v := of(e); v != nil {
				sum, n = sum+*v, n+1
			}
		}
		if n == 0 {
			return nil
		}
		sum /= n
		return &sum
	}
	t.Avg = mean(func(e Entry) *float64 { return e.Avg })
	t.Median = mean(func(e Entry) *float64 { return e.Median })
	t.Geomean = mean(func(e Entry) *float64 { return e.Geomean })
	t.Representative = t.Geomean
	for _, e := range x.Runs {
		if e.Max != nil && (t.Best == nil || *e.Max > *t.Best) {
			t.Best = e.Max
		}
	}
	if len(x.Runs) > 0 {
		t.Latest = x.Runs[len(x.Runs)-1].RunID
	}
	return t
}

// keep writes a run into the history; the index comes last.
func keep(root string, index Index, s Summary, c Comparison, again map[string]Result) error {
	dir := filepath.Join(root, s.RunID)
	at := func(name string) string { return filepath.ToSlash(filepath.Join(s.RunID, name)) }
	index, err := index.Add(Entry{
		RunID: s.RunID, GeneratedAt: s.GeneratedAt, Totals: s.Totals,
		Summary: at(SummaryFile), Regression: at(RegressionJSON), Markdown: at(RegressionMD), Trend: at(TrendFile),
	})
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path    string
		content any
	}{
		{filepath.Join(dir, SummaryFile), s}, {filepath.Join(dir, RegressionJSON), c}, {filepath.Join(dir, RecheckFile), again},
		{filepath.Join(dir, TrendFile), index.Trend()}, {filepath.Join(root, IndexFile), index},
	} {
		data, err := json.MarshalIndent(f.content, "", "  ")
		if err != nil {
			return err
		}
		if err := replace(f.path, append(data, '\n')); err != nil {
			return err
		}
	}
	return replace(filepath.Join(dir, RegressionMD), []byte(c.Markdown()))
}

// replace writes a file that is never seen half written.
func replace(path string, data []byte) error {
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Markdown is the comparison for people.
func (c Comparison) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s against %s\n", c.RunID, orNothing(c.Against))
	for _, part := range []struct {
		head string
		list []Change
	}{{"Regressions", c.Regressions}, {"Suppressed by a recheck", c.Suppressed}, {"Improvements", c.Improvements}} {
		fmt.Fprintf(&b, "\n## %s\n\n", part.head)
		if len(part.list) == 0 {
			fmt.Fprintln(&b, "none")
		}
		for _, change := range part.list {
			fmt.Fprintf(&b, "- %s, %s: %s; %s\n", change.Key, change.Rule, change.Text, certainty(change.Apart))
		}
	}
	for head, list := range map[string][]string{"new": c.New, "missing": c.Missing, "warnings": c.Warnings} {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n%s: %s\n", head, strings.Join(list, "; "))
		}
	}
	return b.String()
}

func certainty(apart *bool) string {
	switch {
	case apart == nil:
		return "no interval on one side"
	case *apart:
		return "more than the spread of launches"
	}
	return "within the spread of launches"
}

func orNothing(name string) string {
	if name == "" {
		return "nothing: no run is accepted"
	}
	return name
}
