package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"assay/tests/whole"
)

// The CI examples do what they say, step by step against the simulator: they measure, keep,
// gate, and hand a comment to the program that posts it, which notes it here.
func TestCIExamples(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, tt := range []struct{ name, poster string }{{"github.yml", "gh"}, {"gitlab.yml", "curl"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			steps, always := ciSteps(t, "../../examples/ci/"+tt.name)
			if len(steps) < 3 || len(always) < 2 {
				t.Fatalf("%d steps and %d that come in any case", len(steps), len(always))
			}
			script := "set -uo pipefail\nfailed=0\n"
			for _, step := range steps {
				script += "if [ $failed = 0 ]; then ( set -e\n" + step + "\n) || failed=$?; fi\n"
			}
			for _, step := range always {
				script += "( set -e\n" + step + "\n) || exit 99\n"
			}
			dir := workflowFolder(t, "")
			poster := "#!/bin/sh\necho \"$@\" > posted.txt\n"
			if err := os.WriteFile(filepath.Join(dir, "bin", tt.poster), []byte(poster), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-c", script+"exit $failed\n")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+dir+"/bin:"+os.Getenv("PATH"), "ASSAY_WAREHOUSE="+dir+"/warehouse", "PULL_REQUEST=7",
				"COMMENT_TOKEN=t", "CI_API_V4_URL=https://gitlab.example.com/api/v4", "CI_PROJECT_ID=1", "CI_MERGE_REQUEST_IID=7")
			out, err := cmd.CombinedOutput()
			// Whether equal sides pass is the machine's to say: a busy one makes void runs.
			if code := cmd.ProcessState.ExitCode(); code != exitOK && code != exitAdvisoryBad {
				t.Fatalf("exit code %d (%v):\n%s", code, err, out)
			}
			comment, posted := read(t, filepath.Join(dir, "comment.md")), read(t, filepath.Join(dir, "posted.txt"))
			if !strings.Contains(comment, "tpot.v1") || !strings.Contains(comment, "</details>") || !strings.Contains(posted, "comment.md") || !strings.Contains(posted, "7") {
				t.Errorf("posted %s with\n%s", posted, comment)
			}
			if rows, _, _ := call(t, "query", "--warehouse", dir+"/warehouse", "--format", "csv", "SELECT name, status FROM current_run"); !strings.Contains(rows, "pull-request,completed") {
				t.Errorf("the warehouse has %q", rows)
			}
		})
	}
}

// ciSteps are the commands of a workflow: those that end with the first failure, and those
// that come in any case.
func ciSteps(t *testing.T, file string) (steps, always []string) {
	t.Helper()
	var github struct {
		Jobs map[string]struct {
			Steps []struct{ Run, If string }
		}
	}
	var gitlab struct {
		Performance struct {
			Script      []string
			AfterScript []string `yaml:"after_script"`
		}
	}
	text := []byte(read(t, file))
	for _, into := range []any{&github, &gitlab} {
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range github.Jobs["performance"].Steps {
		switch {
		case step.Run == "":
		case step.If == "always()":
			always = append(always, step.Run)
		default:
			steps = append(steps, step.Run)
		}
	}
	return append(steps, gitlab.Performance.Script...), append(always, gitlab.Performance.AfterScript...)
}
