package spec

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestExamplesAreValid(t *testing.T) {
	for name, data := range examples(t) {
		_, faults := Parse(name, data)
		if !Valid(faults) {
			t.Errorf("%s is not valid:%s", name, lines(faults))
		}
		if name != reference && len(faults) > 0 {
			t.Errorf("%s has warnings:%s", name, lines(faults))
		}
	}
}

// Twelve different mistakes in one file give twelve faults, each at its own
// place.
func TestTwelveFaults(t *testing.T) {
	data, err := os.ReadFile("testdata/twelve-faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`f:4:9: metadata.name: got 12, expected non-empty string`,
		`f:7:14: spec.intent.cadence: got "weekly", want one of canary, nightly, pre_release`,
		`f:9:5: spec.intent.workloadType: got the key a second time, want each key once (first on line 8)`,
		`f:12:5: spec.workload.sequenceLengthMix: got weights that sum to 0.9, weights must sum to 1`,
		`f:15:3: spec.trails: got the unknown field "trails", want a known field; did you mean trials?`,
		`f:18:20: spec.trials.minReplicates: got 2, must be an integer >= 3`,
		`f:19:22: spec.trials.confidenceLevel: got .nan, want a finite number`,
		`f:21:10: spec.target.url: got "127.0.0.1:8000", must be an http or https address such as http://127.0.0.1:8000`,
		`f:23:22: spec.load.concurrency[1]: got 0, want at least 1`,
		`f:24:15: spec.load.duration: got 30, want a number with a unit: one of ns, us, ms, s, m, h, d (for example 250ms)`,
		`f:25:11: spec.load.rate: got a list, belongs to concurrencyModel open_loop`,
		`f:26:18: spec.load.keepAnswers: got "yes", want true or false`,
	}
	_, faults := Parse("f", data)
	var got []string
	for _, f := range faults {
		got = append(got, f.Error())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Input that cannot be read gives one fault that says where, never a crash.
func TestUnreadable(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", 'b'+i, 'b'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i)
	}
	tests := []struct {
		name, text, rule, want string
	}{
		{"empty", "", "A21", "f:1:1: document: got an empty document, want a mapping with apiVersion, kind, metadata and spec"},
		{"comment only", "# nothing\n", "A21", "f:1:1: document: got an empty document, want a mapping with apiVersion, kind, metadata and spec"},
		{"list", "- a\n", "C1", "f:1:1: document: got a list, expected YAML mapping"},
		{"scalar", "3", "C1", "f:1:1: document: got 3, expected YAML mapping"},
		{"null", "null", "C1", "f:1:1: document: got nothing, expected YAML mapping"},
		{"syntax", "a: [1,\nb: 2\n", "A21", "f:2:1: document: got a syntax error (did not find expected ',' or ']'), want YAML or JSON"},
		{"not UTF-8", "a: b\nc: \xff\n", "A21", "f:2:4: document: got a byte that is not UTF-8, want a document in UTF-8"},
		{"two documents", "a: 1\n---\nb: 2\n", "A21", "f:2:1: document: got a second document, want one document per file"},
		{"alias bomb", bomb, "A21", "got a document that unfolds without end"},
		{"alias of itself", "a: &a [*a]\n", "A21", ""},
		{"deep", strings.Repeat("[", 5000), "A21", ""},
		{"deep JSON", strings.Repeat("[", 200) + strings.Repeat("]", 200), "A21", "got a document that is too large"},
		{"merge key", "a: &x {b: 1}\nc:\n  <<: *x\n", "A21", "f:3:3: document: got a merge key <<, want the fields written out"},
		{"odd key", "? [a]\n: b\n", "A21", "f:1:3: document: got a key that is not text, want a field name"},
		{"odd tag", "a: !secret x\n", "A21", `f:1:4: document: got the YAML tag "!secret", want a plain string`},
		{"too long", "a: " + strings.Repeat("x", MaxDocumentBytes), "A21", "want a document of at most 1048576 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := Parse("f", []byte(tt.text))
			if len(faults) != 1 || faults[0].Rule != tt.rule || !strings.Contains(faults[0].Error(), tt.want) {
				t.Errorf("got%s\nwant one %s fault with %s", lines(faults), tt.rule, tt.want)
			}
		})
	}
}

