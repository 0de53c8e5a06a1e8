package report

import (
	"fmt"
	"slices"
	"strings"
)

// A PlotPreset is a layout that needs no file.
type PlotPreset struct {
	Name   string
	Doc    string
	layout PlotLayout
}

// PlotPresets lists every preset. The last five are genai-bench's, by its names
// and with its panels, so that its users find what they know.
var PlotPresets = []PlotPreset{
	{"assay", "latency against throughput with intervals and objectives, goodput, errors, distributions", assayPlots},
	{"timeline", "the first launch over time: latency, throughput, load, and what was read beside it", timelinePlots},
	{"2x4_default", "genai-bench: speed, TTFT and latency against throughput, errors", theirPlots("2x4_default", 2, 4, defaultPanels)},
	{"2x4_tts", "genai-bench: the same for speech", theirPlots("2x4_tts", 2, 4, speechPanels)},
	{"simple_2x2", "genai-bench: latency, errors, TTFT and throughput", theirPlots("simple_2x2", 2, 2, simplePanels)},
	{"multi_line_latency", "genai-bench: several statistics of latency and TTFT in one panel", theirPlots("multi_line_latency", 2, 2, multiLinePanels)},
	{"single_scenario_analysis", "genai-bench: the same without a logarithmic axis", theirPlots("single_scenario_analysis", 2, 2, singlePanels)},
}

// FindPlotPreset returns the layout of the preset called name.
func FindPlotPreset(name string) (PlotLayout, error) {
	var names []string
	for _, p := range PlotPresets {
		if p.Name == name {
			return p.layout, nil
		}
		names = append(names, p.Name)
	}
	return PlotLayout{}, fmt.Errorf("--preset %q: want one of %s", name, strings.Join(names, ", "))
}

var assayPlots = PlotLayout{
	named: "assay", Layout: PlotGrid{Rows: 2, Cols: 3, Size: []float64{18, 11}},
	Plots: []PlotPanel{
		{Title: "TTFT vs output throughput", X: "output_throughput", Y: "ttft", Type: plotTypeLine, Where: []int{0, 0},
			instead: &PlotPanel{Title: "E2E vs request throughput", X: "request_throughput", Y: "e2e", Type: plotTypeLine, Where: []int{0, 0}}},
		{Title: "TPOT vs output throughput", X: "output_throughput", Y: "tpot", Type: plotTypeLine, Where: []int{0, 1},
			instead: &PlotPanel{Title: "TPOT to the end of the answer vs output throughput", X: "output_throughput", Y: "tpot_done", Type: plotTypeLine, Where: []int{0, 1},
				instead: &PlotPanel{Title: "Item throughput vs load", X: "level", Y: "item_throughput", XScale: "log", Type: plotTypeLine, Where: []int{0, 1}}}},
		{Title: "Goodput vs load", X: "level", Y: "goodput", XScale: "log", Type: plotTypeLine, Where: []int{0, 2},
			instead: &PlotPanel{Title: "Request throughput vs load", X: "level", Y: "request_throughput", XScale: "log", Type: plotTypeLine, Where: []int{0, 2}}},
		{Title: "TTFT of requests", Y: "ttft", Type: plotTypeECDF, XScale: "log", Where: []int{1, 0},
			instead: &PlotPanel{Title: "E2E of requests", Y: "e2e", Type: plotTypeECDF, XScale: "log", Where: []int{1, 0}}},
		{Title: "Percentiles of TTFT", Y: "ttft", Type: plotTypeLadder, YScale: "log", Where: []int{1, 1},
			instead: &PlotPanel{Title: "Percentiles of E2E", Y: "e2e", Type: plotTypeLadder, YScale: "log", Where: []int{1, 1}}},
		{Title: "Errors by kind vs load", X: "level", Y: "error_rate", Type: plotTypeBar, Where: []int{1, 2}},
	},
}

// theirPlots is a preset of genai-bench on its grid: 8 × 6 inches for each panel.
func theirPlots(name string, rows, cols int, panels []PlotPanel) PlotLayout {
	l := PlotLayout{named: name, theirs: true, Layout: PlotGrid{Rows: rows, Cols: cols}, Plots: slices.Clone(panels)}
	for i := range l.Plots {
		l.Plots[i].Where = []int{i / cols, i % cols}
		if l.Plots[i].Type == "" {
			l.Plots[i].Type = plotTypeLine
		}
	}
	return l
}

// The fields that its presets name again and again.
const (
	theirOutput = "mean_output_throughput_tokens_per_s"
	theirTotal  = "mean_total_tokens_throughput_tokens_per_s"
	theirRate   = "requests_per_second"
	theirLevel  = "num_concurrency"
	theirSpeed  = "stats.output_inference_speed.mean"
	theirAudio  = "stats.audio_throughput.mean"

	rateLabel   = "RPS (req/s)"
	outputLabel = "Output Throughput of Server (tokens/s)"
	totalLabel  = "Total Throughput (Input + Output) of Server (tokens/s)"
	speedLabel  = "Output Inference Speed per Request (tokens/s)"
	audioLabel  = "Audio Throughput per Request (bytes/s)"
)

