package collectives

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/plan"
	"assay/record"
	"assay/stats"
)

// The operations between two ranks. The time of the first is a full round trip; in
// the second the rank of the row sends and its peer receives.
const (
	pairLatency   = "pair_latency"
	pairBandwidth = "pair_bandwidth"
)

// nearFactor is how much farther the ranks of another group must be than the
// farthest of one's own: below it, distances are one cloud.
const nearFactor = 1.6

// matrices are what every two ranks measured, world by world.
func (s study) matrices() (list []Matrix) {
	for _, l := range s.launches {
		var own []Matrix
		for _, p := range s.plan.Points {
			if p.Kind() != plan.KindPairs || len(l.points[p.Index]) == 0 {
				continue
			}
			i := slices.IndexFunc(own, func(m Matrix) bool { return m.Ranks == p.Ranks })
			if i < 0 {
				own = append(own, Matrix{Launch: l.index, Ranks: p.Ranks, Hosts: hosts(l.worlds[p.Index], p.Ranks)})
				i = len(own) - 1
			}
			own[i].fill(l.points[p.Index])
		}
		for i := range own {
			own[i].guess()
		}
		list = append(list, own...)
	}
	return list
}

func hosts(world []record.Rank, ranks int) []string {
	list := make([]string, ranks)
	for _, r := range world {
		if int(r.Rank) < ranks {
			list[r.Rank] = r.Host
		}
	}
	return list
}

// fill takes over the measurements of one point.
func (m *Matrix) fill(rows []record.Collective) {
	type pair struct{ from, to int }
	latency, rate := map[pair][]float64{}, map[pair][]float64{}
	for _, row := range rows {
		took := float64(row.End-row.Start) / 1e9
		if row.Peer == nil || took <= 0 || int(row.Rank) >= m.Ranks || int(*row.Peer) >= m.Ranks {
			continue
		}
		k := pair{int(row.Rank), int(*row.Peer)}
		switch row.Op {
		case pairLatency:
			latency[k] = append(latency[k], took/2)
		case pairBandwidth:
			rate[k] = append(rate[k], float64(row.Bytes)/took)
		}
	}
	put := func(to *[][]float64, found map[pair][]float64) {
		if len(found) == 0 {
			return
		}
		if *to == nil {
			for range m.Ranks {
				*to = append(*to, make([]float64, m.Ranks))
			}
		}
		for k, list := range found {
			(*to)[k.from][k.to] = stats.Middle(list)
		}
	}
	put(&m.Latency, latency)
	put(&m.Bandwidth, rate)
}

// guess groups the ranks that are near each other and says what that looks like.
func (m *Matrix) guess() {
	by := "latency"
	groups, ok := grouped(m.Ranks, symmetric(m.Latency, func(v float64) float64 { return v }))
	if !ok {
		by = "bandwidth"
		groups, ok = grouped(m.Ranks, symmetric(m.Bandwidth, func(v float64) float64 { return 1 / v }))
	}
	switch {
	case m.Ranks < 3:
		return // two ranks have one distance
	case !ok:
		m.Guess = "all ranks are about equally far from each other: one host, or one switch"
	default:
		m.Groups = groups
		m.Guess = fmt.Sprintf("by %s, ranks fall into %d groups that are near inside and far between: %s%s", by, len(groups), groupText(groups), m.named(groups))
	}
}

// symmetric is the distance of every two ranks: the mean of both directions, NaN
// where one was not measured.
func symmetric(of [][]float64, distance func(float64) float64) func(i, j int) float64 {
	return func(i, j int) float64 {
		if of == nil || of[i][j] <= 0 || of[j][i] <= 0 {
			return math.NaN()
		}
		return (distance(of[i][j]) + distance(of[j][i])) / 2
	}
}

// grouped parts ranks at the widest gap of their distances. It is false when there
// is no such gap, or when the parts are no groups: somebody near is not near to all.
func grouped(ranks int, distance func(i, j int) float64) ([][]int, bool) {
	var all []float64
	for i := range ranks {
		for j := range i {
			d := distance(i, j)
			if math.IsNaN(d) {
				return nil, false
			}
			all = append(all, d)
		}
	}
	slices.Sort(all)
	limit, widest := 0.0, nearFactor
	for i := 1; i < len(all); i++ {
		if gap := all[i] / all[i-1]; gap >= widest {
			limit, widest = all[i-1], gap
		}
	}
	if limit == 0 {
		return nil, false
	}
	var groups [][]int
	for r := range ranks {
		i := slices.IndexFunc(groups, func(g []int) bool { return distance(r, g[0]) <= limit })
		if i < 0 {
			groups = append(groups, []int{r})
			continue
		}
		groups[i] = append(groups[i], r)
	}
	for _, g := range groups {
		for i, a := range g {
			for _, b := range g[:i] {
				if distance(a, b) > limit {
					return nil, false
				}
			}
		}
	}
	return groups, len(groups) > 1 && len(groups) < ranks
}

func groupText(groups [][]int) string {
	var list []string
	for _, g := range groups {
		list = append(list, strings.ReplaceAll(fmt.Sprint(g), " ", ", "))
	}
	return strings.Join(list, " ")
}

// named says whether groups are hosts.
func (m *Matrix) named(groups [][]int) string {
	seen := map[string]bool{}
	for _, g := range groups {
		host := m.Hosts[g[0]]
		if host == "" || seen[host] || slices.ContainsFunc(g, func(r int) bool { return m.Hosts[r] != host }) {
			return "; the names of hosts do not explain it"
		}
		seen[host] = true
	}
	return "; each group is one host"
}
