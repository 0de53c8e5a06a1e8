package page

import (
	"strings"
	"testing"

	"assay/report/reporttest"
)

// The page has a section and the charts of each kind, and none about requests.
func TestRankPages(t *testing.T) {
	want := map[string][]string{
		"trained":   {`<section id="training"`, `"k":"boxes","t":"The step of every rank"`, `"t":"One typical step`, `"t":"Memory of every rank"`, "Where a step goes, point by point", "rank 1 is last with 90 %"},
		"exchanged": {`<section id="collectives"`, "all_reduce: bus bandwidth by size", "time by size, with the model", "call after call: high jitter", `"k":"heat"`, `"n":"model, 4 ranks, auto"`, "link, one way"},
		"probed":    {`<section id="hardware"`, "Latency of memory by working set", "Roofline of cpu", "network interfaces over the run"},
	}
	for name, r := range reporttest.Ranked(t) {
		page := htmlOf(t, r)
		for _, text := range want[name] {
			if !strings.Contains(page, text) {
				t.Errorf("the page of %s has no %q", name, text)
			}
		}
		for _, id := range []string{"curves", "points", "errors", "economics", "client"} {
			if strings.Contains(page, `<section id="`+id+`"`) {
				t.Errorf("the page of %s has a section about requests: %s", name, id)
			}
		}
	}
}
