package telemetry

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// A program that fails must say so in its own words.
func TestRunCommand(t *testing.T) {
	out, err := runCommand(t.Context(), "sh", "-c", "echo answer; echo broken >&2; echo more >&2; exit 3")
	if string(out) != "answer\n" || err == nil || !strings.HasPrefix(err.Error(), "sh: broken: ") {
		t.Errorf("got %q, %v; want the answer and the first line of the complaint", out, err)
	}
	if _, err := runCommand(t.Context(), "no-such-program-here"); err == nil {
		t.Error("a program that is not there gave no error")
	}
}

// The machine the test runs on must give every name, as a value or a reason,
// whatever machine it is. Run with -v to read them.
func TestLocal(t *testing.T) {
	h := Local(t.Context())
	defer h.Close()
	env := Capture(t.Context(), h)
	names := []string{}
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fact := env[name]
		if (fact.Value == nil) == (fact.Unavailable == "") {
			t.Errorf("%s: got value %v and reason %q, want one of them", name, fact.Value, fact.Unavailable)
		}
		if fact.Unavailable != "" {
			t.Logf("%s: unavailable: %s", name, fact.Unavailable)
			continue
		}
		t.Logf("%s: %v", name, fact.Value)
	}
	for _, name := range Names() {
		if _, ok := env[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

// Every source must deliver on the machine the test runs on, values or nulls
// with a reason. Run with -v to read them.
func TestSampleLocal(t *testing.T) {
	h := Local(t.Context())
	defer h.Close()
	seen := map[string]int{}
	var events []record.Event
	sink := Sink{
		Samples: func(batch []record.Sample) {
			for _, s := range batch {
				seen[s.Source]++
				if s.Value != nil {
					t.Logf("%s %s %s = %v %s", s.Source, s.Name, s.Scope, *s.Value, s.Unit)
				}
			}
		},
		Event: func(e record.Event) { events = append(events, e) },
	}
	start := time.Now()
	stop := Start(t.Context(), h, func() int64 { return time.Since(start).Nanoseconds() }, sink, Options{Interval: 50 * time.Millisecond})
	time.Sleep(120 * time.Millisecond)
	stop()
	for _, source := range []string{"host", "client", "gpu"} {
		if seen[source] == 0 {
			t.Errorf("no sample of source %s, want values or nulls", source)
		}
	}
	for _, e := range events {
		t.Logf("%s: %s", e.Name, e.Detail)
	}
}

// BenchmarkSources is what one reading of everything costs the machine under
// test.
func BenchmarkSources(b *testing.B) {
	h := Local(b.Context())
	defer h.Close()
	for _, s := range All {
		b.Run(s.ID, func(b *testing.B) {
			read := s.Open(h, Options{})
			for b.Loop() {
				if _, err := read(b.Context()); err != nil {
					b.Skipf("this machine has no %s: %v", s.Name, err)
				}
			}
		})
	}
}

// The digest is that of the file that was started.
func TestProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Program()
	if want := fmt.Sprintf("%x", sha256.Sum256(content)); err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
