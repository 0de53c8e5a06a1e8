package live

import (
	"math"
	"strings"

	"assay/run/watch"
)

const (
	// wide is the width from which on two columns stand side by side.
	wide = 160

	// nowWidth is that of the left one, and gutter what keeps them apart.
	nowWidth = 98
	gutter   = 2

	// leastChart is the fewest rows in which a chart says more than a line does.
	leastChart = 4
)

// columns sets the point under way, with charts of the last minute, beside the points
// that are over and the log.
func (c screen) columns(s watch.Snapshot) []string {
	left, right := c, c
	left.width, right.width = nowWidth, c.width-nowWidth-gutter
	lines := left.now(s)
	lines = append(lines, left.charts(s, c.height-len(lines))...)
	beside := right.finished(s, c.height-leastLog-1)
	if len(beside) == 0 {
		beside = []string{paint(blueText, "finished"), "no point yet"}
	}
	beside = append(append(beside, ""), right.log(s.Log, c.height-len(beside)-1)...)
	for i, text := range beside {
		if i == len(lines) {
			lines = append(lines, "")
		}
		lines[i] = padded(lines[i], nowWidth+gutter) + text
	}
	return lines[:min(len(lines), c.height)]
}

// charts are the last minute in height lines, as far as there is room.
func (c screen) charts(s watch.Snapshot, height int) []string {
	var lines []string
	rows := height/2 - 2 // a blank line and a heading each
	if rows < leastChart {
		return nil
	}
	for _, chart := range []struct {
		name   string
		values []float64
		show   func(float64) string
	}{{"TTFT p50 by second", s.TTFTs, latency}, {"output tok/s by second", s.Tokens, number}} {
		drawn, most := c.chart(chart.values, c.width-labelWidth, rows)
		lines = append(lines, "", label("")+paint(blueText, chart.name+", up to "+chart.show(most)))
		for _, row := range drawn {
			lines = append(lines, label("")+row)
		}
	}
	return lines
}

// chart draws the last values from zero to the largest, in so many rows.
func (l look) chart(values []float64, width, rows int) (drawn []string, most float64) {
	values, most = lastValues(values, width)
	steps := l.blocks()
	for row := rows - 1; row >= 0; row-- {
		var b strings.Builder
		for _, v := range values {
			// How much of this row's cell the value fills, in steps.
			filled := int(math.Round((v/most*float64(rows) - float64(row)) * float64(len(steps))))
			switch {
			case math.IsNaN(v) || most <= 0 || filled <= 0:
				b.WriteByte(' ')
			default:
				b.WriteRune(steps[min(filled, len(steps))-1])
			}
		}
		drawn = append(drawn, strings.TrimRight(b.String(), " "))
	}
	return drawn, most
}
