package page

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/analysis/scaling"
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
		"trained":   {"<h1>Training · transformer of 4.24 M parameters", ">throughput<", ">step time p50<", ">communication hidden p50<", ">samples/s<", "Where a step goes, point by point"},
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

// A study of scaling has a page of its own in the same order, and a section where a run
// of several world sizes has one.
func TestScalingPage(t *testing.T) {
	study := reporttest.Scaled(t)
	var b bytes.Buffer
	if err := ScalingHTML(&b, study); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, text := range []string{"<h1>Strong scaling of time · 1 to 32 workers", ">speed-up, fastest size<", ">efficiency, still efficient<", ">Karp–Flatt<", "Speed-up by number of workers", `"n":"ideal"`, "scaling-baseline", "Universal Scalability Law"} {
		_, rest, found := strings.Cut(page, text)
		if !found {
			t.Fatalf("no %q, or too early", text)
		}
		page = rest
	}
	r := reporttest.Trained(t)
	r.Scaling = &scaling.Report{Studies: []scaling.StudyReport{{Result: &study}, {Name: "bucketSize=1MiB", Refused: "one size"}}}
	run := htmlOf(t, r)
	for _, text := range []string{`<section id="scaling"`, "Efficiency by number of workers", "bucketSize=1MiB", "one size"} {
		if !strings.Contains(run, text) {
			t.Errorf("the page of the run has no %q", text)
		}
	}
}

// A table that is too wide for the page is cut into tables that repeat the names of
// the rows, and no column is lost.
func TestCutColumns(t *testing.T) {
	for _, columns := range []int{1, 2, 12, 13, 18, 24, 40} {
		var head, row []string
		for i := range columns {
			head, row = append(head, fmt.Sprint("h", i)), append(row, fmt.Sprint(i))
		}
		seen := []string{"h0"}
		for _, b := range cutColumns(head, [][]string{row}) {
			if len(b.Head) > wideTable || len(b.Head) != len(b.Rows[0]) || b.Head[0] != "h0" || b.Rows[0][0] != "0" {
				t.Errorf("%d columns: %v", columns, b)
			}
			seen = append(seen, b.Head[1:]...)
		}
		if !slices.Equal(seen, head) {
			t.Errorf("%d columns: %v are shown", columns, seen)
		}
	}
}
