package report

import (
	"fmt"
	"maps"
	"slices"

	"assay/analysis/collectives"
	"assay/unit"
)

// collectiveBlocks are bandwidth by size, its model, steadiness, and who falls
// behind.
func (r Report) collectiveBlocks() (list []block) {
	c := r.Collectives
	if c == nil {
		return nil
	}
	head := block{title: "collectives", lines: []string{"The time of a collective is its slowest rank's. Bus bandwidth is to be held against one direction of a link; there is no average over sizes."}}
	if c.Link != nil {
		head.lines = append(head.lines, linkText(*c.Link))
	}
	if len(c.Rows) == 0 && len(c.Matrices) == 0 {
		head.lines = append(head.lines, "no completed launch measured any")
	}
	list = append(list, head, sizesBlock(c.Rows), fitsBlock(c.Fits), stabilityBlock(c.Stability), chunkingBlock(c.Chunking), algorithmsBlock(c.Algorithms), keptUpBlock(c.Ranks))
	return append(list, matrixBlocks(c.Matrices)...)
}

func linkText(l collectives.Link) string {
	return fmt.Sprintf("link: %s one way, %s; the best bus bandwidth is %s, %s of it", unit.Format(l.Rate, unit.BytePerSecond), l.Source, unit.Format(l.Best, unit.BytePerSecond), share(l.Share))
}

// algorithmText names an algorithm as it was asked for and carried out.
func algorithmText(row collectives.Row) string {
	text := row.Algorithm
	if row.Asked != "" && row.Asked != row.Algorithm {
		text += " (" + row.Asked + ")"
	}
	if row.Emulated != "" {
		text += ", emulated by " + row.Emulated
	}
	return text
}

// opText is an operation with its mode.
func opText(op string, inPlace bool) string {
	if inPlace {
		return op + ", in place"
	}
	return op
}

func bytesText(n int64) string {
	if n == 0 {
		return "–"
	}
	return unit.Bytes(n).String()
}

func wrongText(row collectives.Row) string {
	if !row.Checked {
		return "not checked"
	}
	return fmt.Sprint(row.Wrong)
}

func sizesBlock(rows []collectives.Row) block {
	b := block{title: "bandwidth by size", head: []string{"operation", "size", "ranks", "algorithm", "time", "p99", "algbw", "busbw", "wrong", "n"}}
	for _, row := range rows {
		b.rows = append(b.rows, []string{
			opText(row.Op, row.InPlace), bytesText(row.Bytes), fmt.Sprint(row.Ranks), algorithmText(row), estimated(row.Time, unit.Second), quantity(row.P99, unit.Second),
			estimatedOrNone(row.AlgBW, unit.BytePerSecond), estimatedOrNone(row.BusBW, unit.BytePerSecond), wrongText(row), fmt.Sprint(row.Samples),
		})
	}
	return withoutEmpty(b)
}

// fitsBlock is the model of every operation, and how well it says what it has not
// seen.
func fitsBlock(fits []collectives.Fit) block {
	b := block{title: "the model T(S) = α + S/β", head: []string{"operation", "algorithm", "ranks", "α", "β", "half at", "worst residual", "may predict", "held-out sizes"}}
	for _, f := range fits {
		usable := "yes"
		switch {
		case !f.Usable:
			usable = "no: " + f.Refused
		case len(f.Segments) > 0:
			usable = "in two segments: " + segmentText(f.Segments)
		}
		alpha, beta, half, residual := "–", "–", "–", "–"
		if f.Beta > 0 {
			alpha, beta, half, residual = unit.Format(f.Alpha, unit.Second), unit.Format(f.Beta, unit.BytePerSecond), unit.Format(f.Half, unit.Byte), share(f.Residual)
		}
		b.rows = append(b.rows, []string{opText(f.Op, f.InPlace), f.Algorithm, fmt.Sprint(f.Ranks), alpha, beta, half, residual, usable, predictedText(f.Predicted)})
	}
	if len(fits) > 0 {
		b.lines = []string{fits[0].Rule + "."}
	}
	return b
}

func segmentText(list []collectives.Segment) string {
	var texts []string
	for _, s := range list {
		texts = append(texts, fmt.Sprintf("%v to %v: %s + S/(%s)", unit.Bytes(s.From), unit.Bytes(s.To), unit.Format(s.Alpha, unit.Second), unit.Format(s.Beta, unit.BytePerSecond)))
	}
	return fmt.Sprintf("%s; %s", texts[0], texts[len(texts)-1])
}

