package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/analysis/steady"
	"assay/stats"
	"assay/unit"
)

// writeSteady shows for every point and series whether its window was in steady
// state, over the launches.
func writeSteady(b *bytes.Buffer, r Report) {
	if len(r.Steady.Points) == 0 {
		return
	}
	fmt.Fprintln(b, "\nsteady state")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  point\tseries\tshape\twindow begins steady\twarm-up given\tsteady from\twithin 2 % after\tmean of all\tbest of N")
	for _, point := range r.Plan.Points {
		own := slices.DeleteFunc(slices.Clone(r.Steady.Points), func(p steady.Point) bool { return p.Point != point.Index })
		if len(own) == 0 {
			continue
		}
		if own[0].Skipped != "" {
			fmt.Fprintf(t, "  %s\tnot judged: %s\n", point.Name, own[0].Skipped)
			continue
		}
		for i, s := range own[0].Series {
			line := SteadyLine{Series: s.Name}
			for _, p := range own {
				if i < len(p.Series) && p.Series[i].Name == s.Name {
					line.Add(p.Series[i])
				}
			}
			fmt.Fprintf(t, "  %s\t%s\n", point.Name, line.Text())
		}
	}
	t.Flush()
	fmt.Fprintln(b, "  counts are requests, the largest of all launches; mean of all and best of N are beside the median of the steady part")
}

// A SteadyLine sums up one series of one point over the launches.
type SteadyLine struct {
	Series         string
	shapes         []stats.Shape
	begins         int
	given, from    int
	enough         steady.Enough
	inflated, best []float64
}

// Add takes the series of one more launch in.
func (l *SteadyLine) Add(s steady.Series) {
	l.shapes = append(l.shapes, s.State.Shape)
	l.given = max(l.given, s.Warmup)
	if s.BeginsSteady() {
		l.begins++
	}
	if s.Enough != nil {
		l.from = max(l.from, s.State.Begin)
		if s.Enough.Requests >= l.enough.Requests {
			l.enough = *s.Enough
		}
	}
	if s.Bias != nil {
		l.inflated, l.best = append(l.inflated, s.Bias.MeanOfAll), append(l.best, s.Bias.BestOfN)
	}
}

// Text is the line, its cells parted by tabs.
func (l *SteadyLine) Text() string {
	var shapes []string
	for _, shape := range append(slices.Clone(stats.Shapes), stats.TooShort) {
		n := 0
		for _, s := range l.shapes {
			if s == shape {
				n++
			}
		}
		if n > 0 {
			shapes = append(shapes, fmt.Sprintf("%s %d", shape, n))
		}
	}
	cells := []string{l.Series, strings.Join(shapes, ", "), fmt.Sprintf("%d of %d", l.begins, len(l.shapes)), fmt.Sprint(l.given)}
	if len(l.inflated) == 0 {
		return strings.Join(append(cells, "–", "–", "–", "–"), "\t")
	}
	return strings.Join(append(cells, fmt.Sprint(l.from),
		fmt.Sprintf("%d (%s)", l.enough.Requests, unit.Format(l.enough.Seconds, unit.Second)),
		fmt.Sprintf("%+.1f %%", 100*farthest(l.inflated)), fmt.Sprintf("%+.1f %%", -100*farthest(l.best))), "\t")
}

// farthest is the value farthest from zero.
func farthest(xs []float64) float64 {
	return slices.MaxFunc(xs, func(a, b float64) int {
		switch {
		case math.Abs(a) < math.Abs(b):
			return -1
		case math.Abs(a) > math.Abs(b):
			return 1
		}
		return 0
	})
}
