//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Between a program and its checks go plain values, exceptions and changed arguments.
func TestValuesThatCross(t *testing.T) {
	t.Parallel()
	source := `
import collections, fractions
def same(x): return x
def change(numbers, table, seen): numbers.sort(); numbers.append(0); table["new"] = [1]; del table["old"]; table["deep"].append(2); seen.discard(1)
def fail(kind): raise kind_of(kind)("no")
def kind_of(name): return {"ValueError": ValueError, "Own": type("Own", (ValueError,), {})}[name]
def count(n): yield from range(n)
def forever():
    while True: yield 1
def counter(): return collections.Counter("aab")
def keys(): return {"a": 1}.keys()
def point(): return collections.namedtuple("Point", "x y")(1, 2)
def queue(): return collections.deque([1])
def loop(): a = []; a.append(a); return a
def quit(): raise SystemExit(0)
`
	tests := []struct {
		check string
		want  string // part of the reason; empty means that it passes
	}{
		{"for x in (None, True, 0, -1, 10**5000, 1.5, float('inf'), -0.0, 1j, '', 'é\\ud800\\n', b'\\x00', [], (), {}, set(), frozenset({1})):\n    y = same(x); assert y == x and type(y) is type(x), x", ""},
		{"x = {'a': [1, (2, {3}), {'b': None}], 4: 'c'}; assert same(x) == x", ""},
		{"import math; assert math.isnan(same(float('nan'))) and math.copysign(1, same(-0.0)) == -1", ""},
		{"numbers, table, seen = [3, 1], {'old': 1, 'deep': [1]}, {1, 2}; deep = table['deep']; change(numbers, table, seen)\n" +
			"assert numbers == [1, 3, 0] and table == {'deep': [1, 2], 'new': [1]} and seen == {2} and deep == [1, 2], (numbers, table, seen, deep)", ""},
		{"try: fail('ValueError')\nexcept ValueError as e: assert 'no' in str(e)\nelse: assert False", ""},
		{"try: fail('Own')\nexcept ValueError: assert False, 'a class of the program'\nexcept RuntimeError as e: assert 'Own: no' in str(e)", ""},
		{"fail('ValueError')", "ValueError: no"},
		{"assert list(count(3)) == [0, 1, 2] and next(count(5)) == 0 and sum(count(99999)) == 4999850001", ""},
		{"assert counter() == {'a': 2, 'b': 1} and keys() == {'a'} and point() == (1, 2) and same(range(3)) == range(3)", ""},
		{"assert queue() == [1]", "the program returned deque, which is not plain data"},
		{"next(forever())", "the program returned generator, which is not plain data"},
		{"assert loop() == 1", "recursive"},
		{"assert missing() == 1", "the program defines no missing"},
		{"quit()", "SystemExit"},
		{"same(1, 2)", "TypeError"},
		{"assert same(x=1) == 1, 'by name'", ""},
	}
	for _, tt := range tests {
		o, err := opened(t).Run(t.Context(), Program{Source: source, Check: tt.check, Limits: Limits{Wall: time.Minute}})
		switch {
		case err != nil:
			t.Errorf("%s: %v", tt.check, err)
		case tt.want == "" && !o.Passed(), tt.want != "" && (o.Verdict != Failed || !strings.Contains(o.Why, tt.want)):
			t.Errorf("%s: %s because %q, want %q", tt.check, o.Verdict, o.Why, tt.want)
		}
	}
}

// Checks that cannot run are nobody's wrong answer: they are an error.
func TestBrokenChecks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		program Program
		want    string
	}{
		{Program{Check: "assert ("}, "the checks themselves: SyntaxError"},
		{Program{Prepare: "import no_such_module", Check: "pass"}, "No module named 'no_such_module'"},
		{Program{Check: "f(lambda: 1)"}, "the checks hand f an object that cannot be sent to it"},
	}
	for _, tt := range tests {
		tt.program.Source, tt.program.Limits.Wall = "def f(x): return x()", time.Minute
		o, err := opened(t).Run(t.Context(), tt.program)
		if err == nil || !strings.Contains(err.Error(), tt.want) || o.Passed() {
			t.Errorf("%q: %v, %v; want %q", tt.program.Check, o.Verdict, err, tt.want)
		}
	}
}

