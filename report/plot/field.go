package plot

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// A Value is one number of one point with its interval. Both ends of what was
// set and not measured are the value itself.
type Value struct {
	Value    float64        `json:"value"`
	Interval stats.Interval `json:"interval"`
}

func exactly(v float64) Value { return Value{v, stats.Interval{Lo: v, Hi: v}} }

// A plotField is something that an axis can show.
type plotField struct {
	path  string // as it was asked for
	name  string // as an axis is called by default, without the unit
	unit  unit.Unit
	level bool // set and not measured

	metric    string // id of the definition; empty for what is none
	statistic string
	at        func(s *plotSource, p plan.Point) (Value, bool)
}

// A levelField is what the plan sets at a point.
type levelField struct {
	name string
	unit unit.Unit
	of   func(p plan.Point) float64
}

var levelFields = map[string]levelField{
	"concurrency": {"concurrency", unit.Ratio, func(p plan.Point) float64 { return float64(p.Concurrency) }},
	"rate":        {"offered rate", unit.RequestPerSecond, func(p plan.Point) float64 { return p.Rate }},
	"batch_size":  {"batch size", unit.Ratio, func(p plan.Point) float64 { return float64(p.BatchSize) }},
	"level":       {"load", unit.Ratio, plotLevel},
}

// plotLevel is what the plan varies at p: documents of a request where it sweeps
// those, users, or requests per second.
func plotLevel(p plan.Point) float64 {
	switch {
	case p.BatchSize > 0:
		return float64(p.BatchSize)
	case p.Concurrency > 0:
		return float64(p.Concurrency)
	}
	return p.Rate
}

// levelName says what plotLevel is, where all points agree on it.
func levelName(points []plan.Point) string {
	name := ""
	for _, p := range points {
		here := "offered rate (req/s)"
		switch {
		case p.BatchSize > 0:
			here = "batch size"
		case p.Concurrency > 0:
			here = "concurrency"
		}
		if name != "" && name != here {
			return "load (users or req/s)"
		}
		name = here
	}
	return name
}

// countFields are numbers of measured requests over all launches.
var countFields = map[string]struct {
	name string
	of   func(all, failed int) int
}{
	"requests":  {"measured requests", func(all, _ int) int { return all }},
	"errors":    {"failed requests", func(_, failed int) int { return failed }},
	"completed": {"successful requests", func(all, failed int) int { return all - failed }},
}

// perGPU is the name of the field that divides the output throughput by the number of
// GPUs, which a bundle may not know.
const perGPU = "output_throughput_per_gpu"

func perGPUField(path string) plotField {
	return plotField{path: path, name: "output throughput per GPU", unit: unit.TokenPerSecond, statistic: "value", at: func(s *plotSource, p plan.Point) (Value, bool) {
		row, ok := s.rows[rowKey{metric.OutputThroughput.ID, "value", p.Index}]
		n := float64(s.report.GPUs())
		if !ok || n == 0 {
			return Value{}, false
		}
		return Value{row.Value / n, stats.Interval{Lo: row.Interval.Lo / n, Hi: row.Interval.Hi / n}}, true
	}}
}

// theirFields are the names of genai-bench's aggregated metrics, and what assay
// calls the same thing. Where several are given the first that a bundle has is
// drawn: the first byte of speech is its TTFT.
var theirFields = map[string][]string{
	"num_concurrency":                           {"concurrency"},
	"num_requests":                              {"requests"},
	"num_error_requests":                        {"errors"},
	"num_completed_requests":                    {"completed"},
	"requests_per_second":                       {"request_throughput"},
	"mean_output_throughput_tokens_per_s":       {"output_throughput"},
	"mean_input_throughput_tokens_per_s":        {"input_throughput"},
	"mean_total_tokens_throughput_tokens_per_s": {"total_throughput"},
	"stats.ttft":                                {"ttft", "first_byte"},
	"stats.tpot":                                {"tpot_done", "tpot"},
	"stats.e2e_latency":                         {"e2e"},
	"stats.output_latency":                      {"output_latency"},
	"stats.output_inference_speed":              {"user_speed"},
	"stats.output_throughput":                   {"user_speed"},
	"stats.input_throughput":                    {"prefill_speed"},
	"stats.num_reasoning_tokens":                {"reasoning_tokens"},
	"stats.num_input_tokens":                    {},
	"stats.num_output_tokens":                   {},
	"stats.total_tokens":                        {},
	"stats.audio_throughput":                    {},
}

// statistics are what assay estimates of a distribution.
var statistics = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}

var fieldPath = regexp.MustCompile(`^(.+?)(?:\.v\d+)?(?:\.(mean|min|max|sum|stddev|value|p\d+(?:\.\d+)?))?$`)