// predictedText says how far off the model was at sizes that it had not seen.
func predictedText(list []collectives.Predicted) string {
	if len(list) == 0 {
		return "–"
	}
	worst, at := 0.0, int64(0)
	for _, p := range list {
		if off := p.Expected/p.Measured - 1; at == 0 || max(off, -off) > max(worst, -worst) {
			worst, at = off, p.Bytes
		}
	}
	return fmt.Sprintf("%d, the worst %+.0f %% at %v", len(list), 100*worst, unit.Bytes(at))
}

func stabilityBlock(list []collectives.Stability) block {
	b := block{title: "how steady one payload is", head: []string{"operation", "size", "ranks", "iterations", "p50", "p99", "p99 / p50", "CV of bandwidth", "class"}}
	for _, s := range list {
		b.rows = append(b.rows, []string{
			s.Op, bytesText(s.Bytes), fmt.Sprint(s.Ranks), fmt.Sprint(s.Iterations), unit.Format(s.P50, unit.Second), unit.Format(s.P99, unit.Second),
			fmt.Sprintf("%.2f", s.SlowTail), share(s.CV), classText(s.Class),
		})
	}
	return b
}

// classText is a class of jitter as a person says it.
func classText(class string) string {
	switch class {
	case "moderate_jitter":
		return "moderate jitter"
	case "high_jitter":
		return "high jitter"
	}
	return class
}

func chunkingBlock(list []collectives.Chunking) block {
	b := block{title: "one call against many small ones", head: []string{"operation", "size", "ranks", "chunks", "whole", "cut", "cut / whole"}}
	for _, c := range list {
		b.rows = append(b.rows, []string{
			c.Op, bytesText(c.Bytes), fmt.Sprint(c.Ranks), fmt.Sprint(c.Chunks), estimated(c.Whole, unit.Second), estimated(c.Cut, unit.Second), estimated(c.Ratio, unit.Ratio),
		})
	}
	return b
}

func algorithmsBlock(list []collectives.Algorithms) block {
	var names []string
	for _, a := range list {
		for _, name := range slices.Sorted(maps.Keys(a.BusBW)) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	b := block{title: "algorithms, by bus bandwidth", head: slices.Concat([]string{"operation", "size", "ranks"}, names, []string{"best", "spread", "auto is behind by"})}
	for _, a := range list {
		row := []string{a.Op, bytesText(a.Bytes), fmt.Sprint(a.Ranks)}
		for _, name := range names {
			if v, ok := a.BusBW[name]; ok {
				row = append(row, unit.Format(v, unit.BytePerSecond))
			} else {
				row = append(row, "–")
			}
		}
		b.rows = append(b.rows, append(row, a.Best, share(a.Spread), percent(a.AutoGap)))
	}
	return b
}

// keptUpBlock says how ranks kept up with each other.
func keptUpBlock(list []collectives.Rank) block {
	b := block{title: "how ranks keep up", head: []string{"rank", "host", "enters last", "after the first by", "own time / median rank's", "outlier"}}
	for _, r := range list {
		outlier := "no"
		if r.Outlier {
			outlier = "YES"
		}
		last := share(r.Last)
		if r.Lateness == nil {
			last = "–" // clocks are not aligned
		}
		b.rows = append(b.rows, []string{fmt.Sprint(r.Rank), dash(r.Host), last, quantity(r.Lateness, unit.Second), fmt.Sprintf("%.3g", r.Own), outlier})
	}
	return withoutEmpty(b)
}

// matrixBlocks are the pairs of the first launch of each world; other launches are
// in the JSON report.
func matrixBlocks(matrices []collectives.Matrix) (list []block) {
	seen := map[int]bool{}
	for _, m := range matrices {
		if seen[m.Ranks] {
			continue
		}
		seen[m.Ranks] = true
		head := []string{"from \\ to"}
		for i := range m.Ranks {
			head = append(head, fmt.Sprint(i))
		}
		for _, of := range []struct {
			title  string
			values [][]float64
			unit   unit.Unit
		}{{"latency", m.Latency, unit.Second}, {"bandwidth", m.Bandwidth, unit.BytePerSecond}} {
			if of.values == nil {
				continue
			}
			b := block{title: fmt.Sprintf("%s between %d ranks, launch %d", of.title, m.Ranks, m.Launch), head: head}
			if m.Guess != "" {
				b.lines = []string{m.Guess}
			}
			for i, values := range of.values {
				row := []string{fmt.Sprint(i)}
				for j, v := range values {
					text := unit.Format(v, of.unit)
					if i == j || v == 0 {
						text = "·"
					}
					row = append(row, text)
				}
				b.rows = append(b.rows, row)
			}
			list = append(list, b)
		}
	}
	return list
}
