package report_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/report"
)

// strange is what must act nowhere.
const strange = "x\x1b]0;PWNED\a\r\n# INJECTED <script>alert(1)</script> [a](javascript:x) | pipe | `c` \u202e\u009b\xff"

// Labels, reasons and verdicts may repeat what a stranger said: on no face of a gate
// or a comparison does it begin a line, a tag, a link or a cell, or steer a terminal.
func TestStrangersWordsDoNothing(t *testing.T) {
	g := gate.Result{
		Policy: strange, Candidate: compare.Party{Label: strange}, Baseline: compare.Party{Label: strange},
		Reasons:  []gate.Reason{{Kind: "metric", About: strange, Why: strange}},
		Metrics:  []gate.Decision{{Key: strange, Reason: strange}},
		Accuracy: []gate.AccuracyDecision{{Metric: strange, Reason: strange}},
	}
	c := compare.Report{Baseline: compare.Party{Label: strange}, Comparisons: []compare.Comparison{{Candidate: compare.Party{Label: strange}}}}
	faces := map[string]func(w io.Writer) error{
		"gate.txt":   func(w io.Writer) error { return report.GateText(w, g) },
		"gate.md":    func(w io.Writer) error { return report.GateMarkdown(w, g) },
		"gate.xml":   func(w io.Writer) error { return report.GateJUnit(w, g) },
		"compare.md": func(w io.Writer) error { return report.CompareMarkdown(w, c, true) },
		"compare":    func(w io.Writer) error { return report.CompareText(w, c, true) },
	}
	for name, face := range faces {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := face(&b); err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer(`\]`, "", `\|`, "").Replace(b.String()) // without what is escaped
			if !strings.Contains(text, "PWNED") || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) }) {
				t.Errorf("got %q", text)
			}
			if strings.Contains(text, "\n# INJECTED") || strings.HasSuffix(name, ".md") && (strings.Contains(text, "<script") || strings.Contains(text, "](java") || strings.Contains(text, " | pipe")) {
				t.Errorf("a stranger's words act:\n%s", text)
			}
			if err := xml.Unmarshal(b.Bytes(), new(struct{})); strings.HasSuffix(name, ".xml") && err != nil {
				t.Error(err)
			}
		})
	}
}