// A program that carries its own checks passes by running to its end, and only so.
func TestTogether(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source string
		want   Verdict
		why    string
	}{
		{"assert 1 + 1 == 2\nprint('done')", Passed, ""},
		{"assert 1 + 1 == 3", Failed, "AssertionError: assert 1 + 1 == 3 (line 1 of the program)"},
		{"import os\nos._exit(0)\nassert False", Failed, "exit status 0"},
		{"import sys\nsys.exit(0)\nassert False", Failed, "SystemExit"},
		{"import atexit, os\natexit.register(os._exit, 0)\nassert False", Failed, "AssertionError"},
		{"def f(:", Failed, "SyntaxError"},
		{"x = '\xff'", Failed, "SyntaxError"},
		{"a\x00b", Failed, "null byte"},
		{strings.Repeat("# long\n", 200_000), Passed, ""},
		{"", Passed, ""},
	}
	for _, tt := range tests {
		o, err := opened(t).Run(t.Context(), Program{Source: tt.source, Limits: Limits{Wall: time.Minute}})
		if err != nil || o.Verdict != tt.want || !strings.Contains(o.Why, tt.why) || o.Checks != Together {
			t.Errorf("%.40q: %s because %q, %v; want %s with %q", tt.source, o.Verdict, o.Why, err, tt.want, tt.why)
		}
	}
}

// Outcomes come in the order of the programs, each with what held it and what it cost.
func TestOrder(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var programs []Program
	for i := range 20 {
		programs = append(programs, Program{Source: fmt.Sprintf("print(%d)\nassert %d %% 3", i, i), Limits: Limits{Wall: time.Minute}})
	}
	outcomes, err := s.RunAll(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.Passed() != (i%3 != 0) || !strings.HasPrefix(o.OutputTail, fmt.Sprintf("%d\n", i)) {
			t.Errorf("program %d: %s, %q", i, o.Verdict, o.OutputTail)
		}
		if len(o.Layers) < 6 || o.Wall <= 0 || o.CPU <= 0 || o.OutputBytes == 0 {
			t.Errorf("program %d: %+v, want layers, times and a count", i, o)
		}
	}
}

// Who cancels is not kept waiting, and gets no outcome that nobody saw.
func TestCancel(t *testing.T) {
	t.Parallel()
	opened(t)
	s, err := Open(t.Context(), Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	begun := time.AfterFunc(200*time.Millisecond, func() { cancel(why) })
	defer begun.Stop()
	sleep := Program{Source: "import time\ntime.sleep(600)", Limits: Limits{Wall: 20 * time.Minute}}
	outcomes, err := s.RunAll(ctx, []Program{sleep, sleep, sleep, sleep})
	if !errors.Is(err, why) {
		t.Errorf("RunAll said %v, want %v", err, why)
	}
	for i, o := range outcomes {
		if o.Verdict != "" {
			t.Errorf("program %d has verdict %s", i, o.Verdict)
		}
	}
	o, err := s.Run(t.Context(), Program{Source: "pass", Limits: Limits{Wall: time.Minute}})
	if err != nil || !o.Passed() {
		t.Errorf("afterwards: %s, %v", o.Verdict, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Nothing is left of a Sandbox that was closed: no process, no descriptor, no folder.
func TestNothingIsLeft(t *testing.T) {
	opened(t)
	before := open(t)
	s, err := Open(t.Context(), Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	name := "box" + strings.ToLower(rand.Text())[:8]
	daemon := Program{Limits: Limits{Wall: time.Minute}, Source: fmt.Sprintf(`
import ctypes, os, time
named, name = os.pipe()
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).prctl(15, b%[1]q)  # its name among the processes
    os.write(name, b"x")
    os.closerange(0, 64)
    time.sleep(600)
os.read(named, 1)
open(%[1]q, "w").close()`, name)}
	if _, err := s.RunAll(t.Context(), []Program{daemon, daemon, daemon, {Source: "while True: pass", Limits: Limits{Wall: time.Second}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := open(t); len(after) > len(before) {
		t.Errorf("open before: %q, after: %q", before, after)
	}
	if left := named(t, name); len(left) > 0 {
		t.Errorf("still running: %q", left)
	}
	if left, err := filepath.Glob("/tmp/" + name); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}

// open lists this process's descriptors.
func open(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil {
			all = append(all, target)
		}
	}
	return all
}

// named lists the processes of this host with a name.
func named(t *testing.T, name string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(path string) bool {
		text, err := os.ReadFile(path)
		return err != nil || strings.TrimSpace(string(text)) != name
	})
}

func TestTail(t *testing.T) {
	t.Parallel()
	kept := newTail(10)
	var flooded int
	kept.drain(strings.NewReader(strings.Repeat("x", 100_000)+"the end\xff"), 1000, func() { flooded++ })
	if text, total := kept.text(); text != "xxthe end\uFFFD" || total != 100_008 || flooded != 1 {
		t.Errorf("kept %q of %d bytes, flooded %d times", text, total, flooded)
	}
}

// Numbers for users are taken from what a namespace has, far from those in use.
func TestSpareUsers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		idMap string
		want  int
	}{
		{"         0          0 4294967295\n", firstUser + 3},
		{"         0     100000      65536\n", 65535 - 1 - 3},
		{"         0       1000          1\n         1     100000      65536\n", 65536 - 1 - 3},
		{"         0       1000          1\n", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got := spare(tt.idMap, 3); got != tt.want {
			t.Errorf("spare(%q) = %d, want %d", tt.idMap, got, tt.want)
		}
	}
}
