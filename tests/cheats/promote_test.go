package cheats

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/spec"
	"assay/suite/published"
	"assay/tests/fixture"
	"assay/tests/program"
)

// TestPromote publishes what was signed and is of the grade that is wanted, and nothing else
// unless somebody says so, which is kept.
func TestPromote(t *testing.T) {
	t.Parallel()
	realism := write(t, "realism.yaml", strings.Replace(release, "spec:\n", "spec:\n  grade: realism\n", 1))
	tests := []struct {
		name string
		run  fixture.Run
		args []string
		code int
		want string
	}{
		{"an honest publication", fixture.Run{Launches: 10}, nil, passed, "is published in"},
		{"a p99 of three launches", fixture.Run{}, nil, refused, "its headline stands on a p99 of 3 launches"},
		{"a run that nobody signed", fixture.Run{Realism: true, Unsigned: true}, []string{"--policy", realism}, refused, "nobody signed it (assay keygen makes a key"},
		{"realism as a publication", fixture.Run{Realism: true}, nil, refused, "it is of realism grade, and publication grade is wanted"},
		{"realism where the policy wants no more", fixture.Run{Realism: true}, []string{"--policy", realism}, passed, "is published in"},
		{"a suite that never ran", fixture.Run{Spec: func(r *spec.Run) { r.Spec.Workload.Correctness.AllowedExceptions = nil }}, nil, refused, "correctness.suite names gsm8k"},
		{"a run without a headline", fixture.Run{Spec: func(r *spec.Run) { r.Spec.Intent.Headline = "" }}, nil, refused, "intent.headline"},
		{"unsigned, and said so", fixture.Run{Realism: true, Unsigned: true}, []string{"--anyway"}, passed, "is published in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run, to := tt.run, t.TempDir()
			run.ID, run.Launches = "base", cmp.Or(run.Launches, 3)
			got := program.Run(t, "", append([]string{"promote", run.Write(t, t.TempDir()), "--to", to, "--why", "a release"}, tt.args...)...)
			if got.Code != tt.code || !strings.Contains(got.Text(), tt.want) {
				t.Fatalf("exit code %d, want %d and %q\n%s", got.Code, tt.code, tt.want, got.Text())
			}
			if tt.code != passed {
				return
			}
			data, err := os.ReadFile(filepath.Join(to, published.Current, published.PackageFile))
			noError(t, err)
			var p published.Package
			noError(t, json.Unmarshal(data, &p))
			if anyway := slices.Contains(tt.args, "--anyway"); anyway != (len(p.Despite) > 0) {
				t.Errorf("published despite %q, want that kept where it is so", p.Despite)
			}
		})
	}
}