// Values that YAML readers disagree about, or that JSON cannot hold, are
// refused where they stand.
func TestNumbers(t *testing.T) {
	f := func(path, value, want string) {
		t.Helper()
		text := strings.Replace(string(example(t, minimal)), "    duration: 30s", "    "+path+": "+value, 1)
		_, faults := Parse("f", []byte(text))
		got := ""
		if len(faults) > 0 {
			got = faults[0].Error()
		}
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %s gave %q, want %q", path, value, got, want)
		}
	}
	f("requests", "10", "")
	f("requests", "010", "got 010, want a whole number in decimal digits")
	f("requests", "0x10", "got 0x10, want a whole number in decimal digits")
	f("requests", "1_000", "want a whole number in decimal digits")
	f("requests", "1.0", "want a whole number in decimal digits")
	f("requests", "99999999999999999999", "want a whole number in decimal digits")
	f("requests", "true", "got true, want a whole number")
	f("requests", "-1", "got -1, want at least 0")
	f("temperature", "0.70", "")
	f("temperature", "1e-1", "")
	f("temperature", ".inf", "got .inf, want a finite number")
	f("temperature", "1e999", "want a finite number")
	f("temperature", "'1'", `got "1", want a finite number`)
	f("cooldown", "1.5s", "")
	f("cooldown", "-1s", "got -1s, want at least 0s")
	f("cooldown", "1 fortnight", `got "1 fortnight", want one of ns, us, ms, s, m, h, d`)
	f("stream", "yes", `got "yes", want true or false`)
	f("warmup", "", "got nothing, want a mapping")
}

// A document and its JSON form are read alike, faults and all.
func TestJSONForm(t *testing.T) {
	data := []byte("{\n\t\"apiVersion\": \"assay.dev/v1alpha1\",\n\t\"kind\": \"BenchmarkRun\",\n" +
		"\t\"metadata\": {\"name\": \"caf\\u00e9 \\ud83d\\ude00\"},\n\t\"spec\": {\"workload\": {\"model\": \"m\"}, \"bad\": 1}\n}\n")
	doc, faults := Parse("f.json", data)
	want := `f.json:5:39: spec.bad: got the unknown field "bad"`
	if len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), want) {
		t.Errorf("got%s\nwant %s", lines(faults), want)
	}
	if got := doc.Run.Metadata.Name; got != "café 😀" {
		t.Errorf("name = %q, want café 😀", got)
	}
}

func TestWarnings(t *testing.T) {
	f := func(data []byte, want ...string) {
		t.Helper()
		_, faults := Parse("f", data)
		var got []string
		for _, fault := range faults {
			if fault.Severity == SeverityWarning {
				got = append(got, fault.Rule+" "+fault.Path)
			}
		}
		if !Valid(faults) || !slices.Equal(got, want) {
			t.Errorf("got%s\nwant a valid document with warnings %v", lines(faults), want)
		}
	}
	f(example(t, reference), "A8 spec.workload.correctness", "A7 spec.workload.datasetRef",
		"A6 spec.comparison.controls.fixed", "A18 spec.comparison.controls.fixed.sequenceLengthMix",
		"A96 spec.provenance.signing.backend", "A97 spec.sinks.rawArtifacts.store", "A97 spec.sinks.rawArtifacts.pathTemplate")
	f(patched(t, example(t, minimal), patch{"spec.sinks.rawArtifacts.pathTemplate", "file:///archive/${RUN_ID}/"}))
	f(patched(t, example(t, minimal), patch{"spec.sinks.rawArtifacts.pathTemplate", "/archive/all"}), "A97 spec.sinks.rawArtifacts.pathTemplate")
	f(patched(t, example(t, "realism-mixed.yaml"), patch{"spec.workload.correctness.allowedExceptions", []string{"mmlu: too long"}}), "A116 spec.workload.correctness.suite[0]")
	f(patched(t, example(t, serving), patch{"spec.trials.minReplicates", 9}), "A118 spec.trials.minReplicates")
	f(patched(t, example(t, serving), patch{"spec.trials.minReplicates", 5}, patch{"spec.intent.headline", HeadlineThroughput}, patch{"spec.slo", remove{}}))
	f(patched(t, example(t, serving), patch{"spec.workload.precision", AsServed}, patch{"spec.comparison.controls.fixed.precision", AsServed}),
		"A32 spec.workload.precision")
	f(patched(t, example(t, minimal), patch{"spec.target.headers", map[string]any{"X-Key": "abcdefgh", "Accept": "text/plain"}}),
		"A30 spec.target.headers.X-Key")
	f(patched(t, example(t, minimal), patch{"spec.intent.workloadType", Training}),
		"A34 spec.load", "A34 spec.target")
}

// A class that is missing from a reference document, or a section, is judged as
// publication grade, section by section.
func TestEmptyReferenceDocument(t *testing.T) {
	_, faults := Parse("f", []byte("apiVersion: "+ReferenceAPIVersion+"\nkind: BenchmarkRun\n"))
	rules := map[string]bool{}
	for _, f := range faults {
		if f.Line != 1 || f.Column != 1 {
			t.Errorf("%s is at %d:%d, want 1:1, its nearest parent", f.Path, f.Line, f.Column)
		}
		rules[f.Rule] = true
	}
	if len(faults) < 100 {
		t.Errorf("got %d faults, want every missing part named", len(faults))
	}
	for _, id := range []string{"C4", "C5", "C18", "C27", "C48", "C50", "C63"} {
		if !rules[id] {
			t.Errorf("no fault of rule %s", id)
		}
	}
}
