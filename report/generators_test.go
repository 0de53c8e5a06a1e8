package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
)

// Every load generator of a launch is shown, with its clock and how it ended.
func TestGenerators(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: []byte("{}")})
	must(err)
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	must(err)
	bound := int64(40_000)
	must(l.Generators.Append(
		record.Generator{Host: "a", Processors: 4, CPU: 2, Wall: 10, Bound: &bound, Requests: 70, Verdict: record.GeneratorOK},
		record.Generator{Generator: 1, Host: "b", Verdict: record.GeneratorLost},
	))
	must(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	_, err = w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{})
	must(err)
	b, err := bundle.Open(dir)
	must(err)
	var text bytes.Buffer
	writeGenerators(&text, Report{Bundle: b})
	for _, want := range []string{"load generators\n", "40.0 µs", "5.0 %", "lost"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	text.Reset()
	if writeGenerators(&text, Report{}); text.Len() > 0 {
		t.Errorf("shown where there are none: %s", text.String())
	}
}
