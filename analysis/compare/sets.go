package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/bundle"
	"assay/metric"
)

// A NodeSet is hosts that launches were made on, and how many of each side completed
// there.
type NodeSet struct {
	Hosts     []string `json:"hosts"`
	Baseline  int      `json:"baseline"`
	Candidate int      `json:"candidate"`
}

// A SetEffect is one statistic on one set of hosts, both sides as means of its launches.
type SetEffect struct {
	Hosts     []string `json:"hosts"`
	Baseline  float64  `json:"baseline"`
	Candidate float64  `json:"candidate"`

	// Ratio is candidate ÷ baseline on this set, and Level how far the set is from all sets
	// together, both sides alike; absent where a value is not above zero.
	Ratio *float64 `json:"ratio,omitempty"`
	Level *float64 `json:"level,omitempty"`
}

// How launches are paired.
const (
	ByBlock = "block" // of one run
	BySet   = "set"   // hosts that both runs were made on in turn
)

// pairing says how the launches of two sides belong together; empty means not at all.
func pairing(a, b Side) string {
	switch {
	case sameRun(a, b):
		return ByBlock
	case turns(a) && turns(b) && shares(a, b):
		return BySet
	}
	return ""
}

// turns reports whether the launches of a side took turns on sets of hosts.
func turns(s Side) bool {
	return slices.ContainsFunc(s.Manifest.Launches, func(l bundle.LaunchInfo) bool { return l.Side == s.Name && l.Set > 0 })
}

// shares reports whether both sides have completed launches on some hosts.
func shares(a, b Side) bool {
	return slices.ContainsFunc(nodeSets(a, b), func(s NodeSet) bool { return s.Baseline > 0 && s.Candidate > 0 })
}

// place names the hosts of a launch; empty where nobody knows them.
func place(l bundle.LaunchInfo) string {
	return strings.Join(slices.Sorted(slices.Values(l.Nodes)), ", ")
}

// places are those of the launches of a side.
func places(s Side) map[int]string {
	at := map[int]string{}
	for _, l := range s.Manifest.Launches {
		at[l.Index] = place(l)
	}
	return at
}

// nodeSets lists the hosts that the sides were measured on, in the order of the first
// launch there.
func nodeSets(a, b Side) (list []NodeSet) {
	count := func(s Side, add func(*NodeSet)) {
		for _, l := range s.Manifest.Launches {
			if l.Side != s.Name || place(l) == "" || !slices.Contains(s.Estimates.Launches, l.Index) {
				continue
			}
			i := slices.IndexFunc(list, func(n NodeSet) bool { return strings.Join(n.Hosts, ", ") == place(l) })
			if i < 0 {
				i, list = len(list), append(list, NodeSet{Hosts: slices.Sorted(slices.Values(l.Nodes))})
			}
			add(&list[i])
		}
	}
	count(a, func(n *NodeSet) { n.Baseline++ })
	count(b, func(n *NodeSet) { n.Candidate++ })
	return list
}

// describeSets notes on which hosts the sides were measured, and warns of hosts that only
// one of them was on.
func (c *Comparison) describeSets(a, b Side) {
	sets := nodeSets(a, b)
	if !shares(a, b) {
		var on [2][]string
		for _, s := range sets {
			i := 0
			if s.Candidate > 0 {
				i = 1
			}
			on[i] = append(on[i], strings.Join(s.Hosts, ", "))
		}
		if len(on[0]) > 0 && len(on[1]) > 0 {
			c.Sets = sets
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s was measured on %s and %s on %s, and neither on the hosts of the other: a slow host looks like a slow side; measure both on both (launch.sets)",
				a.Label, strings.Join(on[0], " and "), b.Label, strings.Join(on[1], " and ")))
		}
		return
	}
	if len(sets) < 2 {
		return
	}
	c.Sets = sets
	for _, s := range sets {
		only, lacks := a.Label, b.Label
		if s.Baseline == 0 {
			only, lacks = lacks, only
		}
		if s.Baseline == 0 || s.Candidate == 0 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("hosts %s have completed launches of %s and none of %s: %s", strings.Join(s.Hosts, ", "), only, lacks, leftOut(c.PairedBy)))
		}
	}
}

func leftOut(by string) string {
	if by == "" {
		return "what those hosts are like counts as a difference between the sides"
	}
	return "they are left out of pairs"
}

// matchSets pairs the launches of two runs that were made on the same sets of hosts, the
// first of one side on a set with the first of the other there, and so on. Launches on
// one set are alike but for chance, so that any pairing of them is as good.
func matchSets(a, b Side, x, y metric.Row) (inA, inB []float64) {
	placeA, placeB := places(a), places(b)
	used := map[int]bool{}
	for _, value := range x.PerLaunch {
		i := slices.IndexFunc(y.PerLaunch, func(w metric.LaunchValue) bool {
			return !used[w.Launch] && placeB[w.Launch] != "" && placeB[w.Launch] == placeA[value.Launch]
		})
		if i < 0 {
			continue
		}
		used[y.PerLaunch[i].Launch] = true
		inA, inB = append(inA, value.Value), append(inB, y.PerLaunch[i].Value)
	}
	return inA, inB
}

// setEffects are the means of a statistic on each set of hosts that both sides were on;
// nil where there are not several.
func setEffects(a, b Side, x, y metric.Row) (list []SetEffect) {
	for _, s := range nodeSets(a, b) {
		at := strings.Join(s.Hosts, ", ")
		base, okA := meanAt(places(a), x, at)
		candidate, okB := meanAt(places(b), y, at)
		if okA && okB {
			list = append(list, SetEffect{Hosts: s.Hosts, Baseline: base, Candidate: candidate})
		}
	}
	if len(list) < 2 {
		return nil
	}
	all := 0.0
	for _, s := range list {
		all += (math.Log(s.Baseline) + math.Log(s.Candidate)) / 2 / float64(len(list))
	}
	for i, s := range list {
		list[i].Ratio = finite(s.Candidate / s.Baseline)
		if s.Baseline <= 0 || s.Candidate <= 0 {
			list[i].Ratio = nil
		}
		list[i].Level = finite(math.Exp((math.Log(s.Baseline)+math.Log(s.Candidate))/2 - all))
	}
	return list
}

func meanAt(at map[int]string, row metric.Row, hosts string) (mean float64, ok bool) {
	n := 0
	for _, v := range row.PerLaunch {
		if at[v.Launch] == hosts {
			mean, n = mean+v.Value, n+1
		}
	}
	return mean / float64(max(1, n)), n > 0
}
