package workbook

import (
	"fmt"

	"assay/report"
)

// about is the sheet of what the run is and what it rests on.
func (b *workbook) about(r report.Report) {
	s := b.sheet("About")
	s.columns([]float64{16, 120})
	s.fact("run", r.RunID, 2, 120)
	for _, f := range b.facts(r) {
		s.fact(f[0], f[1], 2, 120)
	}
	for _, text := range r.Warnings {
		s.fact("warning", text, 2, 120)
	}
}

// facts are what a reader must know about the numbers.
func (b *workbook) facts(r report.Report) [][2]string {
	s := r.Plan.Decided()
	list := [][2]string{
		{"status", fmt.Sprintf("%s, %d of %d planned launches completed", r.Status, report.Completed(r.Launches), len(r.Plan.Launches))},
		{"signature", r.Signature},
		{"class", s.Intent.BenchmarkClass + report.DeclaredOnly(s.Intent.BenchmarkClass)},
	}
	add := func(name, format string, args ...any) {
		list = append(list, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if r.Claims != nil {
		add("grade", "%s", report.GradeText(*r.Claims))
	}
	if r.Source != nil {
		add("source", "%s", report.SourceLine(r.Source))
		for _, gap := range r.Source.Unknown {
			add("not known", "%s: %s", gap.ID, gap.Detail)
		}
		for _, note := range r.Source.Notes {
			add("note", "%s", note)
		}
	}
	if s.Target != nil {
		for _, side := range s.Sides() {
			add(report.SideHead(side.Name), "%s %s, model %s%s", side.Target.API, report.TargetURL(side.Target)+report.ConnectedBy(side.Target), side.Target.Model, r.StartedBy(side.Target))
		}
	}
	if text := report.UnactedText(r.Unacted); text != "" {
		add("not acted on", "%s", text)
	}
	for _, one := range append(r.SystemLines(), r.RankQuestion()...) {
		add(one[0], "%s", one[1])
	}
	if r.Serves() {
		add("load", "%s", r.LoadLine())
		add("tokenizer", "%s", report.TokenizerText(s.Workload.Tokenizer))
	}
	add("workload", "%s", r.Plan.WorkloadDigest)
	add("intervals", "low and high: %s", r.IntervalLine())
	if text := r.OutlierLine(); text != "" {
		add("outliers", "%s", text)
	}
	for _, l := range r.Estimates.LeftOut {
		add("left out", "launch %d is in no estimate: %s", l.Launch+1, l.Reason)
	}
	add("times", "in %s%s; all other cells hold every digit of the JSON report", b.time.name, b.scaling())
	if r.Serves() {
		for _, text := range report.OwnError(r) {
			add("own error", "%s", text)
		}
	}
	return list
}

func (b *workbook) scaling() string {
	if b.time.factor == 1 {
		return ""
	}
	return fmt.Sprintf(", the seconds of the JSON report × %g", b.time.factor)
}
