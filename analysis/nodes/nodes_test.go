package nodes

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// hosts are n hosts of one kind, called a, b, c…
func hosts(n int) (list []bundle.Node) {
	for i := range n {
		env := record.Environment{}
		env.Set("cpu.model", "Xeon")
		env.Set("cgroup.cpu_limit_cores", "unlimited")
		list = append(list, bundle.Node{Name: string(rune('a' + i)), Environment: env})
	}
	return list
}

// rows are the probes of hosts in three launches, each slow by a factor of its own and
// noisy by a share.
func rows(seed uint64, noise float64, of map[string][]float64) (list []hardware.Row) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, p := range []struct {
		probe, variant, what string
		unit                 unit.Unit
	}{
		{"speed", "sha256", hardware.Bandwidth, unit.BytePerSecond}, {"matmul", "float32", hardware.FLOPS, unit.FLOPPerSecond},
		{"disk", "sequential read", hardware.Bandwidth, unit.BytePerSecond}, {"disk", "fsync", hardware.Latency, unit.Second},
	} {
		for i, factor := range of[p.probe] {
			row := hardware.Row{Host: string(rune('a' + i)), Probe: p.probe, Variant: p.variant, Threads: 1, What: p.what, Unit: p.unit}
			for range 3 {
				v := 1e9 * factor * (1 + noise*rng.NormFloat64())
				if p.what == hardware.Latency {
					v = 1e6 / v
				}
				row.Launches = append(row.Launches, v)
			}
			list = append(list, row)
		}
	}
	return list
}

var even = []float64{1, 1, 1, 1}

func slow(r Report) (list []string) {
	for _, n := range r.Nodes {
		for _, c := range n.Causes {
			list = append(list, n.Name+" "+c.Resource)
		}
	}
	return list
}

func TestJudge(t *testing.T) {
	shaped := collectives.Matrix{Ranks: 4}
	path := collectives.Matrix{Ranks: 4}
	for from := range 4 {
		shaped.Bandwidth, path.Bandwidth = append(shaped.Bandwidth, make([]float64, 4)), append(path.Bandwidth, make([]float64, 4))
		for to := range 4 {
			shaped.Bandwidth[from][to], path.Bandwidth[from][to] = 1e9, 1e9
			if from == 1 {
				shaped.Bandwidth[from][to] = 1e8
			}
		}
	}
	path.Bandwidth[0][3] = 1e8
	tests := []struct {
		name  string
		nodes int
		rows  []hardware.Row
		pairs []collectives.Matrix
		want  string
	}{
		{"equal", 4, rows(1, .02, map[string][]float64{"speed": even, "matmul": even, "disk": even}), nil, ""},
		{"noisy", 4, rows(2, .2, map[string][]float64{"speed": even, "matmul": even, "disk": even}), nil, ""},
		{"processor", 4, rows(3, .02, map[string][]float64{"speed": {1, 1, .6, 1}, "matmul": {1, 1, .5, 1}, "disk": even}), nil, "c processor"},
		{"disk", 4, rows(4, .05, map[string][]float64{"speed": even, "matmul": even, "disk": {1, .3, 1, 1}}), nil, "b disk"},
		{"two of four", 4, rows(5, .02, map[string][]float64{"speed": {1, .5, .5, 1}, "matmul": {1, .5, .5, 1}}), nil, "b processor, c processor"},
		{"a processor slows all", 4, rows(6, .02, map[string][]float64{"speed": {.5, 1, 1, 1}, "matmul": {.5, 1, 1, 1}, "disk": {.5, 1, 1, 1}}), nil, "a processor, a disk"},
		{"below the limit", 4, rows(7, .001, map[string][]float64{"speed": {1, 1, .95, 1}, "matmul": {1, 1, .95, 1}}), nil, ""},
		{"two hosts", 2, rows(8, .02, map[string][]float64{"speed": {1, .5}, "matmul": {1, .5}}), nil, ""},
		{"link", 4, nil, []collectives.Matrix{shaped, shaped, shaped}, "b network"},
		{"path", 4, nil, []collectives.Matrix{path, path, path}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Judge(hosts(tt.nodes), hardware.Report{Rows: tt.rows}, collectives.Report{Matrices: tt.pairs})
			if got := strings.Join(slow(r), ", "); got != tt.want {
				t.Errorf("slow are %q, want %q", got, tt.want)
			}
		})
	}
	r := Judge(hosts(4), hardware.Report{}, collectives.Report{Matrices: []collectives.Matrix{path}})
	if len(r.Findings) != 1 || r.Findings[0].Check != "N03" || !strings.Contains(r.Findings[0].Message, "a to d") {
		t.Errorf("findings of a slow path: %+v", r.Findings)
	}
	r = Judge(hosts(2), hardware.Report{Rows: rows(8, .02, map[string][]float64{"speed": {1, .5}})}, collectives.Report{})
	if len(r.Findings) != 1 || r.Findings[0].Check != "N02" || !strings.Contains(r.Findings[0].Message, "b is 49 %") {
		t.Errorf("findings of two hosts: %+v", r.Findings)
	}
}

