package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/analysis/gate"
	"assay/stats"
	"assay/unit"
)

// CompareText writes a comparison for a terminal. All shows every statistic.
func CompareText(w io.Writer, r compare.Report, all bool) error {
	return ComparisonOutline(r, all).text(w)
}

// CompareMarkdown writes a comparison for a pull request.
func CompareMarkdown(w io.Writer, r compare.Report, all bool) error {
	return ComparisonOutline(r, all).markdown(w)
}

// ComparisonOutline lays a comparison out, whatever the face. All shows every statistic.
func ComparisonOutline(r compare.Report, all bool) Outline {
	var p Outline
	p.add(verdictBlock(r))
	for _, c := range r.Comparisons {
		p.add(tailsBlock(c))
	}
	for _, c := range r.Comparisons {
		// Whether the rest may be believed comes first.
		p.add(Block{Lines: []string{fmt.Sprintf("%s beside %s: %s", c.Candidate.Label, r.Baseline.Label, standing(c.Controlled, c.Declared, c.Variable, c.Others)+voidBeside(c))}})
	}
	for _, c := range r.Comparisons {
		p.add(pairFindings(c))
	}
	for _, table := range r.Engines {
		p.add(enginesBlock(table, r.Baseline.Label))
	}
	for _, c := range r.Comparisons {
		p.addComparison(r, c, all)
	}
	reading := Block{Title: "how to read it", Lines: []string{
		fmt.Sprintf("Ratios are candidate ÷ baseline over launches, with %g %% intervals%s. A difference matters from %.3g %% (--margin).", 100*(1-r.Alpha), ofSitting(r), 100*r.Margin),
		"Better and worse: p, corrected, is at most " + fmt.Sprintf("%.3g", r.Alpha) + ". Equivalent: the difference is shown to lie within the margin.",
		"Inconclusive is neither, and not a sign of equality. Could see: the smallest difference that these launches would have shown with " + fmt.Sprintf("%g %% chance.", 100*r.Power),
		"p is corrected by Holm over the primary metrics of all candidates, by Benjamini and Hochberg over the rest (" + r.Rule + ").",
	}}
	reading.Lines = append(reading.Lines, qualityReading(r)...)
	p.add(reading)
	return p
}

// ofSitting says that no interval of a comparison knows of other days.
func ofSitting(r compare.Report) string {
	if slices.ContainsFunc(r.Comparisons, func(c compare.Comparison) bool { return !c.OneSitting }) {
		return ""
	}
	return " for this sitting (other days may differ by more)"
}

// pairFindings lists what the checks found in a pair.
func pairFindings(c compare.Comparison) Block {
	var list []gate.Found
	for _, f := range c.Findings {
		list = append(list, gate.Found{About: gate.AboutPair, Finding: f})
	}
	return findingsBlock(c.Candidate.Label+": findings", list)
}

// voidBeside keeps CONTROLLED, which is about what differs, from being read as a verdict.
func voidBeside(c compare.Comparison) string {
	of, void := voids(c.Findings)
	if len(void) == 0 {
		return ""
	}
	return "; " + of.head + " all the same: " + strings.Join(void, ", ")
}

// standing says whether a comparison is controlled.
func standing(controlled bool, declared, variable string, others []diff.Change) string {
	switch {
	case controlled && variable == "":
		return "CONTROLLED, nothing differs: a system and itself"
	case controlled:
		return "CONTROLLED, only " + variable + " differs"
	}
	var paths []string
	for _, c := range others {
		paths = append(paths, c.Path)
	}
	return fmt.Sprintf("EXPLORATORY, besides %s %d %s: %s", declared, len(paths), numbered(len(paths), "thing differs", "things differ"), strings.Join(paths, ", "))
}

