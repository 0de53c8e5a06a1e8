package report

import (
	"fmt"
	"maps"
	"slices"

	"assay/analysis/collectives"
	"assay/unit"
)

// CollectiveBlocks are bandwidth by size, its model, steadiness, and who falls
// behind.
func (r Report) CollectiveBlocks() (list []Block) {
	c := r.Collectives
	if c == nil {
		return nil
	}
	head := Block{Title: "collectives", Lines: []string{"The time of a collective is its slowest rank's. Bus bandwidth is to be held against one direction of a link; there is no average over sizes."}}
	if c.Link != nil {
		head.Lines = append(head.Lines, linkText(*c.Link))
	}
	if len(c.Rows) == 0 && len(c.Matrices) == 0 {
		head.Lines = append(head.Lines, "no completed launch measured any")
	}
	list = append(list, head, sizesBlock(c.Rows), fitsBlock(c.Fits), stabilityBlock(c.Stability), chunkingBlock(c.Chunking), algorithmsBlock(c.Algorithms), keptUpBlock(c.Ranks))
	return append(list, matrixBlocks(c.Matrices)...)
}

func linkText(l collectives.Link) string {
	return fmt.Sprintf("link: %s one way, %s; the best bus bandwidth is %s, %s of it", unit.Format(l.Rate, unit.BytePerSecond), l.Source, unit.Format(l.Best, unit.BytePerSecond), Share(l.Share))
}

// AlgorithmText names an algorithm as it was asked for and carried out.
func AlgorithmText(row collectives.Row) string {
	text := row.Algorithm
	if row.Asked != "" && row.Asked != row.Algorithm {
		text += " (" + row.Asked + ")"
	}
	if row.Emulated != "" {
		text += ", emulated by " + row.Emulated
	}
	return text
}

// OpText is an operation with its mode.
func OpText(op string, inPlace bool) string {
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

func sizesBlock(rows []collectives.Row) Block {
	b := Block{Title: "bandwidth by size", Head: []string{"operation", "size", "ranks", "algorithm", "time", "p99", "algbw", "busbw", "wrong", "n"}}
	for _, row := range rows {
		b.Rows = append(b.Rows, []string{
			OpText(row.Op, row.InPlace), bytesText(row.Bytes), fmt.Sprint(row.Ranks), AlgorithmText(row), estimated(row.Time, unit.Second), Quantity(row.P99, unit.Second),
			estimatedOrNone(row.AlgBW, unit.BytePerSecond), estimatedOrNone(row.BusBW, unit.BytePerSecond), wrongText(row), fmt.Sprint(row.Samples),
		})
	}
	return withoutEmpty(b)
}

// fitsBlock is the model of every operation, and how well it says what it has not
// seen.
func fitsBlock(fits []collectives.Fit) Block {
	b := Block{Title: "the model T(S) = α + S/β", Head: []string{"operation", "algorithm", "ranks", "α", "β", "half at", "worst residual", "may predict", "held-out sizes"}}
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
			alpha, beta, half, residual = unit.Format(f.Alpha, unit.Second), unit.Format(f.Beta, unit.BytePerSecond), unit.Format(f.Half, unit.Byte), Share(f.Residual)
		}
		b.Rows = append(b.Rows, []string{OpText(f.Op, f.InPlace), f.Algorithm, fmt.Sprint(f.Ranks), alpha, beta, half, residual, usable, predictedText(f.Predicted)})
	}
	if len(fits) > 0 {
		b.Lines = []string{fits[0].Rule + "."}
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

func stabilityBlock(list []collectives.Stability) Block {
	b := Block{Title: "how steady one payload is", Head: []string{"operation", "size", "ranks", "iterations", "p50", "p99", "p99 / p50", "CV of bandwidth", "class"}}
	for _, s := range list {
		b.Rows = append(b.Rows, []string{
			s.Op, bytesText(s.Bytes), fmt.Sprint(s.Ranks), fmt.Sprint(s.Iterations), unit.Format(s.P50, unit.Second), unit.Format(s.P99, unit.Second),
			fmt.Sprintf("%.2f", s.SlowTail), Share(s.CV), ClassText(s.Class),
		})
	}
	return b
}

// ClassText is a class of jitter as a person says it.
func ClassText(class string) string {
	switch class {
	case "moderate_jitter":
		return "moderate jitter"
	case "high_jitter":
		return "high jitter"
	}
	return class
}

func chunkingBlock(list []collectives.Chunking) Block {
	b := Block{Title: "one call against many small ones", Head: []string{"operation", "size", "ranks", "chunks", "whole", "cut", "cut / whole"}}
	for _, c := range list {
		b.Rows = append(b.Rows, []string{
			c.Op, bytesText(c.Bytes), fmt.Sprint(c.Ranks), fmt.Sprint(c.Chunks), estimated(c.Whole, unit.Second), estimated(c.Cut, unit.Second), estimated(c.Ratio, unit.Ratio),
		})
	}
	return b
}

func algorithmsBlock(list []collectives.Algorithms) Block {
	var names []string
	for _, a := range list {
		for _, name := range slices.Sorted(maps.Keys(a.BusBW)) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	b := Block{Title: "algorithms, by bus bandwidth", Head: slices.Concat([]string{"operation", "size", "ranks"}, names, []string{"best", "spread", "auto is behind by"})}
	for _, a := range list {
		row := []string{a.Op, bytesText(a.Bytes), fmt.Sprint(a.Ranks)}
		for _, name := range names {
			if v, ok := a.BusBW[name]; ok {
				row = append(row, unit.Format(v, unit.BytePerSecond))
			} else {
				row = append(row, "–")
			}
		}
		b.Rows = append(b.Rows, append(row, a.Best, Share(a.Spread), Percent(a.AutoGap)))
	}
	return b
}

// keptUpBlock says how ranks kept up with each other.
func keptUpBlock(list []collectives.Rank) Block {
	b := Block{Title: "how ranks keep up", Head: []string{"rank", "host", "enters last", "after the first by", "own time / median rank's", "outlier"}}
	for _, r := range list {
		outlier := "no"
		if r.Outlier {
			outlier = "YES"
		}
		last := Share(r.Last)
		if r.Lateness == nil {
			last = "–" // clocks are not aligned
		}
		b.Rows = append(b.Rows, []string{fmt.Sprint(r.Rank), Dash(r.Host), last, Quantity(r.Lateness, unit.Second), fmt.Sprintf("%.3g", r.Own), outlier})
	}
	return withoutEmpty(b)
}

// matrixBlocks are the pairs of the first launch of each world; other launches are
// in the JSON report.
func matrixBlocks(matrices []collectives.Matrix) (list []Block) {
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
			b := Block{Title: fmt.Sprintf("%s between %d ranks, launch %d", of.title, m.Ranks, m.Launch+1), Head: head}
			if m.Guess != "" {
				b.Lines = []string{m.Guess}
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
				b.Rows = append(b.Rows, row)
			}
			list = append(list, b)
		}
	}
	return list
}
