package foreign

import (
	"fmt"
	"regexp"
	"strings"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// summary is the folder as one point of one launch.
func (l *mlperfLog) summary() summary {
	scenario := l.text("effective_scenario")
	s := summary{point: Point{Name: scenario}}
	switch qps, ok := l.number("effective_target_qps"); {
	case scenario == "Server" && ok && qps > 0:
		s.point.Rate = qps
		s.point.Name = fmt.Sprintf("%s rate=%g/s", scenario, qps)
	case scenario == "SingleStream":
		s.point.Concurrency = 1
	}
	if mode := l.text("effective_test_mode"); mode == "AccuracyOnly" {
		s.point.Name += " accuracy"
		s.point.Rate = 0
	}
	if !l.began.IsZero() && l.end.After(l.began) {
		s.measured.Duration = l.end.Sub(l.began)
	}
	s.measured.Reported, s.measured.Stated = l.figures(scenario), l.stated()
	return s
}

// stated is how many queries LoadGen made, and how many its result counts.
func (l *mlperfLog) stated() bundle.Stated {
	made, _ := l.number("generated_query_count")
	counted, _ := l.number("result_query_count")
	return bundle.Stated{File: mlperfDetail, AskedRequests: max(0, made), Completed: max(0, counted)}
}

// figures are the results, as LoadGen computed them.
func (l *mlperfLog) figures(scenario string) (list []record.Reported) {
	invalid := l.text("result_validity") == "INVALID"
	if invalid {
		l.notes = append(l.notes, fmt.Sprintf("%s: LoadGen calls the run INVALID: %s", l.folder, l.why()))
	}
	for _, key := range l.order {
		v, ok := l.number(key)
		if !ok || !strings.HasPrefix(key, "result_") {
			continue
		}
		f := mlperfFigure(key, scenario)
		f.Value = v / f.Value
		if rate := strings.Contains(key, "_per_sec"); invalid && rate {
			f.Wrong = "LoadGen calls the run INVALID: it is no result of MLPerf"
		}
		if limit, known := l.number("effective_target_latency_ns"); key == "result_overlatency_query_count" && known && limit == 0 {
			f.Wrong = "the limit of the whole latency is 0 where only tokens are limited: every query counts as over it"
		}
		list = append(list, f)
	}
	if l.samples != nil {
		list = append(list,
			record.Reported{Name: "samples in " + mlperfAccuracy, Statistic: "value", Value: float64(*l.samples), Unit: string(unit.Request), Definition: "answers that the harness gave, to be graded"},
			record.Reported{Name: "token_count in " + mlperfAccuracy, Statistic: "sum", Value: l.tokens, Unit: string(unit.Token), Definition: "tokens of those answers, by the harness"})
	}
	return list
}

// why is the reason of an invalid run in the log's own words.
func (l *mlperfLog) why() string {
	var parts []string
	for _, key := range []string{"result_perf_constraints_met", "result_min_duration_met", "result_min_queries_met", "early_stopping_met"} {
		if met, ok := l.values[key].(bool); ok && !met {
			parts = append(parts, key+" is false")
		}
	}
	for _, key := range []string{"result_invalid_reason", "early_stopping_ttft_result", "early_stopping_tpot_result"} {
		if said := strings.Join(strings.Fields(l.text(key)), " "); said != "" {
			parts = append(parts, said)
		}
	}
	if len(parts) == 0 {
		return "it does not say why"
	}
	return strings.Join(parts, "; ")
}

var mlperfPercentile = regexp.MustCompile(`(\d+)\.(\d+)_percentile`)

// mlperfFigure says what a key of the log means. Its value is how many of its
// unit are one of ours.
func mlperfFigure(key, scenario string) record.Reported {
	f := record.Reported{Name: key, Statistic: "value", Value: 1, Unit: string(unit.Ratio), Definition: "as LoadGen logs it"}
	switch found := mlperfPercentile.FindStringSubmatch(key); {
	case found != nil:
		f.Statistic = "p" + found[1]
		if rest := strings.TrimRight(found[2], "0"); rest != "" {
			f.Statistic += "." + rest
		}
	case strings.Contains(key, "_min"):
		f.Statistic = "min"
	case strings.Contains(key, "_max"):
		f.Statistic = "max"
	case strings.Contains(key, "_mean"):
		f.Statistic = "mean"
	}
	const due = "from when the sample was due"
	from, metrics := "from when the sample was issued", scenario == "Server"
	if metrics {
		from = due
	}
	seconds := func(id, what string) {
		f.Value, f.Unit, f.Definition = 1e9, string(unit.Second), what
		if metrics && f.Statistic != "min" && f.Statistic != "max" {
			f.Metric = id
		}
	}
	switch {
	case key == "result_token_throughput":
		f.Unit, f.Wrong = string(unit.TokenPerSecond), "it divides by nanoseconds and is no rate"
	case key == "result_token_throughput_with_loadgen_overhead":
		f.Unit, f.Definition = string(unit.TokenPerSecond), "tokens / time from the first issue to the end of the run"
	case strings.HasSuffix(key, "tokens_per_second"):
		f.Unit, f.Definition = string(unit.TokenPerSecond), "tokens of completed samples / time to the last of them, as the harness counts tokens"
	case strings.Contains(key, "samples_per_sec"):
		f.Statistic, f.Unit, f.Definition = "value", string(unit.RequestPerSecond), mlperfRates[key]
	case strings.HasSuffix(key, "_count"):
		f.Statistic, f.Unit, f.Definition = "value", string(unit.Request), "queries"
	case strings.Contains(key, "first_token"):
		seconds("ttft.v2", from+" to its first token")
	case strings.Contains(key, "output_token"): // per output token, or to output token up to 5.1
		seconds("tpot_done.v1", "(end − first token) / (tokens − 1) of a sample")
	case strings.Contains(key, "latency"):
		seconds("e2e.v2", from+" to its end")
	case strings.HasSuffix(key, "_ns"):
		seconds("", "as LoadGen logs it")
	}
	return f
}

// mlperfRates are what the rates of samples are.
var mlperfRates = map[string]string{
	"result_scheduled_samples_per_sec": "(samples − 1) / time from the first to the last that was due",
	"result_completed_samples_per_sec": "(samples − 1) / time of the last query",
	"result_samples_per_second":        "samples / time to the last answer",
}
