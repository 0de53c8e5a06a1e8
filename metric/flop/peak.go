package flop

import (
	"cmp"
	"slices"
	"strings"
)

// A device is what one accelerator does at most with dense matrices, in TFLOP/s, by
// its maker's figures.
type device struct {
	name       string // part of the name that its driver gives it
	half, fp8  float64
	everyWords []string // other words that the name must have
}

// devices are those whose peak is published. Names contain each other: the longest
// that fits counts, so that an H200 is no H20 and a GB200 no B200.
var devices = []device{
	{name: "A100", half: 312},
	{name: "H100", half: 989, fp8: 1979},
	{name: "H100", half: 756, fp8: 1513, everyWords: []string{"PCIe"}},
	{name: "H100 NVL", half: 835},
	{name: "H200", half: 989, fp8: 1979},
	{name: "H20", half: 148},
	{name: "B200", half: 2250, fp8: 4500},
	{name: "B300", half: 2250, fp8: 4500},
	{name: "GB200", half: 2500, fp8: 5000},
	{name: "GB300", half: 2500, fp8: 5000},
	{name: "L40S", half: 362},
	{name: "RTX A6000", half: 154.85},
	{name: "MI250X", half: 191.5}, // of one of its two dies, which is one device
	{name: "MI300X", half: 1300, fp8: 2610},
	{name: "MI325X", half: 1300, fp8: 2610},
	{name: "MI355X", half: 2500, fp8: 5000},
	{name: "Gaudi2", half: 432},
	{name: "Gaudi3", half: 1677},
	{name: "Trn2", half: 667},
	{name: "TPU v4", half: 275},
	{name: "TPU v5e", half: 197},
	{name: "TPU v5p", half: 459},
	{name: "TPU v6e", half: 918},
	{name: "TPU v7x", half: 2307},
}

// Peak is what a device of that name is said to do at most at a precision, in
// FLOP/s, with the entry that it is from; false where nothing is published here.
// Full precision is not in the table: its figures differ with what is counted.
func Peak(name, precision string) (perSecond float64, source string, ok bool) {
	fits := slices.DeleteFunc(slices.Clone(devices), func(d device) bool {
		return !contains(name, d.name) || slices.ContainsFunc(d.everyWords, func(w string) bool { return !contains(name, w) })
	})
	if len(fits) == 0 {
		return 0, "", false
	}
	best := slices.MaxFunc(fits, func(a, b device) int {
		return cmp.Or(cmp.Compare(len(a.name), len(b.name)), cmp.Compare(len(a.everyWords), len(b.everyWords)))
	})
	peak := 0.0
	switch precision {
	case "bf16", "fp16":
		peak = best.half
	case "fp8":
		peak = best.fp8
	}
	return peak * 1e12, "published dense " + precision + " rate of " + strings.Join(append([]string{best.name}, best.everyWords...), " "), peak > 0
}

func contains(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}
