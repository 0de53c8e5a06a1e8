package gate

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if list, err := ReadHistory(path); err != nil || len(list) != 0 {
		t.Fatalf("a history that has not begun: %v, %v", list, err)
	}
	first := Entry{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Rule: Rule, Policy: "sha256:p", Alpha: .05,
		Baseline: "sha256:a", Candidate: "sha256:b", Verdicts: map[string]Verdict{"ttft.v2 p99": Regressed}, Alerts: []string{"ttft.v2 p99"},
	}
	second := first
	second.Baseline, second.Passed, second.Reason = "sha256:c", true, "new hardware"
	for _, e := range []Entry{first, second} {
		if err := AppendHistory(path, e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	first.Version, second.Version = HistoryVersion, HistoryVersion
	if want := []Entry{first, second}; !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	for _, broken := range []string{"{\n", "{}\n"} {
		if err := os.WriteFile(path, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadHistory(path); err == nil || !strings.Contains(err.Error(), ":1:") {
			t.Errorf("history %q: %v, want an error that names the line", broken, err)
		}
	}
}
