package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/analysis/agreement"
	"assay/metric"
	"assay/report"
	"assay/tests/whole"
)

// explained is the reason of a difference; "missing" where the result is not compared.
func explained(r report.Report, quantity, statistic string) string {
	i := slices.IndexFunc(r.Agreement, func(row agreement.Row) bool {
		return row.Quantity == quantity && row.Statistic == statistic && row.Point == 0
	})
	if i < 0 {
		return "missing"
	}
	return r.Agreement[i].Why
}

// Real results of each tool are explained by its definitions.
func TestImportExplains(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, tt := range []struct {
		path, quantity, statistic, want string // want is in the reason; empty: the two agree
	}{
		{"aiperf/c2-server", "TTFT", "mean", "from the send"},
		{"aiperf/c2-server", "E2E", "mean", "from the send"},
		{"aiperf/c2-server", "ITL", "mean", ""},
		{"aiperf/c2-server", "TPOT", "mean", "51.5 by its tokenizer, 40.0 by server"},
		{"aiperf/c2-server", "output throughput", "value", "51.5 by its tokenizer, 40.0 by server"},
		{"aiperf/c2-server", "request throughput", "value", ""},
		{"guidellm/c2.json", "TTFT", "mean", ""},
		{"guidellm/c2.json", "TPOT", "mean", "contains the time to the first token"},
		{"vllm/c2.json", "TTFT", "p50", "interpolated, not the value of rank"},
		{"vllm/c2.json", "output throughput", "value", ""},
		{"sglang/online.jsonl", "E2E", "mean", ""},
		{"inference-perf/concurrent", "output throughput", "value", "tokenizer"},
		{"genai-bench/warmup-ms", "output throughput", "value", "cut requests are left out"},
	} {
		r, _ := importJSON(t, "../../foreign/testdata/"+tt.path)
		got := explained(r, tt.quantity, tt.statistic)
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s %s: %q, want %q", tt.path, tt.quantity, tt.statistic, got, tt.want)
		}
		for _, row := range r.Agreement {
			if row.Why == agreement.NotExplained {
				t.Errorf("%s: %s %s is not explained: %v reported, %v recomputed", tt.path, row.Quantity, row.Statistic, row.Reported, row.Recomputed)
			}
		}
	}
}

// What AIPerf read of the server is in the report: the simulator generated 960 tokens
// in a window of 3.1 s.
func TestImportServerMetrics(t *testing.T) {
	t.Parallel()
	r, _ := importJSON(t, "../../foreign/testdata/aiperf/c2-server")
	if got := value(r, metric.ServerOutputThroughput, "value", 0); !(got > 300 && got < 315) {
		t.Errorf("server output throughput %v, want about 309 tok/s", got)
	}
	if got := value(r, metric.ServerRunning, "value", 0); !(got > 1.5 && got <= 2) {
		t.Errorf("server batch %v, want nearly 2", got)
	}
	if text := report.ScrapedText(r, 0); !strings.Contains(text, "by aiperf") || !strings.Contains(text, "names of vLLM") {
		t.Errorf("the report says %q", text)
	}
}

// The brief of an import fits a terminal.
func TestImportBrief(t *testing.T) {
	t.Parallel()
	stdout, _, code := call(t, "import", "-o", t.TempDir(), "../../foreign/testdata/aiperf/c2-server")
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if code != 0 || len(lines) > 24 || !strings.Contains(stdout, "why they differ") {
		t.Errorf("exit %d, %d lines, want 0 and at most 24 with the comparison:\n%s", code, len(lines), stdout)
	}
	for _, line := range lines {
		if !strings.Contains(line, "/") && utf8.RuneCountInString(line) > 100 {
			t.Errorf("longer than 100 columns: %s", line)
		}
	}
}
