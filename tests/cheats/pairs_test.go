package cheats

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/finding"
	"assay/spec"
	"assay/tests/fixture"
	"assay/tests/program"
	"assay/tests/whole"
)

// A pairing is two runs that are held against each other. Where the check is empty it is an
// honest one, about which no check of the table may say more than a note.
type pairing struct {
	name                string
	baseline, candidate func(*liar)
	one                 bool // one running server answers both
	between             func(*liar)
	spec, second        []string // of both, and what the second has in its place
	reversed            bool     // the later run is the baseline
	check, says         string
}

// counted asks for so many requests, so that two runs of one seed ask the same.
const countedLoad = "  load: {concurrency: [4], requests: 48, warmup: {}, calibrate: false}"

var pairings = []pairing{
	{name: "the second asks what the first asked", baseline: caching, one: true, spec: []string{countedLoad, "  seed: 7"},
		check: "warm-side", says: "prompts of the candidate"},
	{name: "the baseline asks what the candidate asked", baseline: caching, one: true, spec: []string{countedLoad, "  seed: 7"}, reversed: true,
		check: "warm-side", says: "prompts of the baseline"},
	{name: "the second asks by another name of the server", baseline: caching, one: true, spec: []string{countedLoad, "  seed: 7"}, second: []string{countedLoad, "  seed: 7", byName},
		check: "warm-side", says: "prompts of the candidate"},
	{name: "the candidate counts two tokens for one", candidate: counting(func(n int) int { return n / 2 }), check: "bytes-per-token", says: "of the candidate's usage"},
	{name: "the candidate counts a third more", candidate: counting(func(n int) int { return 2 * n / 3 }), check: "bytes-per-token", says: "of the candidate's usage"},
	{name: "the baseline counts one token for two", baseline: lying(func(_ question, a *answer) { a.usage /= 2 }), check: "bytes-per-token", says: "the baseline's"},
	{name: "half of the candidate's words are blank", candidate: lying(func(_ question, a *answer) {
		for i := range a.words {
			if i%2 == 1 {
				a.words[i] = says(a.words[i].wait, "\u200b")
			}
		}
	}), check: "bytes-per-token"},
	{name: "two models behind one name", baseline: answeredBy("honest-8b-2026-05-01"), candidate: answeredBy("honest-8b-2026-08-01"), check: "answering-model", says: "both runs ask for honest-8b"},
	{name: "one model by a date and by its path", baseline: answeredBy("honest-8b-2026-05-01"), candidate: answeredBy("/models/honest-8b-2026-05-01")},

	{name: "other prompts of the same server", baseline: caching, one: true, spec: []string{countedLoad, "  seed: 7"}, second: []string{countedLoad, "  seed: 8"}},
	{name: "a server that was started anew in between", baseline: caching, one: true, between: caching, spec: []string{countedLoad, "  seed: 7"}},
	{name: "a server without a cache", one: true, spec: []string{countedLoad, "  seed: 7"}},
	{name: "two servers and one seed", candidate: func(l *liar) { l.first /= 2 }, spec: []string{countedLoad, "  seed: 7"}},
	{name: "other answers of one tokenizer", candidate: lying(func(q question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(q.n+1000, i))
		}
	})},
	{name: "four words to an event", candidate: lying(func(_ question, a *answer) { a.pack(4) })},
	{name: "the end counts as a token", candidate: lying(func(_ question, a *answer) { a.usage++ })},
}

// byName reaches the server by another spelling of its address.
const byName = "  target: {url: LOCALHOST/, model: honest-8b}"

// answeredBy has the answers name a model.
func answeredBy(model string) func(*liar) {
	return lying(func(_ question, a *answer) { a.replace("honest-8b", model) })
}

// caching has the server answer a prompt that it knows at once. It begins with an empty cache.
func caching(l *liar) {
	var lock sync.Mutex
	known := map[string]bool{}
	l.lie = func(q question, a *answer) {
		lock.Lock()
		defer lock.Unlock()
		if known[q.prompt] {
			a.words[0].wait = time.Millisecond
		}
		known[q.prompt] = true
	}
	l.first = 60 * time.Millisecond
}

// measureAt runs assay against an address and returns its bundle.
func measureAt(t *testing.T, url string, lines []string) string {
	t.Helper()
	return measureIn(t, t.TempDir(), url, lines)
}

