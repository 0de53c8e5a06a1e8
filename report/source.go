package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/unit"
	"assay/visible"
)

// SourceLine names the tool whose results the bundle repeats.
func SourceLine(s *bundle.Source) string {
	return fmt.Sprintf("%s, %d %s; assay measured none of it", strings.TrimSpace(s.Tool+" "+s.Version), len(s.Files), numbered(len(s.Files), "file", "files"))
}

// gapNames lists what the source does not tell, by id.
func gapNames(s *bundle.Source) string {
	var gaps []string
	for _, g := range s.Unknown {
		gaps = append(gaps, g.ID)
	}
	return strings.Join(gaps, ", ")
}

// writeSource says what the source does not tell, what was computed anew and which
// of its own figures are wrong.
func writeSource(b *bytes.Buffer, r Report) {
	if r.Source == nil {
		return
	}
	fmt.Fprintf(b, "\nsource: %s\n", visible.Line(r.Source.Tool))
	if gaps := gapNames(r.Source); gaps != "" {
		fmt.Fprintf(b, "  does not report: %s\n", gaps)
	}
	for _, note := range r.Source.Notes {
		fmt.Fprintf(b, "  - %s\n", visible.Line(note))
	}
	wrong := 0
	for _, f := range r.Reported {
		if f.Wrong != "" {
			wrong++
		}
	}
	if len(r.Reported) > 0 {
		fmt.Fprintf(b, "  %d values reported by %s are kept in the JSON (%d known to be wrong)\n", len(r.Reported), r.Source.Tool, wrong)
	}
	writeWholeAgreement(b, r)
}

// mostReported is how many figures of a point a terminal shows unless all are
// asked for.
const mostReported = 40

// writeReported shows the figures of a point as the tool computed them. It is for
// points of which the source tells nothing else.
func writeReported(b *bytes.Buffer, r Report, point int) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  as %s computed it\tstatistic\tvalue\tmeans\n", r.Source.Tool)
	shown, left := 0, 0
	for _, f := range r.Reported {
		switch {
		case f.Point != point:
		case shown >= mostReported && !r.All:
			left++
		default:
			shown++
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", visible.Line(f.Name), visible.Line(f.Statistic), visible.Line(unit.Format(f.Value, unit.Unit(f.Unit))), visible.Line(meaning(f)))
		}
	}
	t.Flush()
	if left > 0 {
		fmt.Fprintf(b, "  %d more values in the JSON; assay report --all shows them\n", left)
	}
}

// meaning says what a reported figure is, or why it must not be used.
func meaning(f record.Reported) string {
	switch {
	case f.Wrong != "":
		return "WRONG: " + f.Wrong
	case f.Metric != "":
		return f.Metric
	}
	return f.Definition
}

// lacks reports whether the source of an import has nothing that m could be computed
// from.
func (r Report) lacks(m metric.Metric) bool { return r.Source != nil && !m.KnownIn(r.Manifest) }

// StandsIn reports whether m is shown in place of one that the source cannot give:
// TPOT needs the last token, and many tools know the end of the answer only.
func (r Report) StandsIn(m metric.Metric) bool {
	return m.ID == metric.TPOTDone.ID && r.lacks(metric.TPOT)
}

// LoadLine says how load was offered and from when latencies count.
func (r Report) LoadLine() string {
	loaded := slices.ContainsFunc(r.Plan.Points, func(p plan.Point) bool { return p.Concurrency > 0 || p.Open() })
	if r.Source != nil && !loaded {
		return "none, or none that " + r.Source.Tool + " tells"
	}
	text := loadText(r.Plan.Workload())
	if r.Manifest.Unknown(bundle.GapDueTimes) {
		return strings.TrimSuffix(text, countedFromDue) + "; latencies count from the send: when a request was due is not reported"
	}
	return text
}

// LengthLines says how long requests are, where that was asked for: the lengths of
// an import that were filled in are nobody's.
func (r Report) LengthLines() []string {
	if r.Plan.Evaluation() != nil {
		return nil // its questions have the lengths that they have
	}
	const path = "spec.workload.sequenceLengthMix"
	if r.Source != nil && r.Plan.Workload().Prompt.Scenario == "" && slices.ContainsFunc(r.Plan.Defaults, func(d spec.Default) bool { return d.Path == path }) {
		return nil
	}
	return lengths(r.Plan.Workload())
}
