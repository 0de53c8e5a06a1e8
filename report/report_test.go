package report_test

import (
	"bytes"
	"strings"
	"testing"

	"assay/finding"
	"assay/metric"
	"assay/report"
	"assay/report/reporttest"
)

// A run that was not calibrated says so, and one that was calibrated once says when.
func TestOwnError(t *testing.T) {
	f := func(want string, change func(*metric.Client)) {
		t.Helper()
		r := report.Report{Client: reporttest.Client()}
		change(&r.Client)
		if got := strings.Join(report.OwnError(r), "\n"); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f("before and after the run", func(*metric.Client) {})
	f("before the run only", func(c *metric.Client) { c.Bounds.TTFT.After = nil })
	f("after the run only", func(c *metric.Client) { c.Bounds.TTFT.Before = nil })
	f("open loop of 50/s", func(c *metric.Client) { c.After.Loop, c.After.Rate = "open", 50 })
	f("not covered: the network", func(*metric.Client) {})
	f("moved first tokens by ≤ 20.0 µs at the median and ≤ 3.00 ms at the p99, as far as its 90 requests show", func(c *metric.Client) {
		c.Launches = []metric.ClientHealth{{Moved: []metric.Moved{{N: 60, P50: 2e-5, P99: 1e-3}}}, {Moved: []metric.Moved{{N: 30, P50: 1e-5, P99: 3e-3}}}}
	})
	f("not measured", func(c *metric.Client) { c.Bounds = nil })
}

func TestGolden(t *testing.T) {
	for name, format := range map[string]report.Format{
		"report.txt": report.Text, "report.json": report.JSON, "report.md": report.Markdown, "report.csv": report.CSV, "junit.xml": report.JUnit,
	} {
		var got bytes.Buffer
		if err := format(&got, reporttest.Example(t)); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, name, got.Bytes())
	}
}

// Metrics of detail are counted, and shown when all are asked for.
func TestAllMetrics(t *testing.T) {
	f := func(all bool, want string, hidden ...string) {
		t.Helper()
		r := reporttest.Example(t)
		r.All = all
		var got bytes.Buffer
		if err := report.Text(&got, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.String(), want) {
			t.Errorf("all %v: no %q in\n%s", all, want, got.String())
		}
		for _, text := range hidden {
			if strings.Contains(got.String(), text) {
				t.Errorf("all %v: %q in\n%s", all, text, got.String())
			}
		}
	}
	f(false, "2 more metrics in the JSON; assay report --all shows them", metric.LongestGap.Name, metric.CostPerOutputToken.Name)
	f(false, "as declared: 8 GPUs, $2.5 for one of them an hour\n    "+metric.CostPerRequest.Name)
	f(true, metric.LongestGap.Name, "more metrics")
	f(true, metric.CostPerOutputToken.Name)
}

func TestFindingsText(t *testing.T) {
	r := reporttest.Example(t)
	r.Findings = []finding.Finding{{Check: "over-saturation", Severity: finding.Caution, Message: "the queue grew", Why: "no steady state", Fix: "call it unstable"}}
	var b bytes.Buffer
	if err := report.Text(&b, r); err != nil {
		t.Fatal(err)
	}
	if want := "caution  over-saturation: the queue grew\n    why: no steady state\n    to do: call it unstable\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}
