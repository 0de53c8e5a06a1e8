package page

import (
	"fmt"

	"assay/metric"
)

// perGPUCurve is how much each GPU earns against how fast one user is served; nothing
// where the number of GPUs is not known.
func (x exhibit) perGPUCurve(all []curve) []chart {
	n := float64(x.GPUs())
	if n == 0 {
		return nil
	}
	speed := metric.UserSpeed
	c := chart{
		Kind: curveChart, Title: fmt.Sprintf("Tokens per second per GPU against tokens per second per user (GPUs: %g)", n), Static: true,
		X: []axis{{Label: speed.Name + " p50", Unit: string(speed.Unit)}}, Y: axis{Label: "output throughput per GPU"},
	}
	for _, one := range all {
		s := line{Name: one.name, Style: len(c.Series), X: []nums{nil}}
		for _, p := range one.points {
			at, known := x.find(speed, "p50", one.side, p.Index)
			row, ok := x.find(metric.OutputThroughput, "value", one.side, p.Index)
			if !ok || !known {
				continue
			}
			s.X[0], s.Y = append(s.X[0], at.Value), append(s.Y, row.Value/n)
			s.Lo, s.Hi = append(s.Lo, row.Interval.Lo/n), append(s.Hi, row.Interval.Hi/n)
			s.Points, s.Notes = append(s.Points, p.Name), append(s.Notes, basis(row))
		}
		if len(s.Y) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	if len(c.Series) == 0 {
		return nil
	}
	c.scaleY(metric.OutputThroughput.Unit)
	return []chart{c}
}
