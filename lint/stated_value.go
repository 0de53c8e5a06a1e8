package lint

import (
	"fmt"
	"math"
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/stats"
)

// StatedValue fires when a stated value is not the one that the bundle gives.
var StatedValue = Check{
	ID: "stated-value", Severity: finding.Void,
	Doc: "The stated value is not what the bundle holds, or is in another unit.",
	When: "a stated value more than 0.5 % outside of the bundle's interval (or of the range of its " +
		"launches, where the interval has no end); a unit that is not the metric's",
	Applies: statedWith(statesOurs),
	Run:     statedValue,
}

// statesOurs says that a statement gives the value of something that assay
// measures; one of a difference alone gives none.
func statesOurs(_ *Facts, s Statement) bool {
	_, ours := metricOf(s)
	return ours && s.Scaling == nil && s.Quality == nil && (s.Delta == nil || s.Value != 0)
}

func statedValue(f *Facts) Answer {
	var answer Answer
	for _, s := range f.Statements {
		if !statesOurs(f, s) {
			continue
		}
		m, _ := metricOf(s)
		if s.Unit != "" && s.Unit != string(m.Unit) {
			answer.Findings = append(answer.Findings, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s is stated in %s, and the metric is in %s", said(s), s.Unit, m.Unit),
				Why:      "a number in another unit is another number",
				Fix:      fmt.Sprintf("state it in %s", m.Unit),
			})
			continue
		}
		row, ok := f.rowOf(s)
		if !ok {
			answer.Missing = noRow(s)
			continue
		}
		if allowed := plausible(row); !picked(s) && !within(s.Value, allowed) {
			answer.Findings = append(answer.Findings, otherValue(s, row, allowed))
		}
	}
	return answer
}

// picked says that a statement calls itself the best of several; best-of-n judges it.
func picked(s Statement) bool { return slices.Contains([]string{"min", "max", "best"}, s.Statistic) }

// plausible is where a true statement about a row lies: in its interval, or among
// its launches where it has none with two ends.
func plausible(row metric.Row) stats.Interval {
	if row.Interval.Bounded() {
		return row.Interval
	}
	among := stats.Interval{Lo: row.Value, Hi: row.Value}
	for _, v := range row.PerLaunch {
		among.Lo, among.Hi = min(among.Lo, v.Value), max(among.Hi, v.Value)
	}
	return among
}

// within allows for the digits that people leave out.
func within(v float64, i stats.Interval) bool {
	slack := notRounded * math.Abs(v)
	return v >= i.Lo-slack && v <= i.Hi+slack
}

func otherValue(s Statement, row metric.Row, allowed stats.Interval) finding.Finding {
	where := "its interval is"
	if !row.Interval.Bounded() {
		where = "its launches gave"
	}
	f := finding.Finding{
		Severity: finding.Void,
		Message: fmt.Sprintf("%s = %s is stated; the bundle gives %s (%s), and %s [%s, %s]", said(s), figure(s, s.Value), figure(s, row.Value),
			percent(s.Value/row.Value-1), where, figure(s, allowed.Lo), figure(s, allowed.Hi)),
		Why: "whoever repeats the arithmetic on the same records gets another number",
		Fix: "state what assay claim prints",
	}
	if factor, what := scaleOf(s.Value / row.Value); what != "" {
		f.Why = fmt.Sprintf("it is %s times the bundle's, as if it were in %s", factor, what)
	}
	return f
}

// scales are the factors by which a number is off when its unit is.
var scales = []struct {
	factor float64
	text   string
	what   string
}{
	{1e3, "1000", "thousandths of the unit"},
	{1e6, "a million", "millionths of the unit"},
	{1e-3, "a thousandth", "thousands of the unit"},
	{1e-6, "a millionth", "millions of the unit"},
	{60, "60", "minutes, or per minute"},
	{1.0 / 60, "a sixtieth", "minutes, or per minute"},
	{100, "100", "percent"},
}

// scaleOf names the unit that a ratio of two figures of one quantity suggests.
func scaleOf(ratio float64) (factor, what string) {
	const close = .02
	for _, s := range scales {
		if math.Abs(ratio/s.factor-1) < close {
			return s.text, s.what
		}
	}
	return "", ""
}
