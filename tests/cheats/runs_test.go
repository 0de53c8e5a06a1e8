package cheats

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/finding"
	"assay/tests/program"
	"assay/tests/whole"
)

// A cheat is a set-up that misleads: a server that lies through a real run.
type cheat struct {
	name   string
	server func(*liar)
	spec   []string // lines that replace those of the usual spec, by their key
	check  string   // that must say it
	says   string   // part of its message
	twin   string   // the name of the honest set-up of which the check says nothing
}

// spec is what the servers are asked: four users, a window of 0.8 seconds.
func runSpec(url string, lines []string) string {
	fields := []string{
		"apiVersion: assay.dev/v1alpha1", "kind: BenchmarkRun", "metadata: {name: cheat}", "spec:",
		"  workload: {model: honest-8b, sequenceLengthMix: [{inputTokens: 64, outputTokens: 24, weight: 1}]}",
		"  target: {url: " + url + ", model: honest-8b}",
		"  load: {concurrency: [4], duration: 800ms, warmup: {duration: 100ms}, calibrate: false}",
		"  trials: {quick: true}",
	}
	for _, line := range lines {
		key, _, _ := strings.Cut(line, ":")
		i := slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, key+":") })
		if i < 0 {
			fields = append(fields, "")
			i = len(fields) - 1
		}
		fields[i] = strings.NewReplacer("URL", url, "LOCALHOST", strings.Replace(url, "127.0.0.1", "localhost", 1)).Replace(line)
	}
	return strings.Join(fields, "\n") + "\n"
}

// measure runs assay against a server and returns its bundle.
func measure(t *testing.T, l *liar, lines []string) (bundle string) {
	t.Helper()
	dir := t.TempDir()
	if l.program != "" {
		lines = append([]string{"  target: {model: words, api: command, server: {command: [" + os.Args[0] + "], env: {" + programSpeed + ": \"" + l.program + "\"}, ready: {timeout: 1m}}}"}, lines...)
	}
	if l.speaks != nil {
		lines = append([]string{"  target: {url: URL, model: honest-8b, api: " + l.speaks.api + "}"}, lines...)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.yaml"), []byte(runSpec(l.listen(t), lines)), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := program.Run(t, dir, "run", "run.yaml", "--out", "runs"); r.Code != 0 {
		t.Fatalf("exit code %d\n%s", r.Code, r.Text())
	}
	made, err := filepath.Glob(filepath.Join(dir, "runs", "*__run__cheat"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v; want one bundle", made, err)
	}
	return made[0]
}

// linted is what lint finds in the last of the bundles.
func linted(t *testing.T, bundles ...string) []finding.Finding {
	t.Helper()
	got := program.Run(t, "", append([]string{"lint", "--json"}, bundles...)...)
	var said struct {
		Audits []struct{ Findings []finding.Finding }
	}
	if err := json.Unmarshal([]byte(got.Stdout), &said); err != nil || len(said.Audits) == 0 {
		t.Fatalf("exit code %d, %v\n%s", got.Code, err, got.Text())
	}
	return said.Audits[len(said.Audits)-1].Findings
}

// wantNamed wants a finding, worse than a note, by the check that is to make it.
func wantNamed(t *testing.T, list []finding.Finding, check, says string) {
	t.Helper()
	if !slices.ContainsFunc(list, func(f finding.Finding) bool {
		return f.Check == check && f.Severity != finding.Note && strings.Contains(f.Message, says)
	}) {
		t.Errorf("no %s with %q in:\n%s", check, says, listed(list))
	}
}

// isVoid is a finding of a check that voids what it touches.
func isVoid(check string) func(finding.Finding) bool {
	return func(f finding.Finding) bool { return f.Check == check && f.Severity == finding.Void }
}

func listed(list []finding.Finding) string {
	var text strings.Builder
	for _, f := range list {
		fmt.Fprintf(&text, "  %s %s: %s\n", f.Severity, f.Check, f.Message)
	}
	return text.String()
}

// allCheats and allTwins are those of every table.
var (
	allCheats = slices.Concat(cheats, spokenCheats, timeCheats, sentCheats)
	allTwins  = slices.Concat(honestTwins, spokenTwins, timeTwins, sentTwins)
)

// TestCheats has every server lie through a real run. Lint must name the check that sees it,
// which must have nothing to say about the honest twin.
func TestCheats(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, c := range allCheats {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := honestly()
			c.server(l)
			wantNamed(t, linted(t, measure(t, l, c.spec)), c.check, c.says)
			for _, f := range ofTwin(t, c.twin) {
				if f.Check == c.check && f.Severity != finding.Note {
					t.Errorf("%s %s accuses the honest twin %q: %s", f.Severity, f.Check, c.twin, f.Message)
				}
			}
		})
	}
}

// TestHonestServers runs the honest twins of the cheats: no check that catches one of those
// may say more than a note, and nothing but the host may forbid a result.
func TestHonestServers(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, h := range allTwins {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range ofTwin(t, h.name) {
				accused := slices.ContainsFunc(allCheats, func(c cheat) bool { return c.check == f.Check })
				if f.Severity != finding.Note && accused || f.Severity == finding.Void && !slices.Contains(ofTheHost, f.Check) {
					t.Errorf("%s %s accuses an honest server: %s", f.Severity, f.Check, f.Message)
				}
			}
		})
	}
}

// ofTheHost are the checks that may forbid results of an honest server: a run of one launch
// has no interval, and the tests run beside others, which may hold up its first requests.
var ofTheHost = []string{"no-variance", "client-error", "client-limit", "client-drift", "insufficient-warmup", "opening-wave"}

// A twinRun is what lint says about the run of an honest twin, which is made once.
type twinRun struct {
	once sync.Once
	list []finding.Finding
	made bool
}

var twinRuns = func() map[string]*twinRun {
	runs := map[string]*twinRun{}
	for _, h := range allTwins {
		runs[h.name] = &twinRun{}
	}
	return runs
}()

// ofTwin is what lint says about the honest set-up of that name.
func ofTwin(t *testing.T, name string) []finding.Finding {
	t.Helper()
	i := slices.IndexFunc(allTwins, func(h cheat) bool { return h.name == name })
	if i < 0 {
		t.Fatalf("no honest set-up is called %q", name)
	}
	twin := twinRuns[name]
	twin.once.Do(func() {
		l := honestly()
		allTwins[i].server(l)
		twin.list = linted(t, measure(t, l, allTwins[i].spec))
		twin.made = true
	})
	if !twin.made {
		t.Fatalf("the run of the honest set-up %q failed", name)
	}
	return twin.list
}
