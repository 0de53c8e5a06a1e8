package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/scaling"
)

// What scale says of files: the figures, the laws, and when it ends with a verdict.
func TestScaleFiles(t *testing.T) {
	dir := t.TempDir()
	two := filepath.Join(dir, "two.csv")
	text := "workers,value,software\n1,1,a\n1,1,a\n1,1,a\n2,0.6,b\n2,0.6,b\n2,0.6,b\n"
	if err := os.WriteFile(two, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		code int
		want []string
	}{
		{
			"times to a target", []string{"../../examples/data/time-to-train.csv", "--kind", "strong", "--quantity", "time", "--baseline", "smallest"}, exitVerdict,
			[]string{"the smallest measured size, 8 workers", "samples to target", "75.8 %", "Amdahl", "that of throughput falls", "no-variance", "held: a global batch of 8"},
		},
		{
			"a study in JSON", []string{"../../examples/data/scaling.json"}, exitOK,
			[]string{"the best program on one worker", "stop adding workers", "16 workers would give", "32 workers: not said", "cheapest of the measured sizes: 1 workers"},
		},
		{
			"two releases", []string{two, "--kind", "strong", "--quantity", "time", "--baseline", "one_worker"}, exitOK,
			[]string{"scaling-software", "a at 1 workers; b at 2 workers"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := call(t, append([]string{"scale"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d: %s", code, tt.code, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %q in:\n%s", want, stdout)
				}
			}
		})
	}
}

// A flag says it against the file, and the result is JSON for programs.
func TestScaleJSON(t *testing.T) {
	stdout, stderr, code := call(t, "scale", "../../examples/data/scaling.json", "--predict", "12", "--threshold", "0.4", "--json")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var r scaling.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Predictions) != 1 || r.Predictions[0].Workers != 12 || r.Threshold != .4 || *r.Bend != 8 {
		t.Errorf("%+v", r)
	}
}

func TestScaleFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f := func(want string, args ...string) {
		t.Helper()
		_, stderr, code := call(t, append([]string{"scale"}, args...)...)
		if code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, %q; want %q", code, stderr, want)
		}
	}
	f("want a CSV or JSON file")
	f("unknown field", write("a.json", `{"kindd": "strong"}`))
	f("launches of one size must be of one release", write("a.csv", "workers,value,software\n1,1,a\n1,1,b\n"), "--kind", "strong", "--quantity", "time", "--baseline", "one_worker")
	f("want one, or one for each", write("b.csv", "workers,value,samples\n1,1,5\n1,1,6\n1,1,\n"), "--kind", "strong", "--quantity", "time", "--baseline", "one_worker")
}

// A study is a page too.
func TestScalePage(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := call(t, "scale", "../../examples/data/scaling.json", "--format", "html")
	if code != exitOK || !strings.Contains(stdout, "<h1>Strong scaling of time") {
		t.Errorf("exit %d, %s\n%.300s", code, stderr, stdout)
	}
	if _, stderr, code := call(t, "scale", "../../examples/data/scaling.json", "--format", "gif"); code != exitUsage || !strings.Contains(stderr, "want text, html, svg, png, pdf or json") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
