package plot

import (
	"fmt"
	"slices"
	"strings"
)

// A Preset is a layout that needs no file.
type Preset struct {
	Name   string
	Doc    string
	layout Layout
}

// Presets lists every preset. The last five are genai-bench's, by its names
// and with its panels, so that its users find what they know.
var Presets = []Preset{
	{"assay", "latency against throughput with intervals and objectives, goodput, errors, distributions", assayPlots},
	{"per_gpu", "tokens per second of each GPU against those that one user sees, and against E2E", perGPUPlots},
	{"timeline", "the first launch over time: latency, throughput, load, and what was read beside it", timelinePlots},
	{"scaling", "speed-up and efficiency over workers, with the ideal, intervals and fitted laws", scalingPlots},
	{"2x4_default", "genai-bench: speed, TTFT and latency against throughput, errors", theirPlots("2x4_default", 2, 4, defaultPanels)},
	{"2x4_tts", "genai-bench: the same for speech", theirPlots("2x4_tts", 2, 4, speechPanels)},
	{"simple_2x2", "genai-bench: latency, errors, TTFT and throughput", theirPlots("simple_2x2", 2, 2, simplePanels)},
	{"multi_line_latency", "genai-bench: several statistics of latency and TTFT in one panel", theirPlots("multi_line_latency", 2, 2, multiLinePanels)},
	{"single_scenario_analysis", "genai-bench: the same without a logarithmic axis", theirPlots("single_scenario_analysis", 2, 2, singlePanels)},
}

// FindPreset returns the layout of the preset called name.
func FindPreset(name string) (Layout, error) {
	var names []string
	for _, p := range Presets {
		if p.Name == name {
			return p.layout, nil
		}
		names = append(names, p.Name)
	}
	return Layout{}, fmt.Errorf("--preset %q: want one of %s", name, strings.Join(names, ", "))
}

var assayPlots = Layout{
	named: "assay", Layout: Grid{Rows: 2, Cols: 3, Size: []float64{18, 11}},
	Plots: []Panel{
		{Title: "TTFT vs output throughput", X: "output_throughput", Y: "ttft", Type: typeLine, Where: []int{0, 0},
			instead: &Panel{Title: "E2E vs request throughput", X: "request_throughput", Y: "e2e", Type: typeLine, Where: []int{0, 0}}},
		{Title: "TPOT vs output throughput", X: "output_throughput", Y: "tpot", Type: typeLine, Where: []int{0, 1},
			instead: &Panel{Title: "TPOT to the end of the answer vs output throughput", X: "output_throughput", Y: "tpot_done", Type: typeLine, Where: []int{0, 1},
				instead: &Panel{Title: "Item throughput vs load", X: "level", Y: "item_throughput", XScale: "log", Type: typeLine, Where: []int{0, 1}}}},
		{Title: "Goodput vs load", X: "level", Y: "goodput", XScale: "log", Type: typeLine, Where: []int{0, 2},
			instead: &Panel{Title: "Request throughput vs load", X: "level", Y: "request_throughput", XScale: "log", Type: typeLine, Where: []int{0, 2}}},
		{Title: "TTFT of requests", Y: "ttft", Type: typeECDF, XScale: "log", Where: []int{1, 0},
			instead: &Panel{Title: "E2E of requests", Y: "e2e", Type: typeECDF, XScale: "log", Where: []int{1, 0}}},
		{Title: "Percentiles of TTFT", Y: "ttft", Type: typeLadder, YScale: "log", Where: []int{1, 1},
			instead: &Panel{Title: "Percentiles of E2E", Y: "e2e", Type: typeLadder, YScale: "log", Where: []int{1, 1}}},
		{Title: "Errors by kind vs load", X: "level", Y: "error_rate", Type: typeBar, Where: []int{1, 2}},
	},
}

// perGPUPlots are the trade between how much a GPU earns and how fast one user is
// served. Without the number of GPUs the whole system is drawn, and the title says so.
var perGPUPlots = Layout{
	named: "per_gpu", Layout: Grid{Rows: 1, Cols: 2, Size: []float64{16, 7}},
	Plots: []Panel{
		{Title: "Throughput per GPU vs speed per user", X: "user_speed.p50", Y: perGPU, Type: typeLine, Where: []int{0, 0},
			instead: &Panel{Title: "Throughput of the whole system vs speed per user (number of GPUs unknown)", X: "user_speed.p50", Y: "output_throughput", Type: typeLine, Where: []int{0, 0}}},
		{Title: "Throughput per GPU vs E2E", X: "e2e.p50", Y: perGPU, Type: typeLine, Where: []int{0, 1},
			instead: &Panel{Title: "Throughput of the whole system vs E2E (number of GPUs unknown)", X: "e2e.p50", Y: "output_throughput", Type: typeLine, Where: []int{0, 1}}},
	},
}

