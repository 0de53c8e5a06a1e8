package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/analysis/nodes"
	"assay/unit"
)

// NodesBlocks are how the hosts of the run compare.
func (r Report) NodesBlocks() []Block {
	if r.Nodes == nil {
		return nil
	}
	head := Block{Title: "nodes", Lines: append(nodeVerdicts(*r.Nodes), r.Nodes.Allows)}
	spread := Block{Title: "spread over the nodes (share of the fastest)", Head: []string{"part", "measure", "spread", "noise"}}
	for _, n := range r.Nodes.Nodes {
		spread.Head = append(spread.Head, n.Name)
	}
	for _, m := range r.Nodes.Measures {
		row := []string{m.Resource, m.Name, fmt.Sprintf("%.0f %%", 100*m.Spread), fmt.Sprintf("%.0f %%", 100*m.Noise)}
		for _, n := range r.Nodes.Nodes {
			row = append(row, nodeCell(m, n.Name))
		}
		spread.Rows = append(spread.Rows, row)
	}
	return []Block{head, withoutEmpty(spread)}
}

func nodeCell(m nodes.Measure, node string) string {
	i := slices.IndexFunc(m.Each, func(v nodes.Value) bool { return v.Node == node })
	if i < 0 {
		return "–"
	}
	text := unit.Format(m.Each[i].Value, m.Unit)
	if m.Each[i].Slow {
		text += " SLOW"
	}
	return text
}

// nodeVerdicts says of every slow node why it is slow.
func nodeVerdicts(r nodes.Report) (lines []string) {
	for _, n := range r.Nodes {
		for _, c := range n.Causes {
			lines = append(lines, fmt.Sprintf("node %s is slow: %s", n.Label(), c.Text()))
		}
	}
	for _, f := range r.Findings {
		if f.Check != "N01" {
			lines = append(lines, f.Message)
		}
	}
	if len(lines) == 0 && len(r.Nodes) > 2 {
		lines = append(lines, fmt.Sprintf("none of %d nodes is slower than the others", len(r.Nodes)))
	}
	return lines
}

// track is how wide the picture of a spread is.
const track = 30

// WriteNodes prints how hosts compare: for each measure a line on which every host stands
// at its share of the fastest one's speed, then which is slow and why.
func WriteNodes(w io.Writer, r nodes.Report) error {
	var b bytes.Buffer
	for i, n := range r.Nodes {
		fmt.Fprintf(&b, "%s  %s\n", nodeMark(i), n.Label())
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nPART\tMEASURE\t0%sOF THE FASTEST\tSLOWEST\tFASTEST\tNOISE\n", strings.Repeat(" ", track-14))
	for _, m := range r.Measures {
		slowest, fastest := m.Ends()
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.0f %%\n", m.Resource, m.Name, strip(m, r.Nodes), unit.Format(slowest, m.Unit), unit.Format(fastest, m.Unit), 100*m.Noise)
	}
	t.Flush() // long lines below must not move the columns above
	fmt.Fprintln(&b)
	for _, line := range append(nodeVerdicts(r), r.Allows) {
		fmt.Fprintln(&b, line)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// nodeMark is the sign of a host in pictures; beyond the alphabet it is a dot.
func nodeMark(i int) string {
	const marks = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if i < len(marks) {
		return marks[i : i+1]
	}
	return "·"
}

// strip is a track on which hosts stand by their speed; a star where several stand.
func strip(m nodes.Measure, all []nodes.Node) string {
	line := []rune(strings.Repeat("-", track))
	for _, v := range m.Each {
		at := min(track-1, max(0, int(m.Share(v.Value)*float64(track-1)+.5)))
		mark := '*'
		if line[at] == '-' {
			mark = []rune(nodeMark(slices.IndexFunc(all, func(n nodes.Node) bool { return n.Name == v.Node })))[0]
		}
		line[at] = mark
	}
	return string(line)
}
