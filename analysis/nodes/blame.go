package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/analysis/collectives"
	"assay/finding"
	"assay/stats"
	"assay/unit"
)

// needed is the share of a part's measures that must be slow before the part is: one of
// seven ways to use a disk that is behind says little of the disk. A link has two ways,
// and either can be the slow one.
const needed = .5

// blame finds out which parts of the host are slow.
func (n *Node) blame(measures []Measure, different []Difference) {
	for _, r := range resources {
		cause := Cause{Resource: r.name}
		all := 0
		for _, m := range measures {
			i := slices.IndexFunc(m.Each, func(v Value) bool { return v.Node == n.Name })
			if m.Resource != r.name || i < 0 {
				continue
			}
			all++
			v := m.Each[i]
			if !v.Slow {
				continue
			}
			cause.Measures = append(cause.Measures, m.Name)
			if v.Behind > cause.Behind {
				cause.Measure, cause.Behind = m.text(i), v.Behind
			}
		}
		enough := float64(len(cause.Measures)) >= needed*float64(all) || r.name == Network
		if len(cause.Measures) == 0 || !enough {
			continue
		}
		cause.Follows = len(n.Causes) > 0 && n.Causes[0].Resource == Processor
		for _, d := range different {
			if text, odd := d.of(n.Name); odd && d.belongs(r.name) {
				cause.Differs = append(cause.Differs, text)
			}
		}
		n.Causes = append(n.Causes, cause)
	}
}

// text is what one host reached, beside the others.
func (m Measure) text(i int) string {
	var others []float64
	for k, v := range m.Each {
		if k != i {
			others = append(others, v.Value)
		}
	}
	return fmt.Sprintf("%s: %s, and the others %s", m.Name, unit.Format(m.Each[i].Value, m.Unit), unit.Format(stats.Middle(others), m.Unit))
}

// Label is the node by both of its names.
func (n Node) Label() string {
	if n.Host == "" {
		return n.Name
	}
	return fmt.Sprintf("%s (%s)", n.Name, n.Host)
}

// Text is the cause in a sentence.
func (c Cause) Text() string {
	text := fmt.Sprintf("its %s is %.0f %% behind (%s)", c.Resource, 100*c.Behind, c.Measure)
	if len(c.Differs) > 0 {
		text += "; " + strings.Join(c.Differs, "; ")
	}
	if c.Follows {
		text += "; its slow processor alone may be why"
	}
	return text
}

// find says what was found of the hosts, the slow ones first.
func (r *Report) find(matrices []collectives.Matrix) {
	for _, n := range r.Nodes {
		for _, c := range n.Causes {
			severity := finding.Caution
			if c.Follows {
				severity = finding.Note
			}
			r.Findings = append(r.Findings, finding.Finding{
				Check: "N01", Severity: severity, Message: fmt.Sprintf("node %s is slow: %s", n.Label(), c.Text()),
				Why:      "work that is spread over all nodes goes at the speed of the slowest",
				Fix:      fmt.Sprintf("look at what is different about it; assay cordon %s --why TEXT --evidence BUNDLE takes it out of service", n.Name),
				Evidence: c.Measures,
			})
		}
	}
	if len(r.Nodes) == 2 {
		r.Findings = append(r.Findings, apart(r.Measures)...)
	}
	r.Findings = append(r.Findings, r.paths(matrices)...)
}

// apart is what two hosts differ in.
func apart(measures []Measure) []finding.Finding {
	var evidence []string
	for _, m := range measures {
		i := slices.IndexFunc(resources, func(r resource) bool { return r.name == m.Resource })
		if m.Spread > resources[i].limit && m.Spread > strange*m.Noise {
			slower := slices.MinFunc(m.Each, func(a, b Value) int { return cmp.Compare(m.speed(a.Value), m.speed(b.Value)) })
			evidence = append(evidence, fmt.Sprintf("%s: %s is %.0f %% slower", m.Name, slower.Node, 100*m.Spread))
		}
	}
	if len(evidence) == 0 {
		return nil
	}
	return []finding.Finding{{
		Check: "N02", Severity: finding.Note, Evidence: evidence,
		Message: fmt.Sprintf("the two nodes differ: %s", evidence[0]),
		Why:     "which of two is at fault cannot be seen from two", Fix: "measure a third node of the same kind beside them",
	}}
}

