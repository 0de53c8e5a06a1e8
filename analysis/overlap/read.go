package overlap

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/metric"
	"assay/metric/exchange"
	"assay/plan"
	"assay/record"
)

// Read judges the records of the completed launches of b.
func Read(b *bundle.Bundle, p plan.Plan) (Report, error) {
	out := Report{Version: Version, Points: []Point{}}
	seen := map[int][]measured{}
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		launch, err := metric.ReadRanks(b, p, info)
		if err != nil {
			return out, err
		}
		checks, err := checksOf(b, info.Index)
		if err != nil {
			return out, fmt.Errorf("launch %d: %w", info.Index+1, err)
		}
		links := linksOf(launch)
		for _, point := range launch.Points {
			if point.Kind == plan.KindSteps {
				seen[point.Index] = append(seen[point.Index], newMeasured(info.Index, point, checks[point.Index], links))
			}
		}
	}
	for _, planned := range p.Points {
		if len(seen[planned.Index]) == 0 {
			continue
		}
		point, err := judge(planned, seen[planned.Index], p.Trials().ConfidenceLevel)
		if err != nil {
			return out, fmt.Errorf("%s: %w", planned.Name, err)
		}
		if point.Traces, err = traces(b, p, planned.Index); err != nil {
			return out, fmt.Errorf("%s: %w", planned.Name, err)
		}
		out.Points = append(out.Points, point)
	}
	profiles(p, out.Points)
	return out, nil
}

// A measured is one point of one launch.
type measured struct {
	launch  int
	point   *metric.Point
	ranked  *metric.Ranked
	steps   []exchange.Step // all of them
	counted []exchange.Step // measured and with exchange
	aligned bool            // stamps of different ranks may be compared
	early   int64           // by how much a bucket was over before the last rank had it
	checks  []record.Check
	links   links
}

func newMeasured(launch int, p *metric.Point, checks []record.Check, l links) measured {
	m := measured{launch: launch, point: p, ranked: p.Ranked, steps: p.Ranked.ByStep(), checks: checks, links: l, aligned: p.Ranked.Aligned()}
	for _, s := range m.steps {
		if s.Counted() {
			m.counted = append(m.counted, s)
			m.early = max(m.early, exchange.Early(s.Sides))
		}
	}
	return m
}

// judge says what the launches of one point tell.
func judge(planned plan.Point, list []measured, confidence float64) (Point, error) {
	out := Point{Point: planned.Index, Name: planned.Name, Ranks: planned.Ranks, Launches: []int{}}
	for _, m := range list {
		if out.Steps += len(m.counted); len(m.counted) > 0 {
			out.Launches = append(out.Launches, m.launch)
		}
		out.Clocks = append(out.Clocks, clocksOf(m)...)
		out.Checks = append(out.Checks, checked(m)...)
	}
	out.Memory, out.OnCPU = memoryOf(list), onCPU(list)
	out.FLOP = flopOf(list)
	out.Timeline = timelineOf(list[0])
	// A rank that ran out of memory has memory alone.
	ranks := slices.DeleteFunc(gather(list), func(r *observed) bool { return len(r.step) == 0 })
	for _, r := range ranks {
		out.PerRank = append(out.PerRank, r.figures())
	}
	var err error
	if out.Parts, err = partsOf(list, confidence); err != nil {
		return out, err
	}
	out.Verdict = verdictOf(out, ranks, list)
	out.Findings = findings(out, list)
	return out, nil
}

// checksOf reads what ranks said about their results, by point.
func checksOf(b *bundle.Bundle, launch int) (map[int][]record.Check, error) {
	all := map[int][]record.Check{}
	for e, err := range bundle.Rows[record.Event](b, launch, bundle.Events) {
		if err != nil {
			return nil, err
		}
		if e.Name != record.RankCheck {
			continue
		}
		c, err := parseCheck(e.Detail)
		if err != nil {
			return nil, err
		}
		all[c.Point] = append(all[c.Point], c)
	}
	return all, nil
}
