package nodes

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/stats"
	"assay/unit"
)

// probed are the probes that were made on every host. A host of more processors has other
// numbers of threads: one is compared with one, and all with all.
func probed(nodes []Node, rows []hardware.Row) (list []Measure) {
	at := map[string]int{}
	for _, row := range rows {
		place := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == row.Host })
		if place < 0 || len(row.Launches) == 0 {
			continue
		}
		own := resourceOf(row)
		name := nameOf(row)
		i, seen := at[name]
		if !seen {
			i = len(list)
			at[name] = i
			list = append(list, Measure{Resource: own, Name: name, What: row.What, Unit: row.Unit, Each: make([]Value, len(nodes))})
		}
		list[i].Each[place] = Value{Node: row.Host, Value: stats.Middle(row.Launches), Launches: row.Launches}
	}
	for i := range list {
		list[i].Each = slices.DeleteFunc(list[i].Each, func(v Value) bool { return v.Node == "" })
	}
	return slices.DeleteFunc(list, func(m Measure) bool { return len(m.Each) < 2 })
}

func resourceOf(row hardware.Row) string {
	if strings.HasPrefix(row.Scope, "cuda") {
		return Accelerator
	}
	for _, r := range resources {
		if slices.Contains(r.probes, row.Probe) {
			return r.name
		}
	}
	return Processor
}

func nameOf(row hardware.Row) string {
	text := row.Probe + " " + row.Variant
	switch {
	case strings.HasPrefix(row.Scope, "cuda"):
		text += " " + row.Scope
	case row.Threads > 1:
		text += ", all processors"
	case row.Threads == 1:
		text += ", one thread"
	}
	return text
}

// linked is what the network of each host can do: the best of its pairs. A host whose own
// link is slow is slow with every other; one that is slow with a single other is not to
// blame for it.
func linked(nodes []Node, matrices []collectives.Matrix) []Measure {
	kinds := []struct {
		name, what string
		unit       unit.Unit
		of         func(m collectives.Matrix, own, other int) float64
	}{
		{"sent to its best peer", hardware.Bandwidth, unit.BytePerSecond, func(m collectives.Matrix, own, other int) float64 { return cell(m.Bandwidth, own, other) }},
		{"received from its best peer", hardware.Bandwidth, unit.BytePerSecond, func(m collectives.Matrix, own, other int) float64 { return cell(m.Bandwidth, other, own) }},
		{"one way to its nearest peer", hardware.Latency, unit.Second, func(m collectives.Matrix, own, other int) float64 { return cell(m.Latency, own, other) }},
	}
	var list []Measure
	for _, kind := range kinds {
		m := Measure{Resource: Network, Name: kind.name, What: kind.what, Unit: kind.unit}
		for own, node := range nodes {
			v := Value{Node: node.Name}
			for _, matrix := range matrices {
				if matrix.Ranks != len(nodes) {
					continue
				}
				if best := bestOf(matrix, own, kind.what, kind.of); best > 0 {
					v.Launches = append(v.Launches, best)
				}
			}
			if len(v.Launches) > 0 {
				v.Value = stats.Middle(v.Launches)
				m.Each = append(m.Each, v)
			}
		}
		if len(m.Each) > 1 {
			list = append(list, m)
		}
	}
	return list
}

func cell(table [][]float64, from, to int) float64 {
	if from >= len(table) || to >= len(table[from]) {
		return 0
	}
	return table[from][to]
}

func bestOf(m collectives.Matrix, own int, what string, of func(m collectives.Matrix, own, other int) float64) (best float64) {
	for other := range m.Ranks {
		v := of(m, own, other)
		if other == own || v <= 0 {
			continue
		}
		if best == 0 || faster(what, v, best) > 0 {
			best = v
		}
	}
	return best
}

// faster is by how many times a is as fast as b, less one: above zero where it is faster.
func faster(what string, a, b float64) float64 {
	if what == hardware.Latency {
		a, b = b, a
	}
	return a/b - 1
}

// allows says what so many hosts and launches can show.
func allows(nodes, launches int) string {
	switch {
	case nodes < 2:
		return "one host: there is nothing to compare it with"
	case nodes == 2:
		return "two hosts: they can differ, but which of them is at fault takes a third"
	case launches < 2:
		return fmt.Sprintf("%d hosts and one launch: a host that is slow once is not slow for good; make more launches", nodes)
	}
	chance := float64(nodes)
	for range launches {
		chance /= float64(nodes)
	}
	return fmt.Sprintf("%d hosts in %d launches: of equal hosts the same one is last every time with a chance of %.2g %% for each measure; how far behind it is does the rest", nodes, launches, 100*chance)
}
