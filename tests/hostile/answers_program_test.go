package hostile

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/tests/program"
	"assay/tests/whole"
)

// peak is the most memory that a run may take whatever the server sends, with the
// limit on an answer that the test sets: two answers at a time, as they came and
// unpacked, beside the program itself and what it may leave uncollected in a point. With
// the default limit it is widePeak.
const (
	peak     = 450 << 20
	widePeak = 1 << 30
)

// defaultLimit names the answer that is read with no other limit than the default.
const defaultLimit = "default limit"

// programAnswers are the attacks that the whole program must survive.
func programAnswers() []*answer {
	var packed strings.Builder
	bomb("gzip", ":\n", 64<<20)(&packed)
	named := map[string]bool{
		"never-ending line": true, "endless comments": true, "endless events": true, "error page without an end": true,
		"head: control character in a value": true, "head: line without a colon": true, "head: two lengths that differ": true,
		"head: two transfer codings": true, "head: endless 100 Continue": true, "chunks: trailers without an end": true,
		"chunks: one of a gigabyte": true, "usage below zero": true,
	}
	list := []*answer{
		{name: "gzip bomb of 64 MB", header: packedAs("gzip"), body: say(packed.String()), want: record.TooLarge},
		{name: "8 MB of data lines", body: say(strings.Repeat("data:a\n", 8<<20/7), "\n", done), want: record.Protocol},
		{name: "8 MB of carriage returns", body: say(strings.Repeat("\r", 8<<20), done), want: record.Empty},
	}
	for _, x := range slicesOf(endlessBodies(), countingBodies(), heads(), framings()) {
		if named[x.name] {
			list = append(list, x)
		}
		if x.name == "never-ending line" {
			wide := *x
			wide.name = defaultLimit
			list = append(list, &wide)
		}
	}
	return list
}

// TestAnswersProgram has the program itself measure a server of which every other
// answer is an attack. The run goes on, ends with a bundle, counts the attacks as
// what they are, and takes no more memory than is stated.
func TestAnswersProgram(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	answers := programAnswers()
	a := newAttacker(t, answers)
	for _, x := range answers {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			if x.name == defaultLimit {
				attackProgram(t, a, x, "64MiB", widePeak)
			} else {
				attackProgram(t, a, x, "8MiB", peak)
			}
		})
	}
}

func attackProgram(t *testing.T, a *attacker, x *answer, limit string, most int64) {
	dir := t.TempDir()
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: attacked},
spec: {workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]},
target: {url: %q, answerLimit: %s}, load: {concurrency: [1], requests: 2, warmup: {}, calibrate: false}, trials: {quick: true}}}`,
		a.plain+"/mixed/"+url.PathEscape(x.name), limit)
	file := filepath.Join(dir, "run.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got := program.Command{Args: []string{"run", file, "--out", filepath.Join(dir, "out")}, Dir: dir, Limit: 5 * time.Minute}.Run(t)
	t.Logf("exit code %d, peak %d MB", got.Code, got.PeakBytes>>20)
	if got.Code != 0 || got.TimedOut || strings.Contains(got.Text(), "goroutine ") {
		t.Fatalf("exit code %d, want 0 and no trace:\n%s", got.Code, got.Text())
	}
	if got.PeakBytes > most {
		t.Errorf("the run took %d MB, want at most %d", got.PeakBytes>>20, most>>20)
	}
	wanted := []string{`outcomes .*\bok \d`, `outcomes .*\b` + string(x.want) + ` \d`} // in the order of their names
	reports, _ := filepath.Glob(filepath.Join(dir, "out", "*", "report", "report.txt"))
	if len(reports) != 1 {
		t.Fatalf("reports %v, want one", reports)
	}
	long, err := os.ReadFile(reports[0])
	for _, want := range wanted {
		if err != nil || !regexp.MustCompile(want).Match(long) {
			t.Errorf("the report does not match %q (%v):\n%s", want, err, long)
		}
	}
}
