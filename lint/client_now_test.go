package lint

import (
	"strings"
	"testing"

	"assay/metric"
)

func TestClientNow(t *testing.T) {
	lag, busy, pressure := 2e-3, .9, .2
	h := metric.ClientHealth{LagP99: &lag, CPUShareMax: &busy, CPUPressure: &pressure, Requests: 90, Dropped: 10}
	own, around := ClientNow(h, .02, false)
	if len(own) != 3 || !strings.HasPrefix(own[0], "send lag p99 2.00 ms (limit 1.00 ms)") || !strings.Contains(own[2], "10 of 100 calls") {
		t.Errorf("own %q, want lag, processors and dropped calls", own)
	}
	if len(around) != 1 || !strings.Contains(around[0], "CPU contention (PSI) 20.0 %") {
		t.Errorf("around %q, want the pressure", around)
	}
	// Against answers of 300 ms a lag of 2 ms is nothing, and a cap is the plan's.
	busy = .5
	if own, _ := ClientNow(h, .3, true); len(own) != 0 {
		t.Errorf("own %q, want none", own)
	}
	if own, around := ClientNow(metric.ClientHealth{}, 0, false); own != nil || around != nil {
		t.Errorf("of nothing: %q, %q", own, around)
	}
}
