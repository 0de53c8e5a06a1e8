package page

import (
	"strings"
	"testing"

	"assay/claim"
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

// Every page opens with what was measured, its headline numbers, one table and one
// chart, and says why nothing may be quoted.
func TestRankPagesOpen(t *testing.T) {
	want := map[string][]string{
		"trained":   {"<h1>Training · transformer of 4.24 M parameters", ">throughput<", ">step time p50<", ">samples/s<", "Where a step goes, point by point"},
		"exchanged": {"<h1>Collectives · all reduce, barrier", ">all reduce, peak bus bandwidth<", ">all reduce, smallest message<", ">bus bandwidth<", "all_reduce: bus bandwidth by size"},
		"probed":    {"<h1>Hardware probes · memory, cache", ">memory bandwidth<", ">cache latency<", ">matmul flops<", ">probe<", "Latency of memory by working set"},
	}
	for name, r := range reporttest.Ranked(t) {
		r.Claims = &claim.Claims{Grade: claim.Exploratory, Refused: []claim.Refusal{{Reason: "there is one launch"}}}
		page := htmlOf(t, r)
		for _, text := range append(want[name], `<section id="findings"`, `<section id="claims"`, "Nothing may be quoted from this run: there is one launch.", `<details class="section">`) {
			_, rest, found := strings.Cut(page, text)
			if !found {
				t.Errorf("the page of %s has no %q, or too early", name, text)
				continue
			}
			page = rest
		}
	}
}
