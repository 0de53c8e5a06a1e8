package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"assay/report"
	"assay/report/reporttest"
)

// Every face shows what ranks and probes measured, and nothing that only requests
// have.
func TestRankFaces(t *testing.T) {
	for name, r := range reporttest.Ranked(t) {
		for ending, format := range map[string]report.Format{"txt": report.Text, "md": report.Markdown} {
			var got bytes.Buffer
			if err := format(&got, r); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, name+"."+ending, got.Bytes())
			for _, bad := range []string{"tokenizer", "own error", "lengths", "\nload ", "outcomes", "NaN", "Inf"} {
				if strings.Contains(got.String(), bad) {
					t.Errorf("%s of %s contains %q:\n%s", ending, name, bad, got.String())
				}
			}
		}
	}
}

// Parts of steps and probes are rows of the CSV.
func TestRankCSV(t *testing.T) {
	for name, r := range reporttest.Ranked(t) {
		var b bytes.Buffer
		if err := report.CSV(&b, r); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if want := 1 + len(r.Estimates.Rows) + len(report.RankFigures(r)); err != nil || len(rows) != want {
			t.Errorf("%s: %d rows (%v), want %d", name, len(rows), err, want)
		}
	}
}

// The table has the layout that readers of nccl-tests know, and no average over
// sizes.
func TestNCCL(t *testing.T) {
	r := reporttest.Exchanged(t)
	var got bytes.Buffer
	if err := report.NCCL(&got, r); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "exchanged.nccl", got.Bytes())
	for line := range strings.Lines(got.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "#") && len(line) != 52+2*33 {
			t.Errorf("a row of %d characters, want %d:\n%s", len(line), 52+2*33, line)
		}
	}
	if strings.Count(got.String(), "# Avg bus bandwidth    : none: an average over sizes") != 2 {
		t.Errorf("an average over sizes is printed:\n%s", got.String())
	}
	r.Collectives.Rows = r.Collectives.Rows[:1]
	got.Reset()
	if err := report.NCCL(&got, r); err != nil || !strings.Contains(got.String(), "# Avg bus bandwidth    : 0.01") {
		t.Errorf("one size has an average: %v\n%s", err, got.String())
	}
	if err := report.NCCL(&got, reporttest.Trained(t)); err == nil {
		t.Error("a run without collectives has a table of them")
	}
	for _, tt := range []struct {
		v     float64
		width int
		want  string
	}{{1.234, 6, "1.23"}, {123456, 7, "123456"}, {12345678, 7, "1.2e+07"}, {12345678, 6, "1e+07"}, {1234.5, 6, "1234.5"}} {
		if got := report.NCCLNumber(tt.v, tt.width); got != tt.want {
			t.Errorf("ncclNumber(%v, %d) = %q, want %q", tt.v, tt.width, got, tt.want)
		}
	}
}
