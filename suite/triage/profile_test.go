package triage

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"assay/bundle"
)

// A stand-in for Nsight Systems, with its words: profile runs the command and leaves a
// report, stats writes the tables of one.
const fakeNsys = `#!/bin/sh
verb=$1; shift
for word; do case $word in --output=*) out=${word#--output=};; esac; done
case $verb in
profile) while [ "${1#--}" != "$1" ]; do shift; done; "$@" && echo report > "$out.nsys-rep";;
stats) [ -f "$out.nsys-rep" ] || exit 1; echo Time > "${out}_cuda_api_sum.csv"; echo Time > "${out}_cuda_gpu_kern_sum.csv";;
esac
`

// A profiler that is here looks into the command and has its tables written; one that is
// not is called absent.
func TestProfilers(t *testing.T) {
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "nsys"), []byte(fakeNsys), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+":/usr/bin:/bin")
	dir := t.TempDir()
	o := Options{Command: []string{"sh", "-c", "echo worked"}, Duration: time.Minute, Redactor: bundle.NewRedactor(nil, nil)}
	list := o.Profilers(t.Context(), dir)
	if len(list) != 2 || list[0].File != "nsys.nsys-rep" || list[0].Error != "" || list[1].Absent == "" {
		t.Fatalf("%+v, want a report of nsys, and no ncu", list)
	}
	if want := []string{"nsys_cuda_api_sum.csv", "nsys_cuda_gpu_kern_sum.csv"}; !slices.Equal(list[0].Tables, want) {
		t.Errorf("tables %q, want %q", list[0].Tables, want)
	}
	if said, err := os.ReadFile(filepath.Join(dir, "nsys.log")); err != nil || string(said) != "worked\n" {
		t.Errorf("the command said %q, %v", said, err)
	}
	o.Command = []string{"false"}
	if list := o.Profilers(t.Context(), t.TempDir()); list[0].Error == "" || list[0].File == "nsys.nsys-rep" {
		t.Errorf("%+v, want what went wrong", list[0])
	}
}
