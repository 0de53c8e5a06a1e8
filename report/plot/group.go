package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/plan"
	"assay/report"
)

// A plotCell is one point of one source: where a mark comes from.
type plotCell struct {
	source *plotSource
	point  plan.Point
}

// A plotGroup is the cells of one line.
type plotGroup struct {
	label string
	cells []plotCell
}

// A plotPage is what stands in one figure.
type plotPage struct {
	combined string // the file of all panels
	prefix   string // of the files of single panels
	groups   []plotGroup
}

const byScenario = "traffic_scenario"

// groupPlot sorts the points of the sources into figures and lines. Two sources
// never share a line, whatever the grouping says: their numbers were not measured
// together.
func groupPlot(sources []*plotSource, l Layout, o Options) ([]plotPage, error) {
	cells, err := plotCells(sources, o.Filter)
	if err != nil {
		return nil, err
	}
	key := o.GroupBy
	if key == "scenario" || key == "" && l.theirs {
		key = byScenario
	}
	scenarios := plotScenarios(cells)
	split := !slices.Contains([]string{"", byScenario, "point"}, key) && levelFields[strings.TrimPrefix(key, "num_")].of == nil
	if !split || len(scenarios) < 2 && !l.theirs {
		scenarios = []string{""}
	}
	var pages []plotPage
	for _, scenario := range scenarios {
		here := slices.DeleteFunc(slices.Clone(cells), func(c plotCell) bool {
			return scenario != "" && c.source.scenario(c.point) != scenario
		})
		groups, err := plotGroups(here, key, sources)
		if err != nil {
			return nil, err
		}
		page := plotPage{groups: groups}
		page.prefix, page.combined = plotNames(l, key, scenario)
		pages = append(pages, page)
	}
	return pages, nil
}