// measureIn does the same in a folder, where bundles of earlier runs may lie.
func measureIn(t *testing.T, dir, url string, lines []string) string {
	t.Helper()
	noError(t, os.WriteFile(filepath.Join(dir, "run.yaml"), []byte(runSpec(url, lines)), 0o644))
	if r := program.Run(t, dir, "run", "run.yaml", "--out", "runs"); r.Code != 0 {
		t.Fatalf("exit code %d\n%s", r.Code, r.Text())
	}
	made, err := filepath.Glob(filepath.Join(dir, "runs", "*__run__cheat"))
	if err != nil || len(made) == 0 {
		t.Fatalf("%v, %v; want a bundle", made, err)
	}
	return slices.Max(made) // names begin with the time
}

// An earlier run is one whose bundle lies beside that of a run which asks the same server.
type earlier struct {
	name     string
	server   func(*liar)
	second   []string         // what the later run has in place of the seed of both
	severity finding.Severity // of prompt-cache; empty where it says nothing
}

const (
	firstSeed  = "  seed: 7"
	withProbe  = "  load: {concurrency: [4], duration: 800ms, warmup: {duration: 100ms}, calibrate: false, cacheProbe: {pairs: 20}}"
	withTwo    = "  load: {concurrency: [2], duration: 800ms, warmup: {duration: 100ms}, calibrate: false}"
	seenBefore = "prompt-cache"
)

// check is what must speak of it; empty where nothing may.
func (e earlier) check() string {
	if e.severity == "" {
		return ""
	}
	return seenBefore
}

var earlierRuns = []earlier{
	{"an earlier run asked the same prompts", caching, []string{firstSeed}, finding.Caution},
	{"an earlier run asked the same prompts at another load", caching, []string{firstSeed, withTwo}, finding.Caution},
	{"an earlier run asked the same prompts by another name of the server", caching, []string{firstSeed, byName}, finding.Caution},
	{"an earlier run asked the same prompts, and a probe sees a cache", caching, []string{firstSeed, withProbe}, finding.Void},

	{"an earlier run asked the same prompts, and a probe sees no cache", func(*liar) {}, []string{firstSeed, withProbe}, ""},
	{"an earlier run asked other prompts", caching, []string{"  seed: 8"}, ""},
	{"an earlier run asked other prompts, and nobody chose a seed", caching, nil, ""},
}

// TestAskedEarlier asks a server for what an earlier run asked it, as the bundles of a folder
// remember.
func TestAskedEarlier(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, tt := range earlierRuns {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := honestly()
			tt.server(l)
			dir, url := t.TempDir(), l.listen(t)
			measureIn(t, dir, url, []string{firstSeed})
			found := linted(t, measureIn(t, dir, url, tt.second))
			i := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Check == seenBefore })
			if tt.severity == "" && i >= 0 || tt.severity != "" && (i < 0 || found[i].Severity != tt.severity || !strings.Contains(found[i].Message, "had sent its prompts")) {
				t.Errorf("want %q of %s in:\n%s", tt.severity, seenBefore, listed(found))
			}
		})
	}
}

// TestPairings measures both sides of every pair and asks what lint says of them together.
func TestPairings(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, p := range pairings {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			found := linted(t, p.measure(t)...)
			if p.check != "" {
				wantNamed(t, found, p.check, p.says)
				return
			}
			for _, f := range found {
				if f.Severity != finding.Note && slices.ContainsFunc(pairings, func(q pairing) bool { return q.check == f.Check }) {
					t.Errorf("%s %s accuses an honest pair: %s", f.Severity, f.Check, f.Message)
				}
			}
		})
	}
}

// measure makes both runs, one after the other, and names the baseline first.
func (p pairing) measure(t *testing.T) []string {
	t.Helper()
	a, b := honestly(), honestly()
	if p.baseline != nil {
		p.baseline(a)
	}
	if p.candidate != nil {
		p.candidate(b)
	}
	url, second := a.listen(t), p.spec
	first := measureAt(t, url, p.spec)
	switch {
	case p.between != nil:
		p.between(a)
	case !p.one:
		url = b.listen(t)
	}
	if p.second != nil {
		second = p.second
	}
	bundles := []string{first, measureAt(t, url, second)}
	if p.reversed {
		slices.Reverse(bundles)
	}
	return bundles
}

