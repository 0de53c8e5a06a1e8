package foreign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// A serving is one result of vLLM's serving benchmark or of one that came from
// it: a flat object of settings, figures and, if asked for, lists with an entry
// for each request.
type serving struct {
	numbers map[string]float64
	texts   map[string]string
	lists   lists
}

// readServing reads all results of a file: one, or one on each line.
func readServing(file File, want string, each func(serving) error) error {
	var one serving
	return file.walk(want,
		func() { one = serving{numbers: map[string]float64{}, texts: map[string]string{}} },
		func(key string, from *json.Decoder) (bool, error) {
			if taken, err := one.lists.take(key, from); taken || err != nil {
				return taken, err
			}
			value, err := scalar(from)
			switch value := value.(type) {
			case float64:
				one.numbers[key] = value
			case string:
				one.texts[key] = value
			}
			return true, err
		},
		func() error { return each(one) })
}

// check wants what every result of the kind has.
func (s serving) check(want string) error {
	for _, name := range []string{"duration", "completed", "request_throughput"} {
		if v, ok := s.numbers[name]; !ok || !finite(v) || v < 0 {
			return fmt.Errorf("%s is missing or no number from 0 up, want %s", name, want)
		}
	}
	if d := s.numbers["duration"]; !(d > 0 && d < mostSeconds) {
		return fmt.Errorf("duration is %v s, want it above 0 and below %g s", d, mostSeconds)
	}
	if s.backend() == "" {
		return errors.New("backend is missing: want " + want)
	}
	for _, name := range []string{"max_concurrency", "multi_turn_concurrency"} {
		if c, ok := s.numbers[name]; ok && (c != math.Trunc(c) || c < 1 || c > 1e6) {
			return fmt.Errorf("%s is %v, want 1 to 1000000", name, c)
		}
	}
	if r, ok := s.numbers["request_rate"]; ok && !(r > 0 && r <= 1e6) {
		return fmt.Errorf("request_rate is %v requests/s, want above 0 and at most 1000000, or inf", r)
	}
	return nil
}

func (s serving) backend() string {
	if b := s.texts["backend"]; b != "" {
		return b
	}
	return s.texts["endpoint_type"]
}

// open reports whether requests left at times of their own.
func (s serving) open() bool { return s.numbers["request_rate"] > 0 }

// load is the load that the result was measured at. Without a rate and a limit
// all requests were sent at once.
func (s serving) load() Point {
	rate, limit := s.numbers["request_rate"], int(cmp.Or(s.numbers["max_concurrency"], s.numbers["multi_turn_concurrency"]))
	switch {
	case rate > 0 && limit > 0:
		return Point{Rate: rate, Name: fmt.Sprintf("rate=%g/s at most %d", rate, limit)}
	case rate > 0:
		return Point{Rate: rate}
	case limit > 0:
		return Point{Concurrency: limit}
	}
	total := max(1, int(s.numbers["completed"]+s.numbers["failed"]))
	return Point{Concurrency: min(total, 1e6), Name: fmt.Sprintf("all %d at once", total)}
}

// result is what the object says about its load.
func (s serving) result(figures []servingFigure) (result, error) {
	out := result{point: s.load(), measured: Measured{Duration: time.Duration(nanoseconds(s.numbers["duration"])), Stated: s.stated()}}
	if s.lists.detailed() {
		if err := s.lists.fill(&out.measured, s.open()); err != nil {
			return out, err
		}
	}
	for _, f := range figures {
		if v, ok := s.numbers[f.name]; ok && finite(v) {
			out.measured.Reported = append(out.measured.Reported, f.says(f.name, "value", v))
		}
	}
	return out, nil
}

