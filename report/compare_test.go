package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"assay/report"
	"assay/report/reporttest"
)

// indentedJSON is how the command prints answers for programs.
func indentedJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func TestCompareFaces(t *testing.T) {
	for name, face := range map[string]func(io.Writer) error{
		"compare.txt":  func(w io.Writer) error { return report.CompareText(w, reporttest.Compared(), false) },
		"compare.md":   func(w io.Writer) error { return report.CompareMarkdown(w, reporttest.Compared(), true) },
		"gate.txt":     func(w io.Writer) error { return report.GateText(w, reporttest.Gated()) },
		"gate.md":      func(w io.Writer) error { return report.GateMarkdown(w, reporttest.Gated()) },
		"gate.xml":     func(w io.Writer) error { return report.GateJUnit(w, reporttest.Gated()) },
		"gate.csv":     func(w io.Writer) error { return report.GateCSV(w, reporttest.Gated()) },
		"gate.json":    func(w io.Writer) error { return indentedJSON(w, reporttest.Gated()) },
		"compare.xml":  func(w io.Writer) error { return report.CompareJUnit(w, reporttest.Compared(), false) },
		"compare.csv":  func(w io.Writer) error { return report.CompareCSV(w, reporttest.Compared()) },
		"compare.json": func(w io.Writer) error { return indentedJSON(w, reporttest.Compared()) },

		"gate_passed.txt": func(w io.Writer) error { return report.GateText(w, reporttest.Released()) },
		"gate_passed.xml": func(w io.Writer) error { return report.GateJUnit(w, reporttest.Released()) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := face(&got); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, name, got.Bytes())
		})
	}
}
