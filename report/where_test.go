package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
)

// The path of a page is printed only where there is one that can be believed.
func TestWhereThePageIs(t *testing.T) {
	r := reporttest.Judged(t)
	r.Bundle = &bundle.Bundle{Dir: t.TempDir()}
	page := filepath.Join(r.Bundle.Dir, "report", "report.html")
	f := func(want string) {
		t.Helper()
		var got bytes.Buffer
		if err := report.Brief(report.Look{})(&got, r); err != nil || !strings.Contains(got.String(), "\npage     "+want+"\n") {
			t.Errorf("%v: want the page at %s:\n%s", err, want, got.String())
		}
	}
	f("assay report --format html " + r.Bundle.Dir)
	if err := os.MkdirAll(filepath.Dir(page), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, []byte("<html>"), 0o644); err != nil {
		t.Fatal(err)
	}
	f(page)
	r.NotVerified = []string{"report/report.html: changed after sealing"}
	f("assay report --format html " + r.Bundle.Dir)
}

// The accelerators of the host that measured are not those of a target elsewhere.
func TestDeviceOfATargetElsewhere(t *testing.T) {
	r := reporttest.Judged(t)
	r.Manifest.Environment = record.Environment{}
	r.Manifest.Environment.Set("gpu.0.model", "H200")
	r.Plan.Run.Spec.Target.Server, r.Plan.Run.Spec.Target.URL = nil, "http://127.0.0.1:8000"
	if !slices.Contains(r.Subject(), "1 × H200") {
		t.Errorf("a target here: %q, want its accelerator", r.Subject())
	}
	r.Plan.Run.Spec.Target.URL = "http://elsewhere.example:8000"
	if slices.Contains(r.Subject(), "1 × H200") {
		t.Errorf("a target elsewhere: %q, want no accelerator", r.Subject())
	}
}
