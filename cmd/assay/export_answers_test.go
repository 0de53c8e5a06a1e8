package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An evaluation goes out as lm-eval writes it and comes back in through the reader of
// lm-eval's results.
func TestExportAnswers(t *testing.T) {
	t.Parallel()
	dir := evaluate(t, `{"prompt": "1 + 1", "text": "2"}
{"prompt": "2 + 2", "text": "4"}
{"prompt": "3 + 3", "text": "5"}
{"prompt": "4 + 4", "text": "8"}
{"prompt": "5 + 5", "fault": "html-500"}
{"prompt": "6 + 6", "text": ""}`)
	out := filepath.Join(t.TempDir(), "lm-eval")
	var wrote exported
	if inSchema(t, "export", &wrote, "export", "lm-eval", dir, "-o", out, "--json"); len(wrote.Files) != 2 {
		t.Fatalf("wrote %+v", wrote)
	}
	data, err := os.ReadFile(wrote.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	var results struct {
		Results map[string]map[string]any
		Samples map[string]map[string]int `json:"n-samples"`
		Shots   map[string]int            `json:"n-shot"`
	}
	if err := json.Unmarshal(data, &results); err != nil {
		t.Fatal(err)
	}
	if got := results.Results["own"]["exact_match,none"]; got != .6 {
		t.Errorf("exact_match is %v, want 3 of 5", got)
	}
	if got := results.Results["own"]["exact_match_stderr,none"].(float64); got < .24494 || got > .24496 { // √(0.3/5)
		t.Errorf("stderr is %v, want 0.244949", got)
	}
	if n := results.Samples["own"]; n["original"] != 6 || n["effective"] != 5 {
		t.Errorf("n-samples %v, want 5 of 6", n)
	}
	wantSamples(t, wrote.Files[1])
	stdout, stderr, code := call(t, "import", wrote.Files[0], "-o", filepath.Join(t.TempDir(), "runs"), "--json")
	if code != exitOK || !strings.Contains(stdout, `"exact_match,none"`) {
		t.Errorf("import: exit %d\n%s", code, stderr)
	}
	if _, _, code := call(t, "export", "lm-eval", dir, "-o", filepath.Join(t.TempDir(), "x"), "--launch", "9"); code != exitUsage {
		t.Errorf("a launch that is not there: exit %d", code)
	}
}

// wantSamples checks the lines of a file of samples: five answers, with two filters each.
func wantSamples(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, right := 0, 0.
	for scan := bufio.NewScanner(file); scan.Scan(); lines++ {
		var sample struct {
			Filter    string
			Target    string
			Responses [][]string `json:"resps"`
			Filtered  []string   `json:"filtered_resps"`
			Match     *float64   `json:"exact_match"`
		}
		if err := json.Unmarshal(scan.Bytes(), &sample); err != nil {
			t.Fatalf("%s: %v", scan.Text(), err)
		}
		if sample.Filter != "none" {
			continue
		}
		if sample.Match == nil || len(sample.Responses) != 1 || len(sample.Filtered) != 1 || sample.Target == "" {
			t.Fatalf("a sample lacks something: %s", scan.Text())
		}
		right += *sample.Match
	}
	if lines != 10 || right != 3 {
		t.Errorf("%d lines with %g right, want 10 with 3", lines, right)
	}
}
