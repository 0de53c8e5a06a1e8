package main

import (
	"strings"
	"testing"
)

// Help shows the verbs in groups and leaves the rare ones out, which still work.
func TestHelpInGroups(t *testing.T) {
	help, _, code := call(t, "--help")
	if code != exitOK {
		t.Fatalf("exit %d", code)
	}
	at := 0
	for _, want := range []string{"Start here:", "bench", "demo", "Measure:", "run", "Analyse:", "report", "Judge:", "gate", "Prepare:", "plan", "Bundles:", "verify"} {
		i := strings.Index(help[at:], want)
		if i < 0 {
			t.Fatalf("help does not show %q in its place:\n%s", want, help)
		}
		at += i
	}
	for _, rare := range []string{"tools", "man", "worker", "list", "cluster"} {
		if strings.Contains(help, "\n  "+rare+" ") {
			t.Errorf("help shows %s", rare)
		}
	}
	if out, _, code := call(t, "list", "targets"); code != exitOK || !strings.Contains(out, "openai-chat") {
		t.Errorf("list: exit %d, %s", code, out)
	}
}

// A mistyped verb or flag gets a suggestion.
func TestDidYouMean(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		_, stderr, code := call(t, args...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s", args, code, exitUsage, want, stderr)
		}
	}
	f("did you mean bench?", "bnech")
	f("did you mean compare?", "comapre", "a", "b")
	f(`unknown command "nosuch": see assay --help`, "nosuch", "--help")
	f("did you mean report?", "reprot", "--help")
	f("did you mean --concurrency", "bench", "--concurency", "3")
	f("see assay plan --help", "plan", "--frobnicate")
	f("missing argument: a spec file (usage: assay run SPEC", "run")
	if out, _, code := call(t, "help", "run"); code != exitOK || !strings.Contains(out, "SPEC") {
		t.Errorf("help run: exit %d", code)
	}
}

// Help of bench shows what does something; the rest is accepted all the same.
func TestIdleFlagsAreHidden(t *testing.T) {
	help, _, _ := call(t, "bench", "--help")
	for _, hidden := range []string{"--storage-bucket", "--master-port", "does nothing here", "(refused:"} {
		if strings.Contains(help, hidden) {
			t.Errorf("help of bench shows %q", hidden)
		}
	}
	if !strings.Contains(help, "--traffic-scenario") || !strings.Contains(help, "--quick") {
		t.Errorf("help of bench lacks options that count:\n%s", help)
	}
}