// resolveField finds what path names; bare is the statistic of distributions that
// come without one.
func resolveField(path, bare string) (plotField, error) {
	m := fieldPath.FindStringSubmatch(path)
	if m == nil {
		return plotField{}, fmt.Errorf("the name of a field is missing")
	}
	base, statistic := m[1], m[2]
	if ours, theirs := theirFields[base]; theirs {
		return aliasField(path, base, statistic, bare, ours)
	}
	return ownField(path, base, statistic, bare)
}

// aliasField is a field of genai-bench: ours where assay has it, else the figure
// as the tool reported it.
func aliasField(path, base, statistic, bare string, ours []string) (plotField, error) {
	if statistic == "" && strings.HasPrefix(base, "stats.") {
		statistic = bare
	}
	var fields []plotField
	if statistic != "" && !slices.Contains(statistics, statistic) {
		ours = nil // p25 and the like: only where the tool reported it
	}
	for _, name := range ours {
		f, err := ownField(path, name, statistic, bare)
		if err != nil {
			return plotField{}, err
		}
		fields = append(fields, f)
	}
	short := strings.TrimPrefix(base, "stats.")
	whole := plotField{path: path, name: strings.TrimSpace(strings.ReplaceAll(short, "_", " ") + " " + statistic), unit: unit.Ratio, statistic: statistic}
	if len(fields) > 0 {
		whole = fields[0]
	}
	whole.at = func(s *plotSource, p plan.Point) (Value, bool) {
		for _, f := range fields {
			if v, ok := f.at(s, p); ok {
				return v, true
			}
		}
		return s.reported(p.Index, statistic, base, short, path)
	}
	return whole, nil
}

// ownField is a field by assay's name.
func ownField(path, base, statistic, bare string) (plotField, error) {
	if l, ok := levelFields[base]; ok && !strings.Contains(path, ".v") {
		if statistic != "" {
			return plotField{}, fmt.Errorf("field %q: %s is set and has no statistics; want %s (or %s.v1, which was measured)", path, base, base, base)
		}
		return plotField{path: path, name: l.name, unit: l.unit, level: true, at: func(_ *plotSource, p plan.Point) (Value, bool) {
			return exactly(l.of(p)), l.of(p) > 0
		}}, nil
	}
	if c, ok := countFields[base]; ok && statistic == "" {
		return plotField{path: path, name: c.name, unit: unit.Ratio, at: func(s *plotSource, p plan.Point) (Value, bool) {
			all, failed := s.outcomes(p.Index)
			return exactly(float64(c.of(all, failed))), all > 0
		}}, nil
	}
	if base == perGPU && statistic == "" {
		return perGPUField(path), nil
	}
	i := slices.IndexFunc(metric.All, func(m metric.Metric) bool { return metricName(m) == base && !m.OnceALaunch() })
	if i < 0 {
		return plotField{}, fmt.Errorf("field %q: %s", path, nearFields(path))
	}
	return metricField(path, metric.All[i], statistic, bare)
}

func metricField(path string, m metric.Metric, statistic, bare string) (plotField, error) {
	spread := m.Distributed()
	switch {
	case spread && statistic == "":
		statistic = bare
	case !spread && statistic != "" && statistic != "value":
		return plotField{}, fmt.Errorf("field %q: %s has one value for each window and no statistics; want %s", path, metricName(m), metricName(m))
	case !spread:
		statistic = "value"
	}
	if spread && !slices.Contains(statistics, statistic) {
		return plotField{}, fmt.Errorf("field %q: assay estimates %s; %s it does not", path, strings.Join(statistics, ", "), statistic)
	}
	f := plotField{path: path, name: m.Name, unit: m.Unit, metric: m.ID, statistic: statistic}
	if spread {
		f.name = m.Name + " " + statistic
	}
	f.at = func(s *plotSource, p plan.Point) (Value, bool) {
		if row, ok := s.rows[rowKey{m.ID, statistic, p.Index}]; ok {
			return Value{row.Value, row.Interval}, true
		}
		return s.reportedAs(p.Index, statistic, m.ID)
	}
	return f, nil
}

// metricName is the id without its version: the name of a field.
func metricName(m metric.Metric) string {
	name, _, _ := strings.Cut(m.ID, ".")
	return name
}

// nearFields says what a wrong name may have meant.
func nearFields(path string) string {
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	for _, f := range Fields(nil) {
		list = append(list, candidate{f.Name, plotDistance(strings.ToLower(path), strings.ToLower(f.Name))})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.distance - b.distance })
	var near []string
	for _, c := range list[:min(3, len(list))] {
		if c.distance <= max(2, len(path)/2) {
			near = append(near, c.name)
		}
	}
	if len(near) == 0 {
		return "unknown; --list-fields shows all"
	}
	return "unknown; did you mean " + strings.Join(near, ", ") + "? --list-fields shows all"
}

// plotDistance counts the insertions, deletions and replacements that turn a
// into b.
func plotDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
