package lint

import (
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
)

// fitting is a point of an import about which nothing is odd: 100 requests of 8
// users in 10 s.
func fitting() ForeignPoint {
	return ForeignPoint{
		Stated: bundle.Stated{
			File: "bench-8.json", AskedRequests: 100, AskedInput: 512, AskedOutput: 11, Completed: 100, Statistics: 100, Seconds: 10,
			NamedSeconds: 10, NamedConcurrency: 8,
		},
		Rows: 100, Completed: 100, Input: Average{100, 51200}, Output: Average{100, 1100},
		Window: 10, First: 0, Last: 9.9, Busy: 78,
	}
}

// says makes the scene an import whose one point is changed.
func says(change func(*ForeignPoint), gaps ...string) func(*scene) {
	return having(func(f *Facts) {
		imported(gaps...)(f)
		p := fitting()
		change(&p)
		f.Foreign = []ForeignPoint{p}
	})
}

// repeating makes the scene an import in which requests repeat each other.
func repeating(r metric.Repeats) func(*scene) {
	return having(func(f *Facts) {
		imported()(f)
		f.Estimates.Repeats = []metric.Repeats{r}
	})
}

var foreignTrips = quick([]trip{
	{"foreign-repeats", "rows written twice", repeating(metric.Repeats{Rows: 100, Identical: 50, Effective: 50}), finding.Void, "concurrency=8, launch 1: 50 of 100 requests have the lengths and latencies of another one"},
	{"foreign-repeats", "lengths drawn twice", repeating(metric.Repeats{Rows: 100, Alike: 51, Within: 1, Chance: 2, Effective: 50}), finding.Caution, "51 of 100 requests have the lengths of the one before them, where chance gives 2: the sample is worth 50"},
	{"foreign-counts", "too few", says(func(p *ForeignPoint) { p.Stated.AskedRequests = 120 }), finding.Caution, "120 requests were asked for, and 100 are in the results"},
	{"foreign-counts", "too few in a summary", says(func(p *ForeignPoint) { p.Rows, p.Stated.Completed = 0, 90 }), finding.Caution, "100 requests were asked for, and 90 are in the results"},
	{"foreign-counts", "too many", says(func(p *ForeignPoint) { p.Stated.AskedRequests = 20 }), finding.Note, "20 requests were asked for, and 100 are in the results"},
	{"foreign-counts", "others than counted", says(func(p *ForeignPoint) { p.Completed = 80 }), finding.Caution, "bench-8.json counts 100 successful requests and holds 80"},
	{"foreign-lengths", "short prompts", says(func(p *ForeignPoint) { p.Input.Sum = 25600 }), finding.Caution, "512 input tokens were asked for, and requests have 256 on average (-50 %)"},
	{"foreign-lengths", "long answers", says(func(p *ForeignPoint) { p.Output.Sum = 3300 }), finding.Caution, "11 output tokens were asked for, and requests have 33 on average (+200 %)"},
	{"foreign-window", "too short", says(func(p *ForeignPoint) { p.Last = 12 }), finding.Caution, "stated as 10.0 s, and its requests take 12.0 s from the first send to the last answer (+20 %)"},
	{"foreign-window", "mostly empty", says(func(p *ForeignPoint) { p.Last = 6 }), finding.Caution, "its requests take only 6.00 s of it"},
	{"foreign-window", "no room", says(func(p *ForeignPoint) { p.Busy = 120 }, bundle.GapSendTimes), finding.Caution, "in flight for 2.00 min together, and 8 users have only 1.33 min"},
	{"foreign-window", "idle users", says(func(p *ForeignPoint) { p.Busy = 40 }, bundle.GapSendTimes), finding.Caution, "waited for answers in 50 % of the window of 10.0 s"},
	{"foreign-window", "another name", says(func(p *ForeignPoint) { p.Stated.NamedSeconds = 6 }), finding.Note, "bench-8.json is named for 6 s, and its content says 10"},
	{"foreign-window", "another load", says(func(p *ForeignPoint) { p.Stated.NamedConcurrency = 16 }), finding.Note, "named for 16 requests in flight, and its content says 8"},
	{"foreign-statistics", "a cut", says(func(p *ForeignPoint) { p.Stated.Statistics = 60 }), finding.Caution, "its latencies rest on 60 requests, its request rate on 100"},
})

// Nothing is said about results that fit themselves, and nothing is passed that
// the files do not tell.
func TestForeignResults(t *testing.T) {
	s := clean()
	s.small()
	f := s.facts(t)
	state := func(id string) State {
		audit := Run(f)
		return audit.Results[slices.IndexFunc(audit.Results, func(r Result) bool { return r.Check == id })].State
	}
	for _, tt := range []struct {
		name string
		make func()
		want State
	}{
		{"measured by assay", func() {}, NotApplicable},
		{"fitting", func() { imported()(f); f.Foreign = []ForeignPoint{fitting()} }, Passed},
		{"summaries that tell nothing", func() { imported(bundle.GapRequests)(f); f.Foreign = []ForeignPoint{{}} }, NotChecked},
	} {
		tt.make()
		for _, c := range foreignResults {
			if got := state(c.ID); got != tt.want {
				t.Errorf("%s, %s: %s, want %s", tt.name, c.ID, got, tt.want)
			}
		}
	}
}

// A sweep gives one finding, with the worst point in it.
func TestForeignSweep(t *testing.T) {
	t.Parallel()
	s := clean()
	s.small()
	f := s.facts(t)
	imported()(f)
	f.Foreign = []ForeignPoint{fitting(), fitting(), fitting()}
	f.Foreign[0].Input.Sum, f.Foreign[1].Input.Sum, f.Foreign[2].Input.Sum = 25600, 12800, 25600
	answer := foreignLengths(f)
	if len(answer.Findings) != 1 || !strings.Contains(answer.Findings[0].Message, "have 128 on average") || !strings.HasSuffix(answer.Findings[0].Message, "(and at 2 other points)") {
		t.Errorf("findings %+v, want one with the worst point", answer.Findings)
	}
}
