package report

import (
	"bytes"
	"fmt"
	"strings"

	"assay/metric"
	"assay/unit"
)

// SpreadText is the median of the launches and the range that they span: "median 11.0 ms
// (10.5 to 11.5)".
func SpreadText(s *metric.LaunchSpread, u unit.Unit) string {
	if s == nil {
		return ""
	}
	return "median " + asRange.Replace(unit.FormatInterval(s.Median, s.Min, s.Max, u))
}

// asRange keeps the range of launches from being read as a confidence interval.
var asRange = strings.NewReplacer("[", "(", ", ", " to ", "]", ")")

// Median is the median of the launches with their range; empty where one launch or none
// was made, and where the number does not come from launches.
func (t Tile) Median() string { return SpreadText(t.Spread, t.Unit) }

// MedianLine is the headline result by the launches themselves: their median and range.
// Best-of-N is not a result, and a mean hides a launch that was far off.
func (r Report) MedianLine() string {
	for _, t := range r.Tiles() {
		if t.Spread != nil {
			return fmt.Sprintf("over %d launches: %s %s (%s)", t.Spread.Launches, t.Name, t.Median(), t.Of)
		}
	}
	return ""
}

// mediansBlock is the headline results with the median of the launches first and the
// mean beside it.
func (r Report) mediansBlock() Block {
	b := Block{Title: "headline results, median of the launches", Head: []string{"result", "median", "least", "greatest", "launches", "mean", "at"}}
	for _, t := range r.Tiles() {
		if s := t.Spread; s != nil {
			b.Rows = append(b.Rows, []string{
				t.Name, unit.Format(s.Median, t.Unit), unit.Format(s.Min, t.Unit), unit.Format(s.Max, t.Unit), fmt.Sprint(s.Launches),
				estimated(t.Estimate, t.Unit), t.Of,
			})
		}
	}
	return b
}

func writeMedians(b *bytes.Buffer, r Report) {
	if block := r.mediansBlock(); len(block.Rows) > 0 {
		b.WriteByte('\n')
		_ = Outline{Blocks: []Block{block}}.text(b) // a buffer takes everything
	}
}
