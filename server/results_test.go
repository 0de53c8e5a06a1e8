package server

import (
	"fmt"
	"strings"
	"testing"

	"assay/warehouse"
)

// The table of a run is the same the second time, is that of no other run, and many of them
// do not fill the memory.
func TestResults(t *testing.T) {
	detail := func(n int) (d warehouse.RunDetail) {
		d.Digest = fmt.Sprintf("sha256:%064d", n)
		for i := range 400 {
			d.Figures = append(d.Figures, warehouse.Figure{Metric: fmt.Sprintf("m<%d>", n), Statistic: "p50", Point: fmt.Sprint("c=", i), Value: float64(n), Unit: "ms"})
		}
		return d
	}
	var r results
	for n := range 300 {
		first, err := r.of(detail(n))
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.of(detail(n))
		if err != nil || again != first || !strings.Contains(string(first), fmt.Sprintf("m&lt;%d&gt;", n)) {
			t.Fatalf("run %d: the second table differs from the first, or is not its own (%v)", n, err)
		}
		if r.bytes > mostResults {
			t.Fatalf("%d bytes are held, want at most %d", r.bytes, mostResults)
		}
	}
	if len(r.shown) == 0 || len(r.shown) == 300 {
		t.Errorf("%d of 300 tables are held, want some and not all", len(r.shown))
	}
}
