package server

import (
	"fmt"
	"math"
	"net/http"
	"slices"

	"assay/bundle"
	"assay/judge"
	"assay/lint"
	"assay/metric"
	"assay/record"
	"assay/report/page"
	"assay/unit"
	"assay/warehouse"
)

// insidePage shows what the records of one run say beyond its results: whether the client
// was fit to measure, launch by launch, and how long every rank took for every step.
func (s *Server) insidePage(c *Call) error {
	d, err := s.read.Detail(c.context(), c.R.PathValue("run"))
	if err != nil {
		return err
	}
	j, err := s.judged(c)
	if err != nil {
		return err
	}
	if !j.Bundle.Seal.Verified {
		return refuse(http.StatusUnprocessableEntity, "the bundle does not verify: its report says what was changed")
	}
	heats, err := rankHeats(j)
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, "inside", struct {
		frame
		Run      warehouse.RunDetail
		Strip    []stripRow
		Bound    string
		Heats    []section
		Training bool
	}{frameOf(c, "Inside "+d.Name), d, healthStrip(j.Client), boundText(j.Client.Bounds), heats, len(heats) > 0})
}

// A stripRow is the client in one launch; each cell says whether a limit was passed, in
// words too.
type stripRow struct {
	Launch string
	Cells  []stripCell
}

type stripCell struct {
	Name, Value, Word string // Word is ok, high or unknown
}

