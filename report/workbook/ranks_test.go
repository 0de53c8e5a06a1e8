package workbook

import (
	"bytes"
	"strings"
	"testing"

	"assay/report/reporttest"
)

// Sheets hold the digits of the report, and none is about requests.
func TestRankSheets(t *testing.T) {
	want := map[string][]string{
		"trained":   {"Training", "Training ranks", "Memory", "exposed communication"},
		"exchanged": {"Collectives", "Models", "Pairs", "all_reduce"},
		"probed":    {"Hardware", "triad"},
	}
	for name, r := range reporttest.Ranked(t) {
		var b bytes.Buffer
		if err := XLSX(&b, r); err != nil {
			t.Fatal(err)
		}
		text, err := workbookText(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, sheet := range want[name] {
			if !strings.Contains(text, sheet) {
				t.Errorf("the workbook of %s has no %q", name, sheet)
			}
		}
		for _, bad := range []string{"tokenizer", "concurrency", "most in flight"} {
			if strings.Contains(text, bad) {
				t.Errorf("the workbook of %s says %q", name, bad)
			}
		}
	}
}