// slowPath is the share of the median pair's bandwidth below which a pair is slow.
const slowPath = .5

// paths finds pairs that are slow in every launch though both of their hosts are not.
func (r *Report) paths(matrices []collectives.Matrix) []finding.Finding {
	slow := map[[2]int]int{}
	launches := 0
	var text string
	for _, m := range matrices {
		if m.Ranks != len(r.Nodes) || m.Ranks < 3 || len(m.Bandwidth) == 0 {
			continue
		}
		launches++
		var all []float64
		for i := range m.Bandwidth {
			for j, v := range m.Bandwidth[i] {
				if i != j {
					all = append(all, v)
				}
			}
		}
		middle := stats.Middle(all)
		for i := range m.Bandwidth {
			for j, v := range m.Bandwidth[i] {
				if i != j && v < slowPath*middle && !r.blamed(i) && !r.blamed(j) {
					slow[[2]int{i, j}]++
					text = fmt.Sprintf("%s, and the median pair %s", unit.Format(v, unit.BytePerSecond), unit.Format(middle, unit.BytePerSecond))
				}
			}
		}
	}
	var evidence []string
	for pair, n := range slow {
		if n == launches && launches > 0 {
			evidence = append(evidence, fmt.Sprintf("%s to %s", r.Nodes[pair[0]].Name, r.Nodes[pair[1]].Name))
		}
	}
	if len(evidence) == 0 {
		return nil
	}
	slices.Sort(evidence)
	return []finding.Finding{{
		Check: "N03", Severity: finding.Caution, Evidence: evidence,
		Message: fmt.Sprintf("the path from %s is slow though neither of its nodes is: %s", evidence[0], text),
		Why:     "what is slow lies between them: a cable, a port of a switch or a route", Fix: "look at the counters of the ports on the way, and at what else uses it",
	}}
}

// blamed says that the network of a host is slow.
func (r *Report) blamed(i int) bool {
	return slices.ContainsFunc(r.Nodes[i].Causes, func(c Cause) bool { return c.Resource == Network })
}

// Find is the node of a name, by which the launcher or the node itself calls it.
func (r Report) Find(name string) (Node, bool) {
	i := slices.IndexFunc(r.Nodes, func(n Node) bool { return n.Name == name || n.Host == name })
	if i < 0 {
		return Node{}, false
	}
	return r.Nodes[i], true
}

// Parts are the parts of a node that were measured.
func (r Report) Parts(node string) (list []string) {
	for _, m := range r.Measures {
		if slices.ContainsFunc(m.Each, func(v Value) bool { return v.Node == node }) && !slices.Contains(list, m.Resource) {
			list = append(list, m.Resource)
		}
	}
	return list
}

// Below lists the measures by which a node is behind what hosts reached in another report,
// by more than its part allows and than hosts there differed from themselves; same counts
// those that both have. Hosts that were slow there are no measure of anything.
func (r Report) Below(node string, before Report) (below []string, same int) {
	for _, m := range r.Measures {
		own := slices.IndexFunc(m.Each, func(v Value) bool { return v.Node == node })
		at := slices.IndexFunc(before.Measures, func(b Measure) bool { return b.Name == m.Name && b.Resource == m.Resource })
		if own < 0 || at < 0 {
			continue
		}
		same++
		base := before.Measures[at]
		var sound []float64
		for _, v := range base.Each {
			if !v.Slow {
				sound = append(sound, v.Value)
			}
		}
		limit := resources[slices.IndexFunc(resources, func(x resource) bool { return x.name == m.Resource })].limit
		middle := stats.Middle(sound)
		if behind := 1 - m.speed(m.Each[own].Value)/m.speed(middle); behind > max(limit, strange*base.Noise) {
			below = append(below, fmt.Sprintf("%s: %s, and %s before", m.Name, unit.Format(m.Each[own].Value, m.Unit), unit.Format(middle, m.Unit)))
		}
	}
	return below, same
}
