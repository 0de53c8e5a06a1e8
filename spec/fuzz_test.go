package spec

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// FuzzParse looks for input that crashes the reader, and for valid documents
// that do not survive being written and read again.
func FuzzParse(f *testing.F) {
	for _, data := range examples(f) {
		f.Add(data)
	}
	faulty, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range faulty {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(secretive))
	f.Add([]byte(`{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkRun", "metadata": {"name": "a"}, "spec": {"workload": {"model": "\ud83d\ude00"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, faults := Parse("f", data)
		wantFaultsInOrder(t, faults)
		unread := slices.ContainsFunc(faults, func(f Fault) bool { return f.Rule == ruleTypes })
		if !Valid(faults) || unread { // a value that was not read cannot be written
			return
		}
		switch {
		case doc.Run != nil:
			wantRunSurvives(t, data, *doc.Run)
		case doc.Workload != nil:
			wantWorkloadSurvives(t, *doc.Workload)
		}
	})
}

func wantFaultsInOrder(t *testing.T, faults []Fault) {
	t.Helper()
	sorted := slices.Clone(faults)
	SortFaults(sorted)
	if !slices.Equal(sorted, faults) {
		t.Errorf("faults are not in reading order:%s", lines(faults))
	}
	for _, f := range faults {
		if f.Line < 1 || f.Column < 1 || f.Rule == "" || f.Message == "" || ruleOrder(f.Rule) < 0 {
			t.Errorf("fault says too little: %+v", f)
		}
	}
}

// A valid run resolves, writes and reads again as the same question, and its
// redacted source shows no secret.
func wantRunSurvives(t *testing.T, data []byte, run Run) {
	t.Helper()
	want, err := WorkloadDigest(run)
	if err != nil {
		t.Fatalf("a valid run has no digest: %v", err)
	}
	resolved, _ := Resolve(run)
	for _, r := range []Run{run, resolved} {
		written, err := WriteYAML(r)
		if err != nil {
			t.Fatalf("a valid run cannot be written: %v", err)
		}
		if got := digestOf(t, written); got != want {
			t.Errorf("digest %s, want %s after\n%s", got, want, written)
		}
		encoded, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := digestOf(t, encoded); got != want {
			t.Errorf("digest %s, want %s after\n%s", got, want, encoded)
		}
	}
	redacted := RedactSource(data, run)
	for _, secret := range Secrets(run) {
		if len(secret) >= everywhere && bytes.Contains(redacted, []byte(secret)) {
			t.Errorf("the secret %q is in\n%s", secret, redacted)
		}
	}
}

func wantWorkloadSurvives(t *testing.T, w WorkloadSpec) {
	t.Helper()
	resolved, _ := ResolveWorkload(w)
	written, err := WriteYAML(resolved)
	if err != nil {
		t.Fatalf("a valid workload spec cannot be written: %v", err)
	}
	doc, faults := Parse("f", written)
	if !Valid(faults) {
		t.Fatalf("a valid workload spec does not read back:%s\n%s", lines(faults), written)
	}
	again, _ := ResolveWorkload(*doc.Workload)
	if got, want := asJSON(t, again), asJSON(t, resolved); got != want {
		t.Errorf("read back\n%s\nwant\n%s", got, want)
	}
}