var (
	errorPanel = PlotPanel{Title: "Error Rates by HTTP Status vs Concurrency", X: theirLevel, Y: "error_rate", XLabel: "Concurrency", YLabel: "Error Rate", Type: plotTypeBar, heading: "Error Rates by Kind of Failure vs Concurrency"}
	meanPanel  = PlotPanel{Title: "Mean E2E Latency per Request vs RPS", X: theirRate, Y: "stats.e2e_latency.mean", XLabel: rateLabel, YLabel: "Mean E2E Latency per Request (s)"}
	p90Panel   = PlotPanel{Title: "P90 E2E Latency per Request vs RPS", X: theirRate, Y: "stats.e2e_latency.p90", XLabel: rateLabel, YLabel: "P90 E2E Latency per Request (s)"}
	p99Panel   = PlotPanel{Title: "P99 E2E Latency per Request vs RPS", X: theirRate, Y: "stats.e2e_latency.p99", XLabel: rateLabel, YLabel: "P99 E2E Latency per Request (s)"}
)

var defaultPanels = []PlotPanel{
	{Title: "Output Inference Speed per Request vs Output Throughput of Server", X: theirOutput, Y: theirSpeed, XLabel: outputLabel, YLabel: speedLabel},
	{Title: "TTFT vs Output Throughput of Server", X: theirOutput, Y: "stats.ttft.mean", XLabel: outputLabel, YLabel: "TTFT (s)"},
	meanPanel,
	errorPanel,
	{Title: "Output Inference Speed per Request vs Total Throughput (Input + Output) of Server", X: theirTotal, Y: theirSpeed, XLabel: totalLabel, YLabel: speedLabel},
	{Title: "TTFT vs Total Throughput (Input + Output) of Server", X: theirTotal, Y: "stats.ttft.mean", XLabel: totalLabel, YLabel: "TTFT (s)"},
	p90Panel,
	p99Panel,
}

// What assay measures itself has no speed of sound for each request; then the
// server's is drawn, under its own name.
var speechPanels = []PlotPanel{
	{Title: "Audio Throughput per Request vs RPS", X: theirRate, Y: theirAudio, XLabel: rateLabel, YLabel: audioLabel,
		instead: &PlotPanel{Title: "Audio Throughput of Server vs RPS", X: theirRate, Y: "sound_throughput", XLabel: rateLabel, Type: plotTypeLine}},
	{Title: "TTFB vs RPS", X: theirRate, Y: "stats.ttft.mean", XLabel: rateLabel, YLabel: "TTFB (s)"},
	meanPanel,
	errorPanel,
	{Title: "Audio Throughput per Request vs Concurrency", X: theirLevel, Y: theirAudio, XLabel: "Concurrency", YLabel: audioLabel,
		instead: &PlotPanel{Title: "Audio Throughput of Server vs Concurrency", X: theirLevel, Y: "sound_throughput", XLabel: "Concurrency", Type: plotTypeLine}},
	{Title: "TTFB vs Concurrency", X: theirLevel, Y: "stats.ttft.mean", XLabel: "Concurrency", YLabel: "TTFB (s)"},
	p90Panel,
	p99Panel,
}

var simplePanels = []PlotPanel{
	{Title: "Throughput vs Latency", X: theirOutput, Y: "stats.e2e_latency.mean"},
	{Title: "RPS vs Error Rate", X: theirRate, Y: "error_rate", Type: plotTypeScatter},
	{Title: "Concurrency vs TTFT", X: theirLevel, Y: "stats.ttft.mean"},
	{Title: "Throughput Distribution", X: theirLevel, Y: theirTotal},
}

var ttftLines = []PlotLine{
	{Field: "stats.ttft.mean", Label: "Mean TTFT", Color: "green"},
	{Field: "stats.ttft.p95", Label: "P95 TTFT", Color: "purple"},
}

// "Request Success Rate" is how genai-bench calls its panel of errors.
var multiLinePanels = []PlotPanel{
	{Title: "Latency Percentiles Comparison", X: theirRate, XLabel: "Requests Per Second (req/s)", YLabel: "Latency (s)", Ys: latencyLines(" Latency")},
	{Title: "TTFT Performance Analysis", X: theirOutput, XLabel: "Output Throughput (tokens/s)", YLabel: "Time to First Token (s) (log scale)", YScale: "log", Ys: ttftLines},
	{Title: "Throughput Components", X: theirLevel, XLabel: "Concurrency Level", YLabel: "Throughput (tokens/s)", Ys: []PlotLine{
		{Field: theirOutput, Label: "Output Throughput"}, {Field: theirTotal, Label: "Total Throughput"},
	}},
	{Title: "Request Success Rate", X: theirLevel, Y: "error_rate", XLabel: "Concurrency Level", YLabel: "Error Rate", Type: plotTypeBar, heading: "Request Error Rate"},
}

var singlePanels = []PlotPanel{
	{Title: "Latency Percentiles vs RPS", X: theirRate, XLabel: "Requests Per Second (req/s)", YLabel: "E2E Latency (s)", Ys: latencyLines("")},
	{Title: "TTFT Analysis", X: theirOutput, XLabel: "Output Throughput (tokens/s)", YLabel: "TTFT (s)", Ys: ttftLines},
	{Title: "Throughput vs Concurrency", X: theirLevel, Y: theirOutput, XLabel: "Concurrency", YLabel: "Output Throughput (tokens/s)"},
	{Title: "Error Rate vs Concurrency", X: theirLevel, Y: "error_rate", XLabel: "Concurrency", YLabel: "Error Rate", Type: plotTypeBar},
}

func latencyLines(suffix string) []PlotLine {
	return []PlotLine{
		{Field: "stats.e2e_latency.mean", Label: "Mean" + suffix, Color: "blue", Dash: "-"},
		{Field: "stats.e2e_latency.p90", Label: "P90" + suffix, Color: "orange", Dash: "--"},
		{Field: "stats.e2e_latency.p99", Label: "P99" + suffix, Color: "red", Dash: "-."},
	}
}
