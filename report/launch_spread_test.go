package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"assay/report"
	"assay/report/reporttest"
)

// Text, Markdown and JSON give the median of the launches with their range, and the mean
// beside it.
func TestMedianOfLaunches(t *testing.T) {
	r := reporttest.Example(t)
	for name, format := range map[string]report.Format{"brief": report.Brief(report.Look{}), "text": report.Text, "markdown": report.Markdown} {
		var got bytes.Buffer
		if err := format(&got, r); err != nil || !strings.Contains(got.String(), "12.5 req/s (12.0 to 13.0)") {
			t.Errorf("%s has no median with its range: %v\n%s", name, err, got.String())
		}
	}
	var got bytes.Buffer
	if err := report.JSON(&got, r); err != nil {
		t.Fatal(err)
	}
	var document struct {
		Summary []struct {
			RequestThroughput struct {
				Launches struct {
					Median, Min, Max float64
					Launches         int
				}
			}
		}
	}
	if err := json.Unmarshal(got.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if s := document.Summary[0].RequestThroughput.Launches; s.Median != 12.5 || s.Min != 12 || s.Max != 13 || s.Launches != 3 {
		t.Errorf("summary %+v", s)
	}
}
