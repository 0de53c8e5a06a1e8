package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/analysis/diff"
	"assay/analysis/scaling"
	"assay/judge"
	"assay/metric"
	"assay/plan"
)

// fromBundles takes the launches of one number of each bundle. Bundles of different
// problems are refused; what else differs between them goes into the study.
func fromBundles(env Env, s *scaling.Study, o scaleFlags, args []string) error {
	var sources []scaling.Source
	for _, arg := range args {
		text, dir, _ := strings.Cut(arg, "=")
		workers, err := strconv.Atoi(text)
		if err != nil {
			return usageError(fmt.Errorf("%q: want WORKERS=BUNDLE, such as 8=runs/eight", arg))
		}
		j, err := o.trust.decide(env, dir)
		if err != nil {
			return err
		}
		if err := o.addBundle(s, j, dir, workers); err != nil {
			return err
		}
		side, err := diff.Open(j.Bundle, "")
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		sources = append(sources, scaling.Source{Workers: workers, Side: side})
	}
	slices.SortStableFunc(sources, func(a, b scaling.Source) int { return cmp.Compare(a.Workers, b.Workers) })
	problems, settings := scaling.Different(sources)
	if len(problems) > 0 {
		var list []string
		for _, p := range problems {
			list = append(list, p.String())
		}
		return usageError(fmt.Errorf("there is no curve through different problems: %s", strings.Join(list, "; ")))
	}
	s.Settings = settings
	return nil
}

// addBundle adds what a bundle of so many workers measured.
func (o scaleFlags) addBundle(s *scaling.Study, j *judge.Judgement, dir string, workers int) error {
	point, row, err := o.rowOf(j, dir)
	if err != nil {
		return err
	}
	quantity := scaling.Time
	if row.Better == metric.Higher {
		quantity = scaling.Throughput
	}
	if s.Quantity != "" && s.Quantity != quantity {
		return usageError(fmt.Errorf("--quantity %s: %s is a %s", s.Quantity, row.Metric, quantity))
	}
	s.Quantity, s.Unit = quantity, string(row.Unit)
	p := scaling.Point{Workers: workers, Window: scaling.WindowOf(point)}
	if steps := point.Steps; steps != nil {
		kind := scaling.Kind(steps.Scaling)
		if s.Kind = cmp.Or(s.Kind, kind); s.Kind != kind && point.Ranks > 1 {
			return usageError(fmt.Errorf("--kind %s: %s was measured as %s scaling", s.Kind, dir, kind))
		}
		if point.Ranks != workers {
			return usageError(fmt.Errorf("%s: it has %d ranks at %s, not %d", dir, point.Ranks, point.Name, workers))
		}
		p.Batch, p.Communication = float64(steps.GlobalBatch), scaling.ExposedShare(j.Training, point.Index)
	}
	for _, v := range row.PerLaunch {
		p.Values = append(p.Values, v.Value)
	}
	s.Points = append(s.Points, p)
	return nil
}

// rowOf is the number of a bundle that is compared: the value, or the median of a
// distribution.
func (o scaleFlags) rowOf(j *judge.Judgement, dir string) (plan.Point, metric.Row, error) {
	var names []string
	for _, candidate := range j.Plan.Points {
		names = append(names, candidate.Name)
		if o.point != candidate.Name && (o.point != "" || len(j.Plan.Points) > 1) {
			continue
		}
		id := cmp.Or(o.metric, metric.OutputThroughput.ID)
		if o.metric == "" && candidate.Kind() == plan.KindSteps {
			id = metric.TokensPerSecond.ID
		}
		for _, statistic := range []string{"value", "p50"} {
			if row, ok := j.Estimates.Find(id, statistic, candidate.Index); ok {
				return candidate, row, nil
			}
		}
		return candidate, metric.Row{}, fmt.Errorf("%s has no %s at %s", dir, id, candidate.Name)
	}
	return plan.Point{}, metric.Row{}, usageError(fmt.Errorf("%s: --point %q: want one of %s", dir, o.point, strings.Join(names, ", ")))
}