func numbered(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (p *Outline) addComparison(r compare.Report, c compare.Comparison, all bool) {
	label := c.Candidate.Label
	p.add(Block{Title: label + ": what differs", Head: []string{"path", "baseline", "candidate", "kind", "belongs to"}, Rows: changeRows(c.Changes)})
	p.add(definitionsBlock(label, c.Definitions))
	design := "launches compared as two groups (Welch)"
	switch {
	case c.PairedBy == compare.BySet:
		design = "launches paired by the set of hosts that they were made on"
	case c.Paired:
		design = "launches paired by block"
	}
	p.add(qualityBlock(label, c.Quality))
	p.add(qualityNotes(label, c.Quality))
	if all {
		p.add(changedBlock(label, c.Quality))
	}
	p.add(Block{Title: label + ": sides", Lines: []string{partyText("baseline", r.Baseline), partyText("candidate", c.Candidate), design}})
	p.add(learntBlock(label, c.Rows))
	var points []string
	for _, row := range c.Rows {
		if len(points) == 0 || points[len(points)-1] != row.Point {
			points = append(points, row.Point)
		}
	}
	for _, point := range points {
		p.addPoint(r, c, point, all)
	}
	for _, b := range shiftBlocks(c) {
		p.add(b)
	}
	p.add(setsBlock(label, c, all))
	p.add(Block{Title: label + ": what would settle it", Points: settles(c, all)})
	for _, d := range c.Distributions {
		p.add(distributionBlock(label, d))
	}
	var missing []string
	for _, m := range c.Missing {
		text := m.What + ": not in " + m.Side
		if m.Why != "" {
			text += " (" + m.Why + ")"
		}
		missing = append(missing, text)
	}
	p.add(Block{Title: label + ": missing", Points: missing})
	p.add(Block{Title: label + ": warnings", Points: c.Warnings})
}

// learntBlock says what earlier runs taught about the spread of the metrics that were declared.
func learntBlock(label string, rows []compare.Row) Block {
	b := Block{Title: label + ": learnt from earlier runs"}
	for _, row := range rows {
		if row.Past != nil && row.Primary {
			b.Points = append(b.Points, compare.Key(row.Metric, row.Statistic, row.Point)+": "+EarlierText(*row.Past))
		}
	}
	return b
}

func changeRows(changes []diff.Change) [][]string {
	var rows [][]string
	for _, c := range changes {
		belongs := c.Variable
		switch {
		case c.Along:
			belongs = "any variable"
		case belongs == "":
			belongs = "none"
		}
		rows = append(rows, []string{c.Path, short(c.A), short(c.B), c.Kind, belongs})
	}
	return rows
}

// definitionsBlock says what the tools of two sides mean by the same words.
func definitionsBlock(label string, list []compare.Definition) Block {
	b := Block{Title: label + ": what the tools mean", Head: []string{"", "baseline", "candidate"}}
	for _, d := range list {
		b.Rows = append(b.Rows, []string{d.Of, d.Baseline, d.Candidate})
	}
	return b
}

// short keeps a value on its line.
func short(text string) string {
	const most = 48
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

func partyText(role string, p compare.Party) string {
	side := ""
	if p.Side != "" {
		side = ", side " + p.Side
	}
	return fmt.Sprintf("%s %s%s, %d launches, %s", role, p.RunID, side, p.Launches, p.Digest)
}

// ComparedStatistics are shown of every distribution; --all shows the others too.
var ComparedStatistics = map[string]bool{"p50": true, "p95": true, "p99": true, "value": true}

func (p *Outline) addPoint(r compare.Report, c compare.Comparison, point string, all bool) {
	head := []string{"metric", "baseline", "candidate", "ratio", "verdict", "p", "could see", "effect"}
	for _, primary := range []bool{true, false} {
		b := Block{Head: head}
		hidden := 0
		for _, row := range c.Rows {
			switch {
			case row.Point != point || row.Primary != primary:
			case !primary && !all && !ComparedStatistics[row.Statistic]:
				hidden++
			default:
				b.Rows = append(b.Rows, comparedRow(row))
			}
		}
		place := point
		if place == "" {
			place = "launch as a whole"
		}
		b.Title = fmt.Sprintf("%s: %s, other metrics", c.Candidate.Label, place)
		if primary {
			b.Title = fmt.Sprintf("%s: %s, primary metrics", c.Candidate.Label, place)
		}
		if text := BesideTails(min(r.Baseline.Launches, c.Candidate.Launches), 1-r.Alpha); text != "" && slices.ContainsFunc(c.Rows, func(row compare.Row) bool {
			return row.Point == point && row.Primary == primary && strings.HasPrefix(row.Statistic, "p99")
		}) {
			b.Lines = append(b.Lines, text)
		}
		if hidden > 0 {
			b.Lines = append(b.Lines, fmt.Sprintf("%d more %s with --all", hidden, numbered(hidden, "statistic", "statistics")))
		}
		p.add(b)
	}
}

func comparedRow(row compare.Row) []string {
	name := row.Name
	if row.Statistic != "value" {
		name += " " + row.Statistic
	}
	verdict := string(row.Verdict)
	if row.SittingOnly {
		verdict += " in this sitting"
	}
	if row.Differs {
		verdict += " (differs, by less than the margin)"
	}
	return []string{
		name, sideText(row, row.Baseline), sideText(row, row.Candidate), ratioText(row), verdict,
		pText(row.P), percentText(row.Detectable), effectText(row),
	}
}

// enough reports whether both sides have requests enough for the percentile.
func enough(row compare.Row) bool { return uncertified(row.Warnings) == "" }

// sideText is what one side reached; a dash where it has too few requests to say.
func sideText(row compare.Row, e stats.Estimate) string {
	if !enough(row) && !e.Interval.Bounded() {
		return "–"
	}
	return unit.Format(e.Value, row.Unit)
}

// ratioText shows the ratio with its interval, or the difference where there is
// no ratio.
func ratioText(row compare.Row) string {
	switch {
	case row.Ratio != nil && bounded(row.Ratio):
		return fmt.Sprintf("%.3f [%.3f, %.3f]", row.Ratio.Value, row.Ratio.Interval.Lo, row.Ratio.Interval.Hi)
	case row.Ratio != nil:
		return Unbounded(fmt.Sprintf("%.3f", row.Ratio.Value), row.Warnings)
	case row.Difference != nil && bounded(row.Difference):
		return "difference " + unit.FormatInterval(row.Difference.Value, row.Difference.Interval.Lo, row.Difference.Interval.Hi, row.Unit)
	case row.Difference != nil:
		return Unbounded("difference "+unit.Format(row.Difference.Value, row.Unit), row.Warnings)
	}
	return "–"
}

func bounded(e *stats.Estimate) bool { return !math.IsInf(e.Interval.Hi, 1) }

func pText(t *compare.Tested) string {
	if t == nil {
		return "–"
	}
	return pValue(t.Corrected)
}

func pValue(p float64) string {
	if p < 1e-4 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.2g", p)
}

func percentText(v *float64) string {
	if v == nil {
		return "–"
	}
	if 100**v >= 10 {
		return fmt.Sprintf("%.0f %%", 100**v)
	}
	return fmt.Sprintf("%.2g %%", 100**v)
}

func effectText(row compare.Row) string {
	if row.Cliff == nil || !enough(row) {
		return "–"
	}
	text := fmt.Sprintf("δ %.2f %s", *row.Cliff, row.Effect)
	if row.HedgesG != nil {
		text += fmt.Sprintf(", g %.2g", *row.HedgesG)
	}
	return text
}

// settles lists what would settle the rows that are shown.
func settles(c compare.Comparison, all bool) []string {
	var list []string
	for _, row := range c.Rows {
		if row.Settle != "" && (row.Primary || all) {
			list = append(list, compare.Key(row.Metric, row.Statistic, row.Point)+": "+row.Settle)
		}
	}
	return list
}

func distributionBlock(label string, d compare.Distribution) Block {
	b := Block{Title: fmt.Sprintf("%s: %s of requests at %s", label, d.Name, d.Point), Head: []string{"quantile", "baseline", "candidate"}}
	for _, q := range d.Quantiles {
		b.Rows = append(b.Rows, []string{fmt.Sprintf("p%g", 100*q.Quantile), quantileText(q.Baseline, d.Unit), quantileText(q.Candidate, d.Unit)})
	}
	if len(d.Distances) > 0 {
		least, most := d.Distances[0], d.Distances[0]
		for _, one := range d.Distances {
			least.KS, most.KS = min(least.KS, one.KS), max(most.KS, one.KS)
			least.Wasserstein, most.Wasserstein = min(least.Wasserstein, one.Wasserstein), max(most.Wasserstein, one.Wasserstein)
		}
		b.Lines = []string{fmt.Sprintf("distance of launches, pair by pair, as a description: Kolmogorov–Smirnov %.2g to %.2g, a request is moved by %s to %s on average",
			least.KS, most.KS, unit.Format(least.Wasserstein, d.Unit), unit.Format(most.Wasserstein, d.Unit))}
	}
	for _, v := range d.Variance {
		b.Lines = append(b.Lines, fmt.Sprintf("variance of %s: %.3g %% between requests, %.3g %% between launches", v.Side, 100*v.Levels[0].Share, 100*v.ICC))
	}
	return b
}

func quantileText(v *float64, u unit.Unit) string {
	if v == nil {
		return "too few requests"
	}
	return unit.Format(*v, u)
}

func enginesBlock(e compare.Engines, baseline string) Block {
	b := Block{Title: "engines at " + e.Point + ", verdicts beside " + baseline, Head: append([]string{"engine"}, e.Columns...)}
	for _, engine := range e.Rows {
		row := []string{engine.Label}
		for _, cell := range engine.Cells {
			text := "–"
			if cell.Estimate != nil {
				text = unit.Format(cell.Estimate.Value, cell.Unit) + " [no interval]"
				if bounded(cell.Estimate) {
					text = unit.FormatInterval(cell.Estimate.Value, cell.Estimate.Interval.Lo, cell.Estimate.Interval.Hi, cell.Unit)
				}
			}
			if cell.Verdict != "" {
				text += " " + string(cell.Verdict)
			}
			row = append(row, text)
		}
		b.Rows = append(b.Rows, row)
	}
	return b
}

// CompareTitle names the candidates and the baseline.
func CompareTitle(r compare.Report) string {
	var labels []string
	for _, c := range r.Comparisons {
		labels = append(labels, c.Candidate.Label)
	}
	return strings.Join(labels, ", ") + " beside " + r.Baseline.Label
}
