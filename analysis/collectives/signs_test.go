package collectives

import (
	"strings"
	"testing"

	"assay/stats"
)

// What speaks against the links: an all-gather far below them, and exchanges that are
// not steady.
func TestSigns(t *testing.T) {
	row := func(op string, ranks int, bytes int64, rate float64) Row {
		return Row{Op: op, Ranks: ranks, Bytes: bytes, BusBW: &stats.Estimate{Value: rate}}
	}
	tests := []struct {
		name     string
		r        Report
		measured bool
		want     []string // phrases, one of each sign
	}{
		{"nothing", Report{}, false, nil},
		{"no all-gather", Report{Rows: []Row{row("all_reduce", 2, 1, 1e9)}}, false, nil},
		{"alone", Report{Rows: []Row{row("all_gather", 2, 1, 1e9)}}, false, nil},
		{"near its link", Report{Rows: []Row{row("all_gather", 2, 1<<20, 8e9)}, Link: &Link{Rate: 10e9}}, true, nil},
		{"far below it, by the largest size", Report{Rows: []Row{row("all_gather", 2, 1<<10, 9e9), row("all_gather", 2, 1<<20, 1e9)}, Link: &Link{Rate: 10e9}}, true, []string{"10 % of the link's 10.0 GB/s"}},
		{"far below the others", Report{Rows: []Row{row("all_gather", 4, 1<<20, 1e9), row("all_reduce", 4, 1<<20, 4e9), row("all_reduce", 2, 1<<20, 90e9)}}, true, []string{"25 % of the 4.00 GB/s of all_reduce"}},
		{"steady", Report{Stability: []Stability{{Class: "good", SlowTail: 1.1}}}, true, nil},
		{"a tail", Report{Stability: []Stability{{Op: "all_reduce", Class: "good", SlowTail: 1.2}}}, true, []string{"1.20 times its p50"}},
	}
	for _, tt := range tests {
		got, measured := tt.r.Signs()
		if measured != tt.measured || len(got) != len(tt.want) {
			t.Errorf("%s: %q (measured %v), want %q", tt.name, got, measured, tt.want)
			continue
		}
		for i, phrase := range tt.want {
			if !strings.Contains(got[i], phrase) {
				t.Errorf("%s: %q does not say %q", tt.name, got[i], phrase)
			}
		}
	}
}