// theirPlots is a preset of genai-bench on its grid: 8 × 6 inches for each panel.
func theirPlots(name string, rows, cols int, panels []Panel) Layout {
	l := Layout{named: name, theirs: true, Layout: Grid{Rows: rows, Cols: cols}, Plots: slices.Clone(panels)}
	for i := range l.Plots {
		l.Plots[i].Where = []int{i / cols, i % cols}
		if l.Plots[i].Type == "" {
			l.Plots[i].Type = typeLine
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
	errorPanel = Panel{Title: "Error Rates by HTTP Status vs Concurrency", X: theirLevel, Y: "error_rate", XLabel: "Concurrency", YLabel: "Error Rate", Type: typeBar, heading: "Error Rates by Kind of Failure vs Concurrency"}
	meanPanel  = Panel{Title: "Mean E2E Latency per Request vs RPS", X: theirRate, Y: "stats.e2e_latency.mean", XLabel: rateLabel, YLabel: "Mean E2E Latency per Request (s)"}
	p90Panel   = Panel{Title: "P90 E2E Latency per Request vs RPS", X: theirRate, Y: "stats.e2e_latency.p90", XLabel: rateLabel, YLabel: "P90 E2E Latency per Request (s)"}
	p99Panel   = Panel{Title: "P99 E2E Latency per Request vs RPS", X: theirRate, Y: "stats.e2e_latency.p99", XLabel: rateLabel, YLabel: "P99 E2E Latency per Request (s)"}
)

var defaultPanels = []Panel{
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
var speechPanels = []Panel{
	{Title: "Audio Throughput per Request vs RPS", X: theirRate, Y: theirAudio, XLabel: rateLabel, YLabel: audioLabel,
		instead: &Panel{Title: "Audio Throughput of Server vs RPS", X: theirRate, Y: "sound_throughput", XLabel: rateLabel, Type: typeLine}},
	{Title: "TTFB vs RPS", X: theirRate, Y: "stats.ttft.mean", XLabel: rateLabel, YLabel: "TTFB (s)"},
	meanPanel,
	errorPanel,
	{Title: "Audio Throughput per Request vs Concurrency", X: theirLevel, Y: theirAudio, XLabel: "Concurrency", YLabel: audioLabel,
		instead: &Panel{Title: "Audio Throughput of Server vs Concurrency", X: theirLevel, Y: "sound_throughput", XLabel: "Concurrency", Type: typeLine}},
	{Title: "TTFB vs Concurrency", X: theirLevel, Y: "stats.ttft.mean", XLabel: "Concurrency", YLabel: "TTFB (s)"},
	p90Panel,
	p99Panel,
}

var simplePanels = []Panel{
	{Title: "Throughput vs Latency", X: theirOutput, Y: "stats.e2e_latency.mean"},
	{Title: "RPS vs Error Rate", X: theirRate, Y: "error_rate", Type: typeScatter},
	{Title: "Concurrency vs TTFT", X: theirLevel, Y: "stats.ttft.mean"},
	{Title: "Throughput Distribution", X: theirLevel, Y: theirTotal},
}

var ttftLines = []Line{
	{Field: "stats.ttft.mean", Label: "Mean TTFT", Color: "green"},
	{Field: "stats.ttft.p95", Label: "P95 TTFT", Color: "purple"},
}

// "Request Success Rate" is how genai-bench calls its panel of errors.
var multiLinePanels = []Panel{
	{Title: "Latency Percentiles Comparison", X: theirRate, XLabel: "Requests Per Second (req/s)", YLabel: "Latency (s)", Ys: latencyLines(" Latency")},
	{Title: "TTFT Performance Analysis", X: theirOutput, XLabel: "Output Throughput (tokens/s)", YLabel: "Time to First Token (s) (log scale)", YScale: "log", Ys: ttftLines},
	{Title: "Throughput Components", X: theirLevel, XLabel: "Concurrency Level", YLabel: "Throughput (tokens/s)", Ys: []Line{
		{Field: theirOutput, Label: "Output Throughput"}, {Field: theirTotal, Label: "Total Throughput"},
	}},
	{Title: "Request Success Rate", X: theirLevel, Y: "error_rate", XLabel: "Concurrency Level", YLabel: "Error Rate", Type: typeBar, heading: "Request Error Rate"},
}

var singlePanels = []Panel{
	{Title: "Latency Percentiles vs RPS", X: theirRate, XLabel: "Requests Per Second (req/s)", YLabel: "E2E Latency (s)", Ys: latencyLines("")},
	{Title: "TTFT Analysis", X: theirOutput, XLabel: "Output Throughput (tokens/s)", YLabel: "TTFT (s)", Ys: ttftLines},
	{Title: "Throughput vs Concurrency", X: theirLevel, Y: theirOutput, XLabel: "Concurrency", YLabel: "Output Throughput (tokens/s)"},
	{Title: "Error Rate vs Concurrency", X: theirLevel, Y: "error_rate", XLabel: "Concurrency", YLabel: "Error Rate", Type: typeBar},
}

func latencyLines(suffix string) []Line {
	return []Line{
		{Field: "stats.e2e_latency.mean", Label: "Mean" + suffix, Color: "blue", Dash: "-"},
		{Field: "stats.e2e_latency.p90", Label: "P90" + suffix, Color: "orange", Dash: "--"},
		{Field: "stats.e2e_latency.p99", Label: "P99" + suffix, Color: "red", Dash: "-."},
	}
}
