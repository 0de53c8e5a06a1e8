package metric

import (
	"math"
	"testing"
)

// The accounts of a host of four processors over ten seconds: the server that was
// started loads for five seconds and then rests, others begin where the window does.
func TestIsolation(t *testing.T) {
	g := gauges{}
	for second := range int64(11) {
		at := float64(second)
		starting, measured := min(at, 5), max(0, at-5)
		for name, v := range map[string]float64{
			clientUser: .5 * at, clientSystem: .5 * at, "started cpu.total": 3 * starting,
			"host cpu.user.total": .5*at + 3*starting + 1.5*measured, "host cpu.system.total": .5*at + .25*measured, "host cpu.interrupts.total": .25 * measured,
			hostIdle: 1.25 * measured, "host cpu.iowait.total": 0, hostSteal: 0,
			"host cpu.psi.some.total": .9*starting + .4*measured,
		} {
			g[name] = append(g[name], gaugeSample{second * 1e9, v})
		}
	}
	got := isolationOf(g, []span{{5e9 + 5e8, 9e9}})
	for name, tt := range map[string]struct {
		got  *float64
		want float64
	}{
		"processors": {got.Processors, 4}, "pressure": {got.CPUPressure, .4}, "steal": {got.Steal, 0}, "own": {got.Own, 1}, "others": {got.Others, 1.5},
	} {
		if tt.got == nil || math.Abs(*tt.got-tt.want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, tt.got, tt.want)
		}
	}
	if got.RunQueue != nil || got.Seconds != 3.5 {
		t.Errorf("run queue %v over %v s, want none over 3.5", got.RunQueue, got.Seconds)
	}
	if whole := isolationOf(g, nil); whole.Seconds != 10 || math.Abs(*whole.CPUPressure-.65) > 1e-9 {
		t.Errorf("without windows %+v, want the whole of 10 s", whole)
	}
	if late := isolationOf(g, []span{{5e9, 20e9}}); late.CPUPressure != nil || late.Others != nil {
		t.Errorf("readings of a third of the window gave %+v, want nothing", late)
	}
	delete(g, "started cpu.total")
	if old := isolationOf(g, []span{{5e9, 9e9}}); old.Others != nil || old.CPUPressure == nil {
		t.Errorf("without the account of what was started %+v, want no others", old)
	}
}