// Of equal hosts none is called slow more often than one run in twenty, over the noise
// that hosts have.
func TestFalseAlarms(t *testing.T) {
	for _, noise := range []float64{.01, .05, .2} {
		alarms := 0
		for seed := range uint64(400) {
			r := Judge(hosts(4), hardware.Report{Rows: rows(seed, noise, map[string][]float64{"speed": even, "matmul": even, "disk": even})}, collectives.Report{})
			if len(slow(r)) > 0 {
				alarms++
			}
		}
		if alarms > 20 {
			t.Errorf("noise of %g: %d of 400 runs called a host slow, want 20 at most", noise, alarms)
		}
	}
}

// What is different about a slow host is said beside it, where it belongs to the part.
func TestDiffers(t *testing.T) {
	list := hosts(4)
	list[2].Environment.Set("cgroup.cpu_limit_cores", .5)
	list[1].Environment.Set("net.eth0.speed_mbps", 10)
	list[3].Environment.Set("net.cali12ab.mtu", 1450) // the wire of a pod
	r := Judge(list, hardware.Report{Rows: rows(3, .02, map[string][]float64{"speed": {1, 1, .6, 1}, "matmul": {1, 1, .5, 1}})}, collectives.Report{})
	if text := r.Nodes[2].Causes[0].Text(); !strings.Contains(text, "cgroup.cpu_limit_cores is 0.5 there and unlimited on the others") || strings.Contains(text, "eth0") {
		t.Errorf("cause %q", text)
	}
	all := Differences(list)
	if len(all) != 2 || all[1].Text() != "net.eth0.speed_mbps: 10 on b, and not there on the others" {
		t.Errorf("differences %+v", all)
	}
}

// A node that was repaired is held against what hosts reached before.
func TestBelow(t *testing.T) {
	before := Judge(hosts(4), hardware.Report{Rows: rows(1, .02, map[string][]float64{"speed": even, "disk": {1, .3, 1, 1}})}, collectives.Report{})
	well := Judge(hosts(4), hardware.Report{Rows: rows(2, .02, map[string][]float64{"speed": even, "disk": even})}, collectives.Report{})
	half := Judge(hosts(4), hardware.Report{Rows: rows(3, .02, map[string][]float64{"speed": even, "disk": {.5, .5, .5, .5}})}, collectives.Report{})
	if below, same := well.Below("b", before); len(below) > 0 || same != 3 {
		t.Errorf("a repaired host is below in %q of %d", below, same)
	}
	if below, _ := half.Below("b", before); len(below) != 2 {
		t.Errorf("a host with half a disk, as slow as the others now, is below in %q, want two of the disk", below)
	}
}
