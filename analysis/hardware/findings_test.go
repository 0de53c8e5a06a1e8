package hardware

import (
	"slices"
	"testing"

	"assay/bundle"
	"assay/finding"
	"assay/record"
	"assay/unit"
)

func finds(check string) func(finding.Finding) bool {
	return func(f finding.Finding) bool { return f.Check == check }
}

// Each finding has a case that trips it and one that does not.
func TestFindings(t *testing.T) {
	one := func(probe, variant, what string, threads int32, values ...float64) *series {
		return &series{key: key{Probe: probe, Variant: variant, Threads: threads}, What: what, Unit: units[what], launches: [][]float64{values}}
	}
	wrong := one("memory", "copy", Bandwidth, 1, 5)
	wrong.wrong = 2
	lossy := one("network", "send", Bandwidth, 1, 5)
	lossy.bytes, lossy.resent = 1448*1000, 20
	clean := one("network", "send", Bandwidth, 1, 5)
	clean.bytes, clean.resent = 1448*100000, 20
	single := one("network", "round trip", Latency, 1, 1, 9, 1, 9, 1, 9)
	single.singles = true
	fast := 1e9
	wide, thin := record.Environment{}, record.Environment{}
	for env, lanes := range map[*record.Environment]int{&wide: 16, &thin: 8} {
		env.Set("pci.0000:01:00.0.link_width", lanes)
		env.Set("pci.0000:01:00.0.link_width_max", 16)
	}
	link := Report{Network: []Interface{{Name: "eth0", Speed: &fast}}}
	for _, tt := range []struct {
		check     string
		of        Report
		list      []*series
		env       record.Environment
		wantFound bool
	}{
		{"H01", Report{}, []*series{wrong}, nil, true},
		{"H01", Report{}, []*series{clean}, nil, false},
		{"H02", Report{}, []*series{one("matmul", "float32", FLOPS, 1, 10, 10, 9, 9, 8, 8)}, nil, true},
		{"H02", Report{}, []*series{one("cache", "4 KiB", Latency, 1, 8, 8, 9, 9, 10, 10)}, nil, true},
		{"H02", Report{}, []*series{one("cache", "4 KiB", Latency, 1, 10, 10, 9, 9, 8, 8)}, nil, false},
		{"H03", Report{}, []*series{one("matmul", "float32", FLOPS, 1, 10, 5, 10, 5, 10, 10)}, nil, true},
		{"H03", Report{}, []*series{one("matmul", "float32", FLOPS, 1, 10, 10.1, 10, 10, 9.9, 10), single}, nil, false},
		{"H04", Report{}, []*series{lossy}, nil, true},
		{"H04", Report{}, []*series{clean}, nil, false},
		{"H05", Report{}, []*series{one("matmul", "float32", FLOPS, 1, 10), one("matmul", "float32", FLOPS, 8, 20)}, nil, true},
		{"H05", Report{}, []*series{one("matmul", "float32", FLOPS, 1, 10), one("matmul", "float32", FLOPS, 8, 70)}, nil, false},
		{"H06", Report{}, []*series{one("matmul", "float64", FLOPS, 1, 10), one("roofline", "peak", FLOPS, 1, 30)}, nil, true},
		{"H06", Report{}, []*series{one("matmul", "float64", FLOPS, 1, 20), one("roofline", "peak", FLOPS, 1, 30)}, nil, false},
		{"H07", link, []*series{one("network", "send", Bandwidth, 1, 1e8)}, nil, true},
		{"H07", link, []*series{one("network", "send", Bandwidth, 1, 9e8)}, nil, false},
		{"H08", Report{}, nil, thin, true},
		{"H08", Report{}, nil, wide, false},
		{"H09", Report{Network: []Interface{{Name: "eth0", Errors: 1}}}, nil, nil, true},
		{"H09", Report{Network: []Interface{{Name: "eth0", PacketsIn: 1e6, Dropped: 2}}}, nil, nil, false},
	} {
		got := findings(tt.of, tt.list, []bundle.Node{{Environment: tt.env}})
		if slices.ContainsFunc(got, finds(tt.check)) != tt.wantFound {
			t.Errorf("%s: got %+v, want found %v", tt.check, got, tt.wantFound)
		}
		for _, f := range got {
			if f.Why == "" || f.Fix == "" || f.Severity == "" {
				t.Errorf("%s is incomplete: %+v", f.Check, f)
			}
		}
	}
	if units[Rate] != unit.OpPerSecond {
		t.Error("a rate is not counted in operations")
	}
}
