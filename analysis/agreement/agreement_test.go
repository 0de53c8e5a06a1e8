package agreement

import (
	"strings"
	"testing"

	"assay/metric"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// estimated is one of our results, of n values in one launch.
func estimated(id, statistic string, value float64, of unit.Unit, n int, warnings ...string) metric.Row {
	return metric.Row{
		Metric: id, Statistic: statistic, Unit: of, Estimate: stats.Estimate{Value: value, Warnings: warnings},
		PerLaunch: []metric.LaunchValue{{Value: value, N: n}},
	}
}

func said(name, statistic string, value float64, of unit.Unit) record.Reported {
	return record.Reported{Name: name, Statistic: statistic, Value: value, Unit: string(of)}
}

// A reason is given where our own definition of it gives the tool's number, and no
// reason where nothing does.
func TestReasons(t *testing.T) {
	const s, tok, req = unit.Second, unit.TokenPerSecond, unit.RequestPerSecond
	wrong := said("mean_output_throughput_tokens_per_s", "value", 115, tok)
	wrong.Wrong = "the tokens of cut requests are left out"
	counts := []metric.Count{{Of: metric.OfAnswer, Ours: 58.4, Server: 45.4}}
	for _, tt := range []struct {
		name, tool string
		reported   []record.Reported
		ours       []metric.Row
		counts     []metric.Count
		want       string // empty: they agree
	}{
		{"the same", "aiperf", []record.Reported{said("time_to_first_token", "mean", .0286, s)}, []metric.Row{estimated("ttft.v2", "mean", .0285, s, 9)}, nil, ""},
		{"from the send", "aiperf", []record.Reported{said("time_to_first_token", "mean", .0286, s)},
			[]metric.Row{estimated("ttft.v2", "mean", .0365, s, 9), estimated("ttft_service.v1", "mean", .0286, s, 9)}, nil, "counted from the send"},
		{"from the send, which does not account for it", "aiperf", []record.Reported{said("time_to_first_token", "mean", .0200, s)},
			[]metric.Row{estimated("ttft.v2", "mean", .0365, s, 9), estimated("ttft_service.v1", "mean", .0286, s, 9)}, nil, NotExplained},
		{"tokens", "aiperf", []record.Reported{said("output_token_throughput", "value", 1333, tok)}, []metric.Row{estimated("output_throughput.v1", "value", 1038, tok, 9)}, counts, "tokens: 58.4 by its tokenizer, 45.4 by server"},
		{"tokens, which do not account for it", "aiperf", []record.Reported{said("output_token_throughput", "value", 2000, tok)}, []metric.Row{estimated("output_throughput.v1", "value", 1038, tok, 9)}, counts, "divided by first send to last answer"},
		{"tokens, in a percentile", "aiperf", []record.Reported{said("inter_token_latency", "mean", .0044, s), said("inter_token_latency", "p90", .0061, s)},
			[]metric.Row{estimated("tpot.v1", "mean", .00569, s, 9), estimated("tpot.v1", "p90", .0063, s, 9)}, counts, "tokens: 58.4 by its tokenizer"},
		{"TPOT with the first token", "guidellm", []record.Reported{said("time_per_output_token_ms", "mean", .0071, s)},
			[]metric.Row{estimated("tpot_done.v1", "mean", .00681, s, 9), estimated("ntpot.v2", "mean", .0071, s, 9)}, nil, "contains the time to the first token"},
		{"a percentile of few", "vllm", []record.Reported{said("mean_ttft_ms", "mean", .058, s), said("p90_ttft_ms", "p90", .066, s)},
			[]metric.Row{estimated("ttft.v2", "mean", .058, s, 12), estimated("ttft.v2", "p90", .0699, s, 12)}, nil, "interpolated, not the value of rank ⌈qn⌉ (n = 12)"},
		{"a percentile of many", "vllm", []record.Reported{said("mean_ttft_ms", "mean", .058, s), said("p90_ttft_ms", "p90", .066, s)},
			[]metric.Row{estimated("ttft.v2", "mean", .058, s, 5000), estimated("ttft.v2", "p90", .0699, s, 5000)}, nil, NotExplained},
		{"known to be wrong", "genai-bench", []record.Reported{wrong}, []metric.Row{estimated("output_throughput.v1", "value", 183, tok, 9)}, nil, "cut requests are left out"},
		{"a rate called mean", "guidellm", []record.Reported{said("requests_per_second", "mean", 8, req)}, []metric.Row{estimated("request_throughput.v2", "value", 7, req, 9)}, nil, "not the completed ones"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := Of(tt.tool, tt.reported, metric.Estimates{Rows: tt.ours, Counts: tt.counts})
			if len(rows) == 0 {
				t.Fatal("no row")
			}
			got := rows[len(rows)-1]
			if (tt.want == "") != got.Agrees() || !strings.Contains(got.Why, tt.want) {
				t.Errorf("%+v, want %q", got, tt.want)
			}
		})
	}
}

// What cannot be compared is left out: percentiles of too few requests, values of
// the server, other units, tools without a table.
func TestLeftOut(t *testing.T) {
	ours := metric.Estimates{Rows: []metric.Row{
		estimated("ttft.v2", "p99", 1, unit.Second, 9, stats.TooFew("values", 9, .99, .95)), estimated("e2e.v2", "mean", 1, unit.Second, 9),
	}}
	server := said("request_latency", "mean", 2, unit.Second)
	server.Server = true
	for name, rows := range map[string][]Row{
		"too few requests": Of("aiperf", []record.Reported{said("time_to_first_token", "p99", 2, unit.Second)}, ours),
		"of the server":    Of("aiperf", []record.Reported{server}, ours),
		"another unit":     Of("aiperf", []record.Reported{said("request_latency", "mean", 2, unit.Token)}, ours),
		"no table":         Of("fio", []record.Reported{said("request_latency", "mean", 2, unit.Second)}, ours),
	} {
		if len(rows) != 0 {
			t.Errorf("%s: %+v, want nothing", name, rows)
		}
	}
}

// Launches are averaged, as every estimate is, and a second name of one number is not
// counted again.
func TestLaunches(t *testing.T) {
	rows := Of("vllm", []record.Reported{
		said("median_ttft_ms", "p50", 1, unit.Second), said("p50_ttft_ms", "p50", 9, unit.Second), said("median_ttft_ms", "p50", 3, unit.Second),
	}, metric.Estimates{Rows: []metric.Row{estimated("ttft.v2", "p50", 2, unit.Second, 9)}})
	if len(rows) != 1 || rows[0].Reported != 2 || !rows[0].Agrees() {
		t.Errorf("%+v, want one row of 2 s", rows)
	}
}
