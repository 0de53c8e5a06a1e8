package cheats

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
	"assay/tests/forger"
	"assay/tests/program"
	"assay/tests/whole"
)

// TestLaunchesLeftOut takes the slow half out of a run that was really made, by somebody who
// knows every place that says how many there were. Launches that were numbered anew betray it,
// by their seeds or by the traces of their requests; the first three of six do not, and only a
// key closes that.
func TestLaunchesLeftOut(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	made := measure(t, honestly(), []string{"  trials: {minReplicates: 6}", "  seed: 7"})
	tests := []struct {
		name     string
		keep     []int
		oldSeeds bool // the plan keeps those of the launches that are left
		refused  string
		found    string // the check that voids it
	}{
		{"every second, with its seeds", []int{1, 3, 5}, true, "launch 1 has seed", ""},
		{"every second, planned anew", []int{1, 3, 5}, false, "", "trace-mismatch"},
		{"the first three", []int{0, 1, 2}, false, "", ""},
		{"all of them", []int{0, 1, 2, 3, 4, 5}, false, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), filepath.Base(made))
			noError(t, os.CopyFS(dir, os.DirFS(made)))
			leaveOut(t, dir, tt.keep, tt.oldSeeds)
			got := program.Run(t, "", "verify", dir)
			if tt.refused != "" {
				if got.Code != notVerified || !strings.Contains(got.Stdout, tt.refused) {
					t.Errorf("verify: exit %d, want %q\n%s", got.Code, tt.refused, got.Text())
				}
				return
			}
			if got.Code != 0 || !strings.Contains(got.Stdout, "verified: run") {
				t.Fatalf("verify: exit %d\n%s", got.Code, got.Text())
			}
			void := slices.ContainsFunc(linted(t, dir), isVoid("trace-mismatch"))
			if void != (tt.found != "") {
				t.Errorf("trace-mismatch: %v, want %q", void, tt.found)
			}
			key, err := bundle.GenerateKey()
			noError(t, err)
			keyed := strings.Replace(release, "spec:\n", "spec:\n  trustedKeys: ["+key.Public().ID+"]\n", 1)
			if got := program.Run(t, "", "gate", made, dir, "--policy", write(t, "keyed.yaml", keyed)); got.Code != notVerified {
				t.Errorf("a policy with keys: exit %d\n%s", got.Code, got.Text())
			}
		})
	}
}

// TestSpecOfAnother puts another document beside the plan, and another plan beside the document.
func TestSpecOfAnother(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	made := measure(t, honestly(), []string{"  seed: 7"})
	for name, change := range map[string]func(dir string){
		"a longer window asked for": func(dir string) {
			forger.Edit(t, dir, bundle.SpecFile, func(d []byte) []byte { return bytes.Replace(d, []byte("800ms"), []byte("60s"), 1) })
		},
		"a shorter one planned": func(dir string) {
			forger.Edit(t, dir, bundle.PlanFile, func(d []byte) []byte { return bytes.ReplaceAll(d, []byte(`"800ms"`), []byte(`"400ms"`)) })
		},
	} {
		dir := filepath.Join(t.TempDir(), filepath.Base(made))
		noError(t, os.CopyFS(dir, os.DirFS(made)))
		change(dir)
		forger.Reseal(t, dir, freeze(t, dir))
		if got := program.Run(t, "", "verify", dir); got.Code != notVerified || !strings.Contains(got.Stdout, "does not follow from spec.yaml: spec.load.duration is") {
			t.Errorf("%s: exit %d\n%s", name, got.Code, got.Text())
		}
	}
}

// freeze names spec and plan in the manifest by what they are now.
func freeze(t *testing.T, dir string) func(forger.Manifest) {
	return func(m forger.Manifest) {
		for field, name := range map[string]string{"specDigest": bundle.SpecFile, "planDigest": bundle.PlanFile} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			noError(t, err)
			m[field] = fmt.Sprintf("sha256:%x", sha256.Sum256(data))
		}
	}
}

// leaveOut keeps some launches of a bundle, numbers them anew and seals it as a run of those.
func leaveOut(t *testing.T, dir string, keep []int, oldSeeds bool) {
	t.Helper()
	raw := filepath.Join(dir, "raw")
	noError(t, os.Rename(raw, raw+".was"))
	folder := func(i int) string { return fmt.Sprintf("launch-%02d", i) }
	for now, was := range keep {
		noError(t, os.MkdirAll(raw, 0o755))
		noError(t, os.Rename(filepath.Join(raw+".was", folder(was)), filepath.Join(raw, folder(now))))
	}
	noError(t, os.RemoveAll(raw+".was"))
	for _, below := range []string{"derived", "report"} {
		noError(t, os.RemoveAll(filepath.Join(dir, below)))
	}
	asked := fmt.Sprintf("minReplicates: %d", len(keep))
	forger.Edit(t, dir, bundle.SpecFile, func(d []byte) []byte { return bytes.Replace(d, []byte("minReplicates: 6"), []byte(asked), 1) })
	replan(t, dir, keep, oldSeeds)
	renumber := func(launch any) (int, bool) {
		now := slices.Index(keep, int(launch.(float64)))
		return now, now >= 0
	}
	forger.Edit(t, dir, bundle.LedgerFile, func(data []byte) []byte {
		var out []byte
		for line := range bytes.Lines(data) {
			var l map[string]any
			noError(t, json.Unmarshal(line, &l))
			now, kept := renumber(l["launch"])
			if !kept {
				continue
			}
			l["launch"] = now
			if l["order"] != nil {
				l["order"] = now
			}
			text, err := json.Marshal(l)
			noError(t, err)
			out = append(append(out, text...), '\n')
		}
		return out
	})
	forger.Reseal(t, dir, func(m forger.Manifest) {
		freeze(t, dir)(m)
		rows := 0.0
		m["launches"] = slices.DeleteFunc(m["launches"].([]any), func(v any) bool {
			l := v.(map[string]any)
			now, kept := renumber(l["launch"])
			if kept {
				rows += l["rows"].(map[string]any)["requests"].(float64)
			}
			l["launch"], l["order"] = now, now
			return !kept
		})
		m["files"] = slices.DeleteFunc(m["files"].([]any), func(v any) bool {
			f := v.(map[string]any)
			path := f["path"].(string)
			for was := range 6 {
				if strings.HasPrefix(path, "raw/"+folder(was)+"/") {
					now, kept := renumber(float64(was))
					f["path"] = strings.Replace(path, folder(was), folder(now), 1)
					if f["launch"] != nil {
						f["launch"] = now
					}
					return !kept
				}
			}
			return strings.HasPrefix(path, "derived/") || strings.HasPrefix(path, "report/")
		})
		m["health"].(map[string]any)["balance"].(map[string]any)["begun"] = rows
	})
}

// replan writes the plan of the changed document, with seeds of its own or with those that the
// launches had.
func replan(t *testing.T, dir string, keep []int, oldSeeds bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, bundle.SpecFile))
	noError(t, err)
	document, faults := spec.Parse("", text)
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*document.Run)
	noError(t, err)
	forger.Edit(t, dir, bundle.PlanFile, func(data []byte) []byte {
		before, err := plan.Decode(data)
		noError(t, err)
		for now, was := range keep {
			if oldSeeds {
				p.Launches[now].Seed = before.Launches[was].Seed
			}
		}
		data, err = p.Encode()
		noError(t, err)
		return data
	})
}
