package hardware

import (
	"slices"
	"strings"
	"testing"

	"assay/stats"
	"assay/unit"
)

// Accelerators side by side: the slow one is named, and those within two percent are
// alike.
func TestDevices(t *testing.T) {
	t.Parallel()
	rows := func(values ...float64) (list []Row) {
		for i, v := range values {
			list = append(list, Row{Probe: "matmul", Variant: "bfloat16", Scope: "cuda:" + string(rune('0'+i)) + " H200", What: FLOPS, Unit: unit.FLOPPerSecond, Estimate: stats.Estimate{Value: v}})
		}
		return append(list, Row{Probe: "matmul", Variant: "bfloat16", Scope: "H200", What: FLOPS}, Row{Probe: "peer_to_peer", Scope: "cuda:0 to cuda:1", What: Bandwidth})
	}
	got := devices(rows(700e12, 640e12, 701e12, 699e12))
	if len(got) != 1 || len(got[0].Each) != 4 || got[0].Each[0].Device != "cuda:2 H200" || got[0].Each[3].Device != "cuda:1 H200" {
		t.Fatalf("%+v", got)
	}
	if found := stragglers(got); len(found) != 1 || !strings.Contains(found[0].Message, "cuda:1 H200 reaches") || len(found[0].Evidence) != 1 {
		t.Errorf("%+v", found)
	}
	if found := stragglers(devices(rows(700e12, 695e12))); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if got := devices(rows(700e12)); len(got) != 0 {
		t.Errorf("one device is compared with nobody: %+v", got)
	}
	if !slices.IsSortedFunc(got[0].Each, func(a, b DeviceRate) int { return int(b.Value - a.Value) }) {
		t.Errorf("%+v", got[0].Each)
	}
}