// healthStrip judges what the client was doing by the limits of the check client-limit.
func healthStrip(c metric.Client) (list []stripRow) {
	for _, h := range c.Launches {
		row := stripRow{Launch: fmt.Sprint(h.Launch + 1)}
		for _, g := range lint.ClientGauges(h) {
			cell := stripCell{Name: g.Name, Value: "–", Word: "unknown"}
			if g.Value != nil {
				cell.Value, cell.Word = unit.Format(*g.Value, g.Unit), "ok"
				if g.High() {
					cell.Word = "high"
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		if slices.ContainsFunc(row.Cells, func(c stripCell) bool { return c.Word != "unknown" }) {
			list = append(list, row)
		}
	}
	return list
}

func boundText(b *metric.Bounds) string {
	if b == nil {
		return "Its own error was not measured (load.calibrate)."
	}
	return fmt.Sprintf("Against a known stream at this load it added at most %s to TTFT and %s to a gap.", unit.Format(b.TTFT.Seconds, unit.Second), unit.Format(b.Gap.Seconds, unit.Second))
}

// The most that a heat map shows: more cells than that are no longer seen one by one.
const (
	mostHeatSteps = 120
	mostHeatRanks = 64

	mostStepsRead = 5000 // of a point; a long training is seen in its report
)

// rankHeats are the maps of ranks and steps of a run that trained, one for each point of
// its first completed launch.
func rankHeats(j *judge.Judgement) (list []section, err error) {
	i := slices.IndexFunc(j.Bundle.Launches(), func(l bundle.LaunchInfo) bool { return l.Outcome == bundle.LaunchCompleted })
	if i < 0 {
		return nil, nil
	}
	launch := j.Bundle.Launches()[i].Index
	waits, err := waited(j.Bundle, launch)
	if err != nil {
		return nil, err
	}
	points := map[int32]*heat{}
	for row, err := range bundle.Rows[record.Step](j.Bundle, launch, bundle.Steps) {
		if err != nil {
			return nil, err
		}
		if row.Phase != record.Measure {
			continue
		}
		if points[row.Point] == nil {
			points[row.Point] = &heat{seconds: map[int64]map[int32]float64{}}
		}
		points[row.Point].add(row, waits[stepOf{row.Point, row.Rank, row.Step}])
	}
	for _, point := range j.Plan.Points {
		h := points[int32(point.Index)]
		if h == nil || len(h.seconds) == 0 {
			continue
		}
		one, err := h.section(point.Name, launch)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// A stepOf is one step of one rank.
type stepOf struct {
	point, rank int32
	step        int64
}

// waited is how long each rank waited in each step for the exchange after its own last
// gradient was ready, in nanoseconds.
func waited(b *bundle.Bundle, launch int) (map[stepOf]int64, error) {
	type last struct{ ready, end int64 }
	lasts := map[stepOf]last{}
	for row, err := range bundle.Rows[record.Bucket](b, launch, bundle.Buckets) {
		if err != nil {
			return nil, err
		}
		if row.Alone || row.Rank >= mostHeatRanks || row.Step >= mostStepsRead {
			continue
		}
		at := stepOf{row.Point, row.Rank, row.Step}
		lasts[at] = last{max(lasts[at].ready, row.Ready), max(lasts[at].end, row.End)}
	}
	waits := map[stepOf]int64{}
	for at, l := range lasts {
		waits[at] = max(0, l.end-l.ready)
	}
	return waits, nil
}

// A heat is how long each rank took for each step by itself.
type heat struct {
	seconds map[int64]map[int32]float64
	ranks   int32
}

// add takes a step in. Whole steps are equally long on all ranks, since the gradient
// exchange makes them wait for the slowest: what was waited is left out. So are steps
// without an exchange, which are made to compare with.
func (h *heat) add(row record.Step, waits int64) {
	h.ranks = max(h.ranks, row.Rank+1)
	if !row.Synced || row.Rank >= mostHeatRanks || row.Step >= mostStepsRead {
		return
	}
	if row.Exposed != nil {
		waits = *row.Exposed
	}
	if h.seconds[row.Step] == nil {
		h.seconds[row.Step] = map[int32]float64{}
	}
	h.seconds[row.Step][row.Rank] = float64(max(0, row.End-row.Start-waits)) / 1e9
}

func (h *heat) section(point string, launch int) (section, error) {
	var steps []int64
	for step := range h.seconds {
		steps = append(steps, step)
	}
	slices.Sort(steps)
	one := section{ID: "ranks-" + point, Title: "Ranks and steps: " + point, Lines: []string{
		fmt.Sprintf("Launch %d. What each rank took for a step by itself, without its wait for the gradient exchange. A row that is dark all along is a slow rank, a dark column a step that was slow for all.", launch+1),
	}}
	every := (len(steps) + mostHeatSteps - 1) / mostHeatSteps
	ranks := int(min(h.ranks, mostHeatRanks))
	if every > 1 || int(h.ranks) > ranks {
		one.Lines = append(one.Lines, fmt.Sprintf("Every cell is the longest of %d steps; %d of %d ranks and the steps before number %d are shown.", every, ranks, h.ranks, mostStepsRead))
	}
	chart := page.Chart{Kind: page.HeatChart, Title: "Time of each rank by step: " + point, X: []page.Axis{{Label: "step"}}, Y: page.Axis{Label: "time", Unit: "ms"}}
	for r := range ranks {
		chart.Rows = append(chart.Rows, fmt.Sprintf("rank %d", r))
	}
	for at := 0; at < len(steps); at += every {
		column := page.Line{Name: fmt.Sprint(steps[at]), Y: make(page.Nums, ranks)}
		for r := range ranks {
			column.Y[r] = h.longest(steps[at:min(len(steps), at+every)], int32(r))
		}
		chart.Series = append(chart.Series, column)
	}
	one.Head, one.Rows = []string{"rank", "median", "longest", "at step", "steps"}, h.rows(steps, ranks)
	var err error
	one.Figure, err = page.Figure(chart)
	return one, err
}

// longest is the longest time of a rank in some steps, in milliseconds.
func (h *heat) longest(steps []int64, rank int32) float64 {
	top := math.NaN()
	for _, step := range steps {
		if v, ok := h.seconds[step][rank]; ok && !(1000*v <= top) {
			top = 1000 * v
		}
	}
	return top
}

// rows say the same in words, for those who do not see the map.
func (h *heat) rows(steps []int64, ranks int) (list []numberRow) {
	for r := range ranks {
		var values []float64
		longest, at := 0., int64(0)
		for _, step := range steps {
			v, ok := h.seconds[step][int32(r)]
			if !ok {
				continue
			}
			values = append(values, v)
			if v > longest {
				longest, at = v, step
			}
		}
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		list = append(list, numberRow{Name: fmt.Sprintf("rank %d", r), Cells: []string{
			unit.Format(values[len(values)/2], unit.Second), unit.Format(longest, unit.Second), fmt.Sprint(at), fmt.Sprint(len(values)),
		}})
	}
	return list
}