// stated is what the object says beside its lists. Lengths are asked for by the
// settings of SGLang's random data, which draws them from a share of the asked one
// up to all of it.
func (s serving) stated() bundle.Stated {
	of := func(name string) float64 { return max(0, s.numbers[name]) }
	out := bundle.Stated{AskedRequests: of("num_prompts"), Completed: of("completed"), Seconds: of("duration")}
	if counted := math.Round(of("request_throughput") * out.Seconds); counted > 0 && finite(counted) {
		out.Completed, out.Statistics = counted, of("completed")
	}
	if least, ok := s.numbers["random_range_ratio"]; ok && least >= 0 && least <= 1 && strings.HasPrefix(s.texts["dataset_name"], "random") {
		out.AskedInput, out.AskedOutput = of("random_input_len")*(1+least)/2, of("random_output_len")*(1+least)/2
	}
	return out
}

// servingNamed reads the load in the name that vLLM gives a result, such as
// openai-chat-infqps-concurrency16-model-20261115-130603.json.
var servingNamed = regexp.MustCompile(`-(inf|[0-9.]+)qps(?:-concurrency([0-9]+))?-`)

// nameOf adds what the name of the file says to what is stated.
func nameOf(s bundle.Stated, file string) bundle.Stated {
	s.File = file
	if found := servingNamed.FindStringSubmatch(file); found != nil {
		s.NamedConcurrency, _ = strconv.ParseFloat(found[2], 64) // 0 for none
		if rate, err := strconv.ParseFloat(found[1], 64); err == nil && finite(rate) {
			s.NamedRate = rate
		}
	}
	return s
}

// A servingFigure is a figure and the field that it stands in.
type servingFigure struct {
	name string
	figure
}

var servingStatistic = regexp.MustCompile(`^(mean|median|std|max|p[0-9.]+)_(.+)_ms$`)

// statistics are the figures with a statistic in their name, such as
// p99_ttft_ms, in the order of the statistics.
func (s serving) statistics(meanings []servingFigure) (list []record.Reported) {
	for _, meaning := range meanings {
		for _, key := range slices.Sorted(maps.Keys(s.numbers)) {
			found := servingStatistic.FindStringSubmatch(key)
			if found == nil || found[2] != meaning.name || !finite(s.numbers[key]) {
				continue
			}
			statistic := found[1]
			if statistic == "median" {
				statistic = "p50"
			}
			meaning.unit, meaning.scale = unit.Second, 1e-3
			list = append(list, meaning.says(key, statistic, s.numbers[key]))
		}
	}
	return list
}

// chat reports whether answers were asked of a chat API, where the first event of
// many servers names the role and says nothing.
func (s serving) chat() bool { return strings.Contains(s.backend(), "chat") }

// gaps are what the result does not tell for want of lists.
func (s serving) gaps() []bundle.Gap {
	if !s.lists.detailed() {
		return []bundle.Gap{
			{ID: bundle.GapRequests, Detail: "the result holds summaries alone: nothing can be computed again. The tool keeps single requests only when asked to"},
			{ID: bundle.GapErrors, Detail: "how requests failed is not reported, only how many succeeded"},
		}
	}
	var list []bundle.Gap
	if len(s.lists.starts) == 0 {
		list = append(list, bundle.Gap{ID: bundle.GapSendTimes, Detail: "no request has a start time: there is no time series, no steady state and no time in flight"})
	}
	return list
}

// begin reads the files of a tool's result; what they say is for the tool to tell.
func begin(tool string, paths []string, want string) (m Import, err error) {
	if err := nothing(paths, want); err != nil {
		return m, err
	}
	m.Source.Tool, m.Environment = tool, record.Environment{}
	m.Files, err = loadAll(paths)
	return m, err
}

// loadAll reads the files of paths, giving them names that differ.
func loadAll(paths []string) ([]File, error) {
	var list []File
	for i, path := range paths {
		file, err := Load(path)
		if err != nil {
			return nil, err
		}
		for _, other := range list {
			if other.Name == file.Name {
				file.Name = fmt.Sprintf("%d/%s", i, filepath.Base(path))
			}
		}
		list = append(list, file.redacted())
	}
	return list, nil
}
