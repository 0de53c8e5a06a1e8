package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/spec"
)

const followed = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: one}
spec:
  seed: 7
  workload: {model: m, sequenceLengthMix: [{inputTokens: 64, outputTokens: 16, weight: 1}]}
  target: {url: http://127.0.0.1:8101, server: {command: [serve], env: {DELAY: '0', API_KEY: abcdefgh}}}
  trials: {minReplicates: 4}
  load: {concurrency: [4, 8], duration: 1s}
`

// A plan follows from its document, read with secrets and without, and from one of a version
// with other defaults; not from one in which anything that was asked for stands otherwise.
func TestFollows(t *testing.T) {
	tests := []struct {
		name     string
		document string
		change   func(*Plan)
		want     string // of the error; empty where it follows
	}{
		{"as it was made", followed, nil, ""},
		{"a secret taken out", strings.Replace(followed, "abcdefgh", `"[redacted]"`, 1), nil, ""},
		{"another default", followed, func(p *Plan) { p.Run.Spec.Target.Metrics.Interval *= 2 }, ""},
		{"a field of a later version", strings.Replace(followed, "  seed: 7\n", "  seed: 7\n  later: 1\n", 1), nil, ""},
		{"no document", "x", nil, "spec.yaml holds no run"},
		{"another seed", strings.Replace(followed, "seed: 7", "seed: 8", 1), nil, "spec.seed is 8 in spec.yaml and 7 in the plan"},
		{"another setting of the server", strings.Replace(followed, "'0'", "'9'", 1), nil, "spec.target.server.env.DELAY"},
		{"more launches asked for", strings.Replace(followed, "minReplicates: 4", "minReplicates: 8", 1), nil, "spec.trials.minReplicates is 8 in spec.yaml and 4 in the plan"},
		{"a value of the plan's own", strings.Replace(followed, ", duration: 1s", "", 1), nil, "spec.load.duration"},
		{"launches left out", followed, func(p *Plan) { p.Launches = p.Launches[:2] }, "2 launches are planned, and the document asks for 2 and 4"},
		{"launches renumbered", followed, func(p *Plan) { p.Launches[1].Index = 3 }, "launch 2 is planned as number 4"},
		{"a launch in another block", followed, func(p *Plan) { p.Launches[1].Block = 1 }, "in block 2, and the document asks for"},
		{"a shorter point", followed, func(p *Plan) { p.Points[1].Duration /= 2 }, "points[1].duration is planned as"},
		{"a point left out", followed, func(p *Plan) { p.Points = p.Points[:1] }, "1 points and"},
	}
	for _, tt := range tests {
		document, faults := spec.Parse("", []byte(followed))
		if !spec.Valid(faults) {
			t.Fatal(faults)
		}
		p, err := New(*document.Run)
		if err != nil {
			t.Fatal(err)
		}
		text, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if p, err = Decode(text); err != nil {
			t.Fatal(err)
		}
		if tt.change != nil {
			tt.change(&p)
		}
		err = p.Follows([]byte(tt.document))
		if got := err != nil; got != (tt.want != "") || got && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// The launches of one side have seeds by their number, whatever block they claim.
func TestOneSideDerives(t *testing.T) {
	document, _ := spec.Parse("", []byte(followed))
	p, err := New(*document.Run)
	if err != nil {
		t.Fatal(err)
	}
	moved := p.Launches[2]
	moved.Index, moved.Block = 1, 2
	if !p.Derives(p.Launches[2]) || p.Derives(moved) {
		t.Error("a launch that was given another number still derives")
	}
}

// Every example of the documentation makes a plan that follows from it, sharded too.
func TestExamplesFollow(t *testing.T) {
	eachExample(t, func(name string, text []byte, run spec.Run) {
		p, err := New(run)
		if err != nil {
			return // it cannot be planned without what it names
		}
		if err := p.Follows(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if part, err := p.Shard(0, 2); err == nil {
			if err := part.Follows(text); err != nil {
				t.Errorf("%s, a part: %v", name, err)
			}
		}
	})
}

func eachExample(t *testing.T, f func(name string, text []byte, run spec.Run)) {
	t.Helper()
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if document, faults := spec.Parse(file, text); spec.Valid(faults) && document.Run != nil {
			f(filepath.Base(file), text, *document.Run)
		}
	}
}
