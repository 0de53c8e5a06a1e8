package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"assay/analysis/overlap"
)

// measured is what the analysis said of a case.
type measured struct {
	Exposed float64 // seconds, of the rank that waited least
	Buckets []int64 // bytes, in the order of launch
	Verdict overlap.Verdict
}

// read finds the one bundle under runs and what was derived of its steps.
func read(runs string) (measured, error) {
	found, err := filepath.Glob(filepath.Join(runs, "*", "derived", "*", "training.json"))
	if err != nil {
		return measured{}, err
	}
	if len(found) == 0 {
		return measured{}, fmt.Errorf("no training.json under %s", runs)
	}
	slices.Sort(found)
	data, err := os.ReadFile(found[len(found)-1])
	if err != nil {
		return measured{}, err
	}
	var report overlap.Report
	if err := json.Unmarshal(data, &report); err != nil {
		return measured{}, err
	}
	if len(report.Points) != 1 {
		return measured{}, fmt.Errorf("%s: %d points, want 1", found[0], len(report.Points))
	}
	point := report.Points[0]
	m := measured{Verdict: point.Verdict}
	for _, rank := range point.PerRank {
		if rank.Exposed == nil {
			return m, fmt.Errorf("rank %d has no exposed communication", rank.Rank)
		}
		if m.Exposed == 0 || *rank.Exposed < m.Exposed {
			m.Exposed = *rank.Exposed
		}
	}
	for _, line := range point.Timeline {
		if line.Rank == 0 {
			for _, bucket := range line.Buckets {
				m.Buckets = append(m.Buckets, int64(bucket[2]))
			}
		}
	}
	return m, nil
}

// verdict says whether the right thing was blamed.
func (m measured) verdict(c testCase) bool {
	is := func(p *int, want int) bool { return p == nil && want < 0 || p != nil && *p == want }
	return slices.Contains(c.limits, m.Verdict.Limit) && is(m.Verdict.Rank, c.rank) && is(m.Verdict.From, c.from) && is(m.Verdict.To, c.to)
}

func (m measured) said() string {
	switch v := m.Verdict; {
	case v.Rank != nil:
		return fmt.Sprintf("%s, rank %d", v.Limit, *v.Rank)
	case v.From != nil && v.To != nil:
		return fmt.Sprintf("%s, %d→%d", v.Limit, *v.From, *v.To)
	}
	return m.Verdict.Limit + ", nobody"
}
