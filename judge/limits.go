package judge

import (
	"slices"

	"assay/analysis/bottleneck"
	"assay/analysis/breakdown"
	"assay/analysis/collectives"
	"assay/analysis/overlap"
	"assay/plan"
)

// Limits says of every point of requests or training steps what limits it. Collectives
// and probes by themselves are no job that something could limit.
func (j *Judgement) Limits() []bottleneck.Diagnosis { return j.LimitsBeside(j.Collectives) }

// LimitsBeside is Limits with the collectives that another run measured over the same
// links.
func (j *Judgement) LimitsBeside(exchange collectives.Report) []bottleneck.Diagnosis {
	var list []bottleneck.Diagnosis
	for _, point := range j.Plan.Points {
		signs := bottleneck.SignsOf(j.Estimates, j.Client, point.Index)
		signs.Fabric, signs.Exchange = exchange.Signs()
		i := slices.IndexFunc(j.Training.Points, func(p overlap.Point) bool { return p.Point == point.Index })
		switch kind := point.Kind(); {
		case i >= 0:
			list = append(list, bottleneck.Training(j.Training.Points[i], signs))
		case kind == plan.KindServing:
			split, _ := breakdown.Serving(j.Estimates, point.Index)
			list = append(list, bottleneck.Judge(point.Name, split, signs))
		case kind == plan.KindSteps:
			list = append(list, bottleneck.Judge(point.Name, breakdown.Breakdown{}, signs))
		}
	}
	for i, d := range list {
		list[i] = d.Within(j.Plan.BottleneckAnalysis().Taxonomy)
	}
	return list
}
