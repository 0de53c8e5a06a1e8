package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"assay/metric"
	"assay/unit"
	"assay/warehouse"
)

// spent are the units of what a run spends.
var spent = []struct {
	unit  unit.Unit
	title string
	lacks string // what to give where no run has it
}{
	{unit.Dollar, "Cost", "Give spec.cost.gpuHourlyUSD and gpuCount for what hardware costs, or inputPerMillionUSD and outputPerMillionUSD for a price list."},
	{unit.Joule, "Energy", "The power of GPUs is read by assay itself where NVML is. Elsewhere give spec.cost.powerWatts, and pue for the building."},
	{unit.Gram, "Carbon", "Give spec.cost.gramsCO2PerKWh beside the power."},
}

// spentMetrics are the results in a unit, with the statistics that they come with.
func spentMetrics(u unit.Unit) (list []string) {
	for _, m := range metric.All {
		if m.Unit == u {
			list = append(list, m.ID+":value", m.ID+":mean", m.ID+":p50")
		}
	}
	return list
}

// economyPage shows what the newest run of each workload, system and machine spends.
func (s *Server) economyPage(c *Call) error {
	f, err := runFilter(c)
	if err != nil {
		return err
	}
	fields, err := s.filters(c, "model", "system", "testbed", "name")
	if err != nil {
		return err
	}
	var sections []section
	for _, one := range spent {
		runs, figures, err := s.read.Frontier(c.context(), f, spentMetrics(one.unit))
		if err != nil {
			return err
		}
		part := section{ID: strings.ToLower(one.title), Title: one.title, Head: []string{"run", "point", "result", "value and interval", "n"}, Rows: figureRows(runs, figures, longName)}
		if len(part.Rows) == 0 {
			part.Lines = []string{"No run that fits tells it. " + one.lacks}
		}
		sections = append(sections, part)
	}
	return s.page(c, http.StatusOK, "economy", struct {
		frame
		Filters  []filter
		Sections []section
	}{frameOf(c, "Cost and energy"), fields, sections})
}

// figureRows are figures by run, each leading to where it comes from.
func figureRows(runs []warehouse.RunRow, figures []warehouse.Figure, name func(warehouse.RunRow) string) (list []numberRow) {
	for _, run := range runs {
		for _, f := range figures {
			if f.Digest == run.Digest {
				list = append(list, numberRow{Run: shortDigest(run.Digest), Name: name(run), Of: unit.Format(f.Value, unit.Unit(f.Unit)), Cells: []string{
					strings.TrimSpace(f.Point + " " + f.Side), metricName(f.Metric), figureText(f), strconv.Itoa(f.N),
				}})
			}
		}
	}
	return list
}

func longName(r warehouse.RunRow) string { return r.Name + " · " + r.System + " on " + r.Testbed }

// shortName is for where the system stands above.
func shortName(r warehouse.RunRow) string { return r.Name }

// metricName is a result as people call it.
func metricName(id string) string {
	if i := slices.IndexFunc(metric.All, func(m metric.Metric) bool { return m.ID == id }); i >= 0 {
		return metric.All[i].Name
	}
	return id
}

// A standing is one system: how good its answers are, and how fast they come.
type standing struct {
	System, Model string
	Scores        []numberRow
	Speeds        []numberRow
}

// qualityPage puts the scores of a system beside its speed, whichever runs they come from:
// a change that makes answers faster and worse is seen in one place.
func (s *Server) qualityPage(c *Call) error {
	f, err := runFilter(c)
	if err != nil {
		return err
	}
	fields, err := s.filters(c, "model", "system", "testbed", "name")
	if err != nil {
		return err
	}
	graded, scores, err := s.read.Scores(c.context(), f)
	if err != nil {
		return err
	}
	var wanted []string
	for _, m := range []metric.Metric{metric.TTFT, metric.TPOT, metric.E2E, metric.OutputThroughput} {
		wanted = append(wanted, m.ID+":p50", m.ID+":value")
	}
	timed, speeds, err := s.read.Frontier(c.context(), f, wanted)
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, "quality", struct {
		frame
		Filters   []filter
		Standings []standing
	}{frameOf(c, "Quality beside speed"), fields, standings(graded, scores, timed, speeds)})
}

// standings gathers runs by system and model.
func standings(graded []warehouse.RunRow, scores []warehouse.Figure, timed []warehouse.RunRow, speeds []warehouse.Figure) (list []standing) {
	of := func(run warehouse.RunRow) *standing {
		i := slices.IndexFunc(list, func(s standing) bool { return s.System == run.System && s.Model == run.Model })
		if i < 0 {
			list = append(list, standing{System: run.System, Model: run.Model})
			i = len(list) - 1
		}
		return &list[i]
	}
	for _, run := range graded {
		one := of(run)
		one.Scores = append(one.Scores, figureRows([]warehouse.RunRow{run}, scores, shortName)...)
	}
	for _, run := range timed {
		one := of(run)
		one.Speeds = append(one.Speeds, figureRows([]warehouse.RunRow{run}, speeds, shortName)...)
	}
	// Systems of which both are known come first.
	slices.SortStableFunc(list, func(a, b standing) int { return a.lacks() - b.lacks() })
	return list
}

func (s standing) lacks() (n int) {
	if len(s.Scores) == 0 {
		n++
	}
	if len(s.Speeds) == 0 {
		n++
	}
	return n
}