// plotCells lists the points of the sources that the filter keeps, by load.
func plotCells(sources []*plotSource, filter []string) ([]plotCell, error) {
	wanted := map[string][]string{}
	for _, f := range filter {
		field, value, ok := strings.Cut(f, "=")
		if !ok {
			return nil, fmt.Errorf("--filter %q: want FIELD=VALUE, such as scenario=D(100,100)", f)
		}
		wanted[field] = append(wanted[field], value)
	}
	var cells []plotCell
	for _, s := range sources {
		points := slices.Clone(s.report.Plan.Points)
		slices.SortStableFunc(points, func(a, b plan.Point) int { return cmp.Compare(plotLevel(a), plotLevel(b)) })
		for _, p := range points {
			keep := true
			for field, values := range wanted {
				value, known := s.groupValue(field, p)
				if !known {
					return nil, fmt.Errorf("--filter %s: run %s has no such field; want %s", field, s.report.RunID, groupKeys(sources))
				}
				keep = keep && slices.Contains(values, value)
			}
			if keep {
				cells = append(cells, plotCell{s, p})
			}
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("--filter %s leaves no point of %d runs", strings.Join(filter, " "), len(sources))
	}
	return cells, nil
}

func plotScenarios(cells []plotCell) []string {
	var list []string
	for _, c := range cells {
		if name := c.source.scenario(c.point); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// plotGroups makes the lines of one figure.
func plotGroups(cells []plotCell, key string, sources []*plotSource) ([]plotGroup, error) {
	type lineKey struct {
		value    string
		source   *plotSource
		scenario string
	}
	of := func(c plotCell) (lineKey, error) {
		k := lineKey{source: c.source}
		if key == "" || key == "side" || key == "run" || key == "name" {
			k.scenario = c.source.scenario(c.point)
		}
		if key == "" {
			return k, nil
		}
		var known bool
		if k.value, known = c.source.groupValue(key, c.point); !known {
			return k, fmt.Errorf("--group-by %q: run %s has no such field; want %s", key, c.source.report.RunID, groupKeys(sources))
		}
		return k, nil
	}
	var order []lineKey
	lines := map[lineKey][]plotCell{}
	for _, c := range cells {
		k, err := of(c)
		if err != nil {
			return nil, err
		}
		if lines[k] == nil {
			order = append(order, k)
		}
		lines[k] = append(lines[k], c)
	}
	several := len(plotScenarios(cells)) > 1
	var groups []plotGroup
	for _, k := range order {
		var alike []*plotSource // lines that only their source tells apart
		for _, other := range order {
			if other.value == k.value && other.scenario == k.scenario {
				alike = append(alike, other.source)
			}
		}
		var parts []string
		if k.value != "" {
			parts = append(parts, groupLabel(key, k.value))
		}
		if name := k.source.label(alike); name != "" {
			parts = append(parts, name)
		}
		if k.scenario != "" && several {
			parts = append(parts, k.scenario)
		}
		label := strings.Join(parts, " · ")
		groups = append(groups, plotGroup{cmp.Or(label, k.source.report.Plan.Name), lines[k]})
	}
	return groups, nil
}

// groupLabel says what value is a value of, where it does not say so itself.
func groupLabel(key, value string) string {
	switch key {
	case byScenario, "run", "run_id", "name", "side", "point", "tool":
		return value
	}
	return key + ": " + value
}

// plotNames are the names of files: genai-bench's for its presets and for layout
// files, which are its users' too.
func plotNames(l Layout, key, scenario string) (prefix, combined string) {
	if l.named != "" && !l.theirs {
		prefix = l.named
		if scenario != "" {
			prefix += "_" + fileName(scenario)
		}
		return prefix, prefix
	}
	switch {
	case key == byScenario || key == "":
		prefix = byScenario
	case key == "none":
		prefix = "single_analysis_" + fileName(scenario)
	case scenario == "":
		prefix = "group_by_" + fileName(key)
	default:
		prefix = fileName(scenario) + "_group_by_" + fileName(key)
	}
	return prefix, fmt.Sprintf("%s_combined_plots_%dx%d", prefix, l.Layout.Rows, l.Layout.Cols)
}

// fileName is a text as genai-bench writes it in names of files, less what no
// file system takes.
func fileName(text string) string {
	return strings.NewReplacer("/", "_", ",", "_", "(", "", ")", "", "\\", "_", ":", "_", "\x00", "", "\n", " ").Replace(text)
}

// sources are those of the page, each once.
func (page plotPage) sources() []*plotSource {
	var list []*plotSource
	for _, g := range page.groups {
		for _, c := range g.cells {
			if !slices.Contains(list, c.source) {
				list = append(list, c.source)
			}
		}
	}
	return list
}

func (page plotPage) points() []plan.Point {
	var list []plan.Point
	for _, g := range page.groups {
		for _, c := range g.cells {
			list = append(list, c.point)
		}
	}
	return list
}

// notes say where the figures come from and how sure they are, why they must not be
// quoted, and whether one of the bundles is not what was sealed.
func (page plotPage) notes() (notes []string, alarm, forged string) {
	var said []*report.Report
	var void []string
	for _, s := range page.sources() {
		r := s.report
		if slices.Contains(said, r) {
			continue
		}
		said = append(said, r)
		note := fmt.Sprintf("%s: %s", r.RunID, plural(len(r.Estimates.Launches), "launch", "launches"))
		if r.Source != nil {
			note += strings.TrimRight(fmt.Sprintf(", as %s %s", r.Source.Tool, r.Source.Version), " ")
		}
		notes = append(notes, note+", "+r.Signature)
		if text := r.Alarm(); text != "" && forged == "" {
			forged = text
		}
		for _, f := range r.Findings {
			if f.Severity == finding.Void && !slices.Contains(void, f.Check) {
				void = append(void, f.Check)
			}
		}
	}
	if len(notes) > 4 {
		notes = append(notes[:3], fmt.Sprintf("and %d more runs", len(notes)-3))
	}
	if len(void) > 0 {
		alarm = "VOID, not to be quoted: " + strings.Join(void, ", ")
	}
	return notes, alarm, forged
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
