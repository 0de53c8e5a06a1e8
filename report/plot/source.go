package plot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// A plotSource is one side of one run: what a line of a plot comes from.
type plotSource struct {
	report *report.Report
	side   string // empty in a run of one side
	rows   map[rowKey]metric.Row
	tree   any // the resolved document as JSON, for fields such as spec.target.model
}

type rowKey struct {
	metric, statistic string
	point             int
}

// plotSources lists the sides of every report, in the order given.
func plotSources(reports []report.Report) ([]*plotSource, error) {
	var list []*plotSource
	for i := range reports {
		r := &reports[i]
		data, err := json.Marshal(r.Plan.Run)
		if err != nil {
			return nil, err
		}
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			return nil, err
		}
		for _, side := range plotSides(r) {
			s := &plotSource{report: r, side: side, tree: tree, rows: map[rowKey]metric.Row{}}
			for _, row := range r.Estimates.Rows {
				if row.Side == side {
					s.rows[rowKey{row.Metric, row.Statistic, row.Point}] = row
				}
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// plotSides are the sides of a run, one without a name where it has but one.
func plotSides(r *report.Report) []string {
	sides := r.Plan.Sides()
	if len(sides) < 2 {
		return []string{""}
	}
	var names []string
	for _, s := range sides {
		names = append(names, s.Name)
	}
	return names
}

// outcomes counts the measured requests of a point and those of them that failed.
func (s *plotSource) outcomes(point int) (all, failed int) {
	for _, o := range s.report.Estimates.Outcomes {
		if o.Point != point || o.Side != s.side {
			continue
		}
		for outcome, n := range o.Counts {
			if outcome.Failure() {
				failed += n
			}
			if outcome.Failure() || outcome == record.OK {
				all += n
			}
		}
	}
	return all, failed
}

// reported is a figure that another tool gave by one of the names, over launches as
// every estimate is. One that is known to be wrong is not drawn.
func (s *plotSource) reported(point int, statistic string, names ...string) (Value, bool) {
	return s.findReported(point, statistic, func(f record.Reported) bool { return slices.Contains(names, f.Name) })
}

// reportedAs is a figure that another tool gave by the same definition as ours.
func (s *plotSource) reportedAs(point int, statistic, id string) (Value, bool) {
	return s.findReported(point, statistic, func(f record.Reported) bool { return f.Metric == id })
}

func (s *plotSource) findReported(point int, statistic string, match func(record.Reported) bool) (Value, bool) {
	var values []float64 // one for each launch that says it
	for _, f := range s.report.Reported {
		if f.Point == point && f.Wrong == "" && match(f) && (f.Statistic == statistic || statistic == "" && f.Statistic == "value") {
			values = append(values, f.Value)
		}
	}
	if len(values) == 0 {
		return Value{}, false
	}
	e, err := stats.Mean(values, s.report.Estimates.Confidence)
	return Value{e.Value, e.Interval}, err == nil
}

// label says what keeps the source apart from others: the parts of it that differ
// among them.
func (s *plotSource) label(among []*plotSource) string {
	var parts []string
	differ := func(of func(*plotSource) string) bool {
		return slices.ContainsFunc(among, func(o *plotSource) bool { return of(o) != of(s) })
	}
	run := func(o *plotSource) string { return o.report.RunID }
	name := func(o *plotSource) string { return o.report.Plan.Name }
	if differ(run) {
		same := slices.ContainsFunc(among, func(o *plotSource) bool { return run(o) != run(s) && name(o) == name(s) })
		if same {
			parts = append(parts, run(s))
		} else {
			parts = append(parts, name(s))
		}
	}
	if differ(func(o *plotSource) string { return o.side }) && s.side != "" {
		parts = append(parts, s.side)
	}
	return strings.Join(parts, " · ")
}

// scenario is the shape of the requests of a point.
func (s *plotSource) scenario(p plan.Point) string {
	if p.Scenario != "" {
		return p.Scenario
	}
	if w := s.report.Plan.Workload(); w.Prompt.Scenario != "" {
		return w.Prompt.Scenario
	} else if len(w.SequenceLengthMix) == 1 {
		return fmt.Sprintf("D(%d,%d)", w.SequenceLengthMix[0].InputTokens, w.SequenceLengthMix[0].OutputTokens)
	}
	return "mixed lengths"
}

// groupValue is the text of a grouping field at a point.
func (s *plotSource) groupValue(key string, p plan.Point) (string, bool) {
	switch key {
	case "none":
		return "", true
	case "scenario", "traffic_scenario":
		return s.scenario(p), true
	case "side":
		return cmp.Or(s.side, "one side"), true
	case "run", "run_id":
		return s.report.RunID, true
	case "name":
		return s.report.Plan.Name, true
	case "point":
		return p.Name, true
	case "model", "api_model_name":
		return s.report.Plan.Workload().Model, true
	case "tool":
		if s.report.Source != nil {
			return s.report.Source.Tool, true
		}
		return "assay", true
	}
	if l, ok := levelFields[strings.TrimPrefix(key, "num_")]; ok {
		return strconv.FormatFloat(l.of(p), 'g', -1, 64), true
	}
	if of, ok := systemFields[key]; ok {
		if v := of(s.report.Plan.Run.SystemOf(s.report.Plan.Target())); v != "" {
			return v, true
		}
	}
	if v, ok := s.report.Plan.Run.Metadata.Labels[key]; ok {
		return v, true
	}
	return plotPath(s.tree, strings.Split(key, "."))
}

// systemFields are what is declared about the target, by the names that genai-bench
// gives them.
var systemFields = map[string]func(spec.System) string{
	"server_engine":   func(s spec.System) string { return s.Engine },
	"server_version":  func(s spec.System) string { return s.Version },
	"server_gpu_type": func(s spec.System) string { return s.GPUType },
	"server_gpu_count": func(s spec.System) string {
		if s.GPUCount == 0 {
			return ""
		}
		return strconv.Itoa(s.GPUCount)
	},
}

// plotPath follows names and indexes into a document.
func plotPath(tree any, path []string) (string, bool) {
	for i, name := range path {
		switch node := tree.(type) {
		case map[string]any:
			// Names may hold dots themselves, as labels do: what is left is tried whole.
			if whole, found := node[strings.Join(path[i:], ".")]; found {
				return plotText(whole), true
			}
			next, found := node[name]
			if !found {
				return "", false
			}
			tree = next
		case []any:
			k, err := strconv.Atoi(name)
			if err != nil || k < 0 || k >= len(node) {
				return "", false
			}
			tree = node[k]
		default:
			return "", false
		}
	}
	return plotText(tree), true
}

func plotText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// groupKeys names what lines can be grouped by, for the message about one that
// does not exist.
func groupKeys(sources []*plotSource) string {
	keys := []string{"scenario", "none", "side", "run", "name", "model", "tool", "point", "concurrency", "rate", "batch_size"}
	for _, s := range sources {
		for label := range s.report.Plan.Run.Metadata.Labels {
			if !slices.Contains(keys, label) {
				keys = append(keys, label)
			}
		}
	}
	slices.Sort(keys[11:])
	return strings.Join(keys, ", ") + ", or a path into the spec such as spec.target.model"
}

// A Field is a field that a panel may name.
type Field struct {
	Name  string    `json:"name"`
	Unit  unit.Unit `json:"unit"`
	Means string    `json:"means"` // our name where the field is another tool's
	Has   int       `json:"has"`   // points of the bundles that have it
}

// Fields lists every field; with reports those only that they have a figure
// for.
func Fields(reports []report.Report) []Field {
	sources, err := plotSources(reports)
	if err != nil {
		return nil
	}
	var list []Field
	add := func(path string) {
		f, err := resolveField(path, "mean")
		if err != nil {
			return
		}
		has := 0
		for _, s := range sources {
			for _, p := range s.report.Plan.Points {
				if _, ok := f.at(s, p); ok {
					has++
				}
			}
		}
		if has > 0 || len(reports) == 0 {
			list = append(list, Field{path, f.unit, f.name, has})
		}
	}
	for _, name := range fieldNames() {
		add(name)
	}
	return list
}

// fieldNames are all names in the order that people look for them: levels,
// our metrics, then genai-bench's.
func fieldNames() []string {
	names := []string{"concurrency", "rate", "batch_size", "level", "requests", "errors", "completed", perGPU}
	for _, m := range metric.All {
		switch {
		case m.OnceALaunch():
		case m.Distributed():
			for _, statistic := range statistics {
				names = append(names, metricName(m)+"."+statistic)
			}
		default:
			names = append(names, metricName(m))
		}
	}
	var theirs []string
	for name := range theirFields {
		if !strings.HasPrefix(name, "stats.") {
			theirs = append(theirs, name)
			continue
		}
		for _, statistic := range statistics[:5] {
			theirs = append(theirs, name+"."+statistic)
		}
	}
	slices.Sort(theirs)
	return append(names, theirs...)
}
