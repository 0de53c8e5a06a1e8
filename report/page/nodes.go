package page

import (
	"math"
	"slices"

	"assay/analysis/nodes"
)

// nodes shows how hosts compare.
func (x exhibit) nodes() part {
	r := x.Nodes
	if r == nil {
		return part{}
	}
	return part{ID: "nodes", Title: "Nodes", Charts: spreadChart(*r), Parts: blockParts(x.NodesBlocks())}
}

// spreadChart is the speed of every host beside the fastest, measure by measure: a column
// that is dark all the way down is a slow host, a dark row a part that differs.
func spreadChart(r nodes.Report) []chart {
	if len(r.Measures) == 0 {
		return nil
	}
	c := chart{Kind: heatChart, Title: "Speed of each node beside the fastest", X: []axis{{Label: "node"}}, Y: axis{Label: "share of the fastest", Unit: "%"}}
	for _, m := range r.Measures {
		c.Rows = append(c.Rows, m.Resource+": "+m.Name)
	}
	for _, n := range r.Nodes {
		column := line{Name: n.Name}
		for _, m := range r.Measures {
			share := math.NaN()
			if i := slices.IndexFunc(m.Each, func(v nodes.Value) bool { return v.Node == n.Name }); i >= 0 {
				share = 100 * m.Share(m.Each[i].Value)
			}
			column.Y = append(column.Y, share)
		}
		c.Series = append(c.Series, column)
	}
	return []chart{c}
}