// TestDeclaredSuite runs a plan that names a suite and asks none of it: its speed may not be
// quoted, and the refusal says what to type. A plan that says why it does without one is
// left in peace.
func TestDeclaredSuite(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	workload := "  workload: {model: honest-8b, correctness: {suite: [gsm8k]EXCEPT}, sequenceLengthMix: [{inputTokens: 64, outputTokens: 24, weight: 1}]}"
	for except, want := range map[string]bool{"": true, `, allowedExceptions: ["gsm8k: the weights are those of the release"]`: false} {
		t.Run(except, func(t *testing.T) {
			t.Parallel()
			made := measure(t, honestly(), []string{strings.Replace(workload, "EXCEPT", except, 1)})
			if want {
				wantNamed(t, linted(t, made), "quality-unchecked", "gsm8k")
			}
			got := program.Run(t, "", "claim", made)
			if said := strings.Contains(got.Stdout, "quality-unchecked: correctness.suite names gsm8k"); said != want {
				t.Errorf("refused: %v, want %v\n%s", said, want, got.Text())
			}
		})
	}
}

// TestPolicyLooksAway passes by policies that look away from something, and wants the verdict
// to say from what. One that looks everywhere is told nothing.
func TestPolicyLooksAway(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	base := fixture.Run{ID: "base", Launches: 3}.Write(t, dir)
	candidate := fixture.Run{ID: "candidate", Launches: 3, Baseline: fixture.System{Version: newerEngine}, Seed: 1}.Write(t, dir)
	twoLoads := func(r *spec.Run) { r.Spec.Load.Concurrency = []int{8, 16} }
	base2 := fixture.Run{ID: "base2", Launches: 3, Spec: twoLoads}.Write(t, dir)
	candidate2 := fixture.Run{ID: "candidate2", Launches: 3, Baseline: fixture.System{Version: newerEngine}, Seed: 1, Spec: twoLoads}.Write(t, dir)
	const head = "apiVersion: assay.dev/v1alpha1\nkind: GatePolicy\nmetadata: {name: release}\nspec:\n  metrics:\n"
	tests := []struct {
		name, policy, want string
	}{
		{"a median without a tail", "    - {metric: ttft.v2, statistic: p50, margin: 0.05}\n", "tails: of TTFT no percentile above p50 is judged"},
		{"throughput alone", "    - {metric: output_throughput.v1, statistic: value, margin: 0.05}\n", "latency: no time is judged"},
		{"errors", "    - {metric: ttft.v2, statistic: p90, margin: 0.05}\n  guards:\n    errorRate: {off: true, reason: it sheds}\n", "error rate: the policy switches its guard off (it sheds)"},
		{"lengths", "    - {metric: ttft.v2, statistic: p90, margin: 0.05}\n  guards:\n    outputTokens: {off: true, reason: it talks}\n", "output tokens per answer: the policy switches its guard off (it talks)"},
		{"the tail of another time", "    - {metric: ttft.v2, statistic: p90, margin: 0.05}\n    - {metric: tpot.v1, statistic: p50, margin: 0.05}\n", "tails: of TPOT no percentile above p50 is judged"},
		{"a wide guard", "    - {metric: ttft.v2, statistic: p90, margin: 0.05}\n  guards:\n    outputTokens: {margin: 0.5, reason: it talks}\n", "output tokens per answer: a change of up to 0.5"},
		{"a load", "    - {metric: ttft.v2, statistic: p90, margin: 0.05, points: [concurrency=8]}\n", "loads: no metric is judged at concurrency=16"},
		{"times at one load", "    - {metric: ttft.v2, statistic: p90, margin: 0.05, points: [concurrency=8]}\n    - {metric: output_throughput.v1, statistic: value, margin: 0.25}\n", "loads: no time is judged at concurrency=16"},
		{"nothing", "    - {metric: ttft.v2, statistic: p90, margin: 0.05}\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := base, candidate
			if strings.Contains(tt.want, "loads:") {
				a, b = base2, candidate2
			}
			got := program.Run(t, "", "gate", a, b, "--policy", write(t, "policy.yaml", head+tt.policy)).Stdout
			if said := strings.Contains(got, "not guarded"); said != (tt.want != "") || !strings.Contains(got, tt.want) {
				t.Errorf("want %q told\n%s", tt.want, got)
			}
		})
	}
}
