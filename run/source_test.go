package run

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/workload"
	"assay/workload/token"
)

func sourceOf(t *testing.T, fields string) (workload.Source, error) {
	t.Helper()
	p := planOf(t, `workload: {model: m, `+fields+`}, `+endpoint+`, load: {concurrency: [1]}`)
	in, err := readInputs(p)
	if err != nil {
		return nil, err
	}
	return newSource(p.Run.Spec.Workload, in, 1)
}

// What the spec says about lengths and prefixes is what calls have.
func TestSource(t *testing.T) {
	f := func(fields string, holds func(words, output int) bool) {
		t.Helper()
		s, err := sourceOf(t, fields)
		if err != nil {
			t.Errorf("%s: %v", fields, err)
			return
		}
		for id := range int64(50) {
			c := s.Call(0, id)
			got, err := token.Default().Count(c.Prompt)
			if err != nil || got != int(c.InputTokens) || !holds(got, int(c.OutputTokens)) {
				t.Errorf("%s: %d tokens where %d are said, %d out, %v", fields, got, c.InputTokens, c.OutputTokens, err)
			}
		}
	}
	f(`prompt: {}`, func(in, out int) bool { return in == 512 && out == 128 })
	f(`prompt: {scenario: "D(70,9)"}`, func(in, out int) bool { return in == 70 && out == 9 })
	f(`prompt: {scenario: "U(40,60)/(5,8)"}`, func(in, out int) bool { return in >= 40 && in < 60 && out >= 5 && out < 8 })
	f(`prompt: {distribution: uniform, spread: 0.5}`, func(in, out int) bool { return in >= 256 && in <= 768 && in != out })
	f(`prompt: {distribution: lognormal, spread: 0.5, prefixRatio: 0.5, prefixPool: 2, prefixLevels: 2, prefixBranch: 2}`, func(in, _ int) bool { return in > 0 })
	s, err := sourceOf(t, `prompt: {prefixTokens: 100}`)
	if err != nil {
		t.Fatal(err)
	}
	opening := func(id int64) string { return strings.Join(strings.Fields(s.Call(0, id).Prompt)[:90], " ") }
	if opening(1) != opening(2) {
		t.Error("two prompts do not share the prefix")
	}
}

func TestSourceOfDataset(t *testing.T) {
	const rows = "one\ntwo\nthree\n"
	path := filepath.Join(t.TempDir(), "prompts.txt")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(rows)))
	ask := func(ref, more string) (workload.Source, error) {
		return sourceOf(t, fmt.Sprintf(`datasetRef: "%s", prompt: {dataset: {path: %q%s}}`, ref, path, more))
	}
	s, err := ask("mine@"+digest, ", limit: 2")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{s.Call(0, 0).Prompt: true, s.Call(0, 1).Prompt: true}
	if !seen["one"] || !seen["two"] || s.Call(0, 0).OutputTokens != 128 {
		t.Errorf("asked %v, want the first two rows", seen)
	}
	if _, err := ask("sha256:"+strings.Repeat("0", 64), ""); err == nil || !strings.Contains(err.Error(), digest) {
		t.Errorf("another content: %v, want an error that names %s", err, digest)
	}
	if _, err := ask(digest, ", format: json"); err == nil {
		t.Error("a text file was read as JSON")
	}
	p := planOf(t, fmt.Sprintf(`workload: {model: m, datasetRef: "mine@%s", prompt: {dataset: {path: %q}}}, %s, load: {concurrency: [1]}`, digest, path, endpoint))
	in, err := readInputs(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := newSource(p.Run.Spec.Workload, in, 2); err != nil {
		t.Errorf("a second point reads the file again: %v", err)
	}
	if _, err := readInputs(p); err == nil || !strings.Contains(err.Error(), "data set "+path) {
		t.Errorf("a file that is gone: %v, want an error that names it", err)
	}
	if got := datasets(p); len(got) != 1 || got[0].Name != "mine" || got[0].Digest != digest {
		t.Errorf("the manifest names %+v", got)
	}
}
