package trace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Numbers that are none, or too large to be times, are refused with the name of
// what has them.
func TestNoTimes(t *testing.T) {
	f := func(want, text string) {
		t.Helper()
		got, err := From("trace", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s was read as %+v (%v), want an error with %q", text, got, err, want)
		}
	}
	f(`"k" runs from`, "Start (ns),Duration (ns),Name\nNaN,1,k\n")
	f(`"k" runs from`, "Start (ns),Duration (ns),Name\n0,1e308,k\n")
	f(`"k" runs from`, "Start (ns),Duration (ns),Name\n0,-5,k\n")
	f(`"k" runs from`, "Total Time (ns),Instances,Name\nInf,1,k\n")
	f(`Instances of "k"`, "Total Time (ns),Instances,Name\n1,1e300,k\n")
	f(`"k" runs from`, `{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": -2}]}`)
	f(`"k" runs from`, `{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1e300, "dur": 1}]}`)
}

// Whatever a trace holds, it is refused, or says times that are some.
func FuzzFrom(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		f.Fatalf("testdata: %v (%v)", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := From("fuzz", bytes.NewReader(data))
		if err != nil {
			return
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%+v cannot be written: %v", got, err)
		}
		if got.Span < 0 || got.Compute < 0 || got.Comm < 0 || got.Copy < 0 || got.Sync < 0 || got.Idle < 0 || got.Kernels < 0 {
			t.Errorf("%+v holds a time below zero", got)
		}
	})
}
