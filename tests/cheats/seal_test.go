package cheats

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/bundle"
	"assay/metric"
	"assay/tests/fixture"
	"assay/tests/forger"
	"assay/tests/program"
	"assay/tests/whole"
)

// notVerified is the exit code for evidence that is not what was sealed.
const notVerified = 4

// slower is a candidate that any honest gate stops.
var slower = fixture.System{Version: newerEngine, Slow: 1.3}

// A tamperer changes the sealed bundle of a slow candidate so that it looks fast. It
// may use the bundle of the honest baseline.
type tamperer struct {
	name  string
	do    func(t *testing.T, candidate, baseline string)
	named string // what the refusal must name
}

var tamperers = []tamperer{
	{"figures of a derived file are edited", func(t *testing.T, candidate, _ string) {
		forger.Edit(t, candidate, figuresOf(t, candidate), faster)
	}, "estimates.json"},
	{"the baseline's records are put in place of the candidate's", func(t *testing.T, candidate, baseline string) {
		noError(t, os.RemoveAll(filepath.Join(candidate, "raw")))
		noError(t, os.CopyFS(filepath.Join(candidate, "raw"), os.DirFS(filepath.Join(baseline, "raw"))))
	}, "raw/launch-00"},
	{"a slow launch is deleted", func(t *testing.T, candidate, _ string) {
		noError(t, os.RemoveAll(filepath.Join(candidate, "raw", "launch-04")))
	}, "raw/launch-04"},
	{"two launches change places", func(t *testing.T, candidate, _ string) {
		swap(t, filepath.Join(candidate, "raw", "launch-00"), filepath.Join(candidate, "raw", "launch-01"))
	}, "raw/launch-00"},
	{"the ledger forgets a launch", func(t *testing.T, candidate, _ string) {
		forger.Edit(t, candidate, bundle.LedgerFile, func(data []byte) []byte {
			lines := bytes.SplitAfter(data, []byte("\n"))
			return bytes.Join(lines[:len(lines)-2], nil)
		})
	}, bundle.LedgerFile},
	{"the manifest is rewritten under the old signature", func(t *testing.T, candidate, _ string) {
		forger.Edit(t, candidate, figuresOf(t, candidate), faster)
		forger.Reseal(t, candidate, func(forger.Manifest) {})
	}, bundle.AttestationFile},
	{"the signature of another bundle", func(t *testing.T, candidate, baseline string) {
		data, err := os.ReadFile(filepath.Join(baseline, bundle.AttestationFile))
		noError(t, err)
		noError(t, os.WriteFile(filepath.Join(candidate, bundle.AttestationFile), data, 0o644))
	}, bundle.AttestationFile},
	{"the spec is edited after the run", func(t *testing.T, candidate, _ string) {
		forger.Edit(t, candidate, bundle.SpecFile, func(data []byte) []byte { return append(data, "# quieter\n"...) })
	}, bundle.SpecFile},
}

// TestSealCheats shows forged evidence to everything that concludes something from
// it.
func TestSealCheats(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	baseline := fixture.Run{ID: "base", Derived: true}.Write(t, t.TempDir())
	policy := write(t, "policy.yaml", release)
	for _, one := range tamperers {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			candidate := fixture.Run{ID: "candidate", Baseline: slower, Derived: true}.Write(t, t.TempDir())
			one.do(t, candidate, baseline)
			for _, args := range [][]string{
				{"gate", baseline, candidate, "--policy", policy}, {"compare", baseline, candidate}, {"claim", candidate},
			} {
				got := program.Run(t, "", args...)
				if got.Code != notVerified || !strings.Contains(got.Stderr, one.named) || got.Stdout != "" {
					t.Errorf("%s: exit %d, want %d and %s named\n%s", args[0], got.Code, notVerified, one.named, got.Text())
				}
			}
			shown := program.Run(t, "", "report", candidate)
			if shown.Code != notVerified || !strings.HasPrefix(shown.Stdout, "NOT VERIFIED") || strings.Contains(shown.Stdout, "signed by") {
				t.Errorf("report: exit %d\n%s", shown.Code, shown.Text())
			}
		})
	}
}

// Figures that are added under a good signature are not read: the records speak.
func TestAddedFigures(t *testing.T) {
	t.Parallel()
	key, err := bundle.GenerateKey()
	noError(t, err)
	candidate := fixture.Run{ID: "candidate", Baseline: slower, Key: key}.Write(t, t.TempDir())
	donor := fixture.Run{ID: "donor", Derived: true}.Write(t, t.TempDir())
	folder := filepath.Join(filepath.Dir(figuresOf(t, donor)))
	noError(t, os.CopyFS(filepath.Join(candidate, folder), os.DirFS(filepath.Join(donor, folder))))
	public := write(t, "key.pub", string(key.Public().PEM()))
	if got := program.Run(t, "", "verify", candidate, "--key", public); got.Code != 0 || !strings.Contains(got.Stdout, "files added after sealing") {
		t.Errorf("verify: exit %d\n%s", got.Code, got.Text())
	}
	got := program.Run(t, "", "report", candidate, "--key", public, "--json")
	var r struct{ Estimates metric.Estimates }
	noError(t, json.Unmarshal([]byte(got.Stdout), &r))
	row, ok := r.Estimates.Find(metric.TTFT.ID, "p50", 0)
	if !ok || row.Value < .12 || !strings.Contains(got.Stdout, "derived again from the records") {
		t.Errorf("TTFT p50 %v s (%v), want the records' 130 ms and a word about it\n%.2000s", row.Value, ok, got.Stdout)
	}
}

// Whoever holds no key can take the signature away and seal the forgery again. What is
// left is an unsigned bundle, whose figures are derived again and whose verdict is not
// one on a release; a policy that names its keys refuses it.
func TestResealedForgery(t *testing.T) {
	t.Parallel()
	key, err := bundle.GenerateKey()
	noError(t, err)
	baseline := fixture.Run{ID: "base", Key: key}.Write(t, t.TempDir())
	candidate := fixture.Run{ID: "candidate", Baseline: slower, Derived: true, Key: key}.Write(t, t.TempDir())
	forger.Edit(t, candidate, figuresOf(t, candidate), faster)
	forger.Unsign(t, candidate)
	if got := program.Run(t, "", "verify", candidate); got.Code != 0 || !strings.Contains(got.Stdout, "UNSIGNED") {
		t.Fatalf("verify: exit %d\n%s", got.Code, got.Text())
	}
	wantRefused(t, program.Run(t, "", "gate", baseline, candidate, "--policy", write(t, "policy.yaml", release)),
		"ADVISORY", "chosen-after (candidate): void: nobody signed the bundle")
	if got := program.Run(t, "", "compare", baseline, candidate); !strings.Contains(got.Stdout, "130 ms") {
		t.Errorf("the figures that were forged are compared, and not those of the records:\n%s", got.Text())
	}
	keyed := strings.Replace(release, "spec:\n", "spec:\n  trustedKeys: ["+key.Public().ID+"]\n", 1)
	got := program.Run(t, "", "gate", baseline, candidate, "--policy", write(t, "keyed.yaml", keyed))
	if got.Code != notVerified || !strings.Contains(got.Stderr, "UNSIGNED") {
		t.Errorf("a policy with keys: exit %d\n%s", got.Code, got.Text())
	}
	if got := program.Run(t, "", "claim", candidate); strings.Contains(got.Stdout, "publication grade") {
		t.Errorf("an unsigned bundle has publication grade:\n%s", got.Text())
	}
}

// A signature by somebody else is valid and means nothing to a reader who asks for
// another.
func TestForeignSignature(t *testing.T) {
	t.Parallel()
	mine, err := bundle.GenerateKey()
	noError(t, err)
	public := write(t, "key.pub", string(mine.Public().PEM()))
	foreign := fixture.Run{ID: "foreign"}.Write(t, t.TempDir())
	for _, verb := range []string{"claim", "verify"} {
		if got := program.Run(t, "", verb, foreign, "--key", public); got.Code != notVerified || !strings.Contains(got.Text(), "none of the 1 keys given") {
			t.Errorf("%s: exit %d\n%s", verb, got.Code, got.Text())
		}
	}
	trusting := program.Command{Args: []string{"report", foreign}, Env: []string{"ASSAY_TRUSTED_KEYS=" + public}}.Run(t)
	if trusting.Code != 0 || !strings.Contains(trusting.Stdout, "which you have not said you trust") {
		t.Errorf("report: exit %d\n%s", trusting.Code, trusting.Text())
	}
	own := fixture.Run{ID: "own", Key: mine}.Write(t, t.TempDir())
	trusting = program.Command{Args: []string{"report", own}, Env: []string{"ASSAY_TRUSTED_KEYS=" + public}}.Run(t)
	if trusting.Code != 0 || !strings.Contains(trusting.Stdout, "which you trust") {
		t.Errorf("report of one's own: exit %d\n%s", trusting.Code, trusting.Text())
	}
}

// figuresOf is the path of the derived estimates inside a bundle.
func figuresOf(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "derived", "*", "estimates.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("estimates.json: %v, %v", found, err)
	}
	path, err := filepath.Rel(dir, found[0])
	noError(t, err)
	return filepath.ToSlash(path)
}

// faster divides every time in an estimates.json by 1.32.
func faster(data []byte) []byte {
	var e metric.Estimates
	if json.Unmarshal(data, &e) != nil {
		return nil
	}
	for i, row := range e.Rows {
		if row.Unit == "s" {
			e.Rows[i].Value, e.Rows[i].Interval.Lo, e.Rows[i].Interval.Hi = row.Value/1.32, row.Interval.Lo/1.32, row.Interval.Hi/1.32
			for l := range row.PerLaunch {
				e.Rows[i].PerLaunch[l].Value /= 1.32
			}
		}
	}
	data, _ = json.MarshalIndent(e, "", "  ")
	return data
}

func swap(t *testing.T, a, b string) {
	t.Helper()
	noError(t, os.Rename(a, a+".away"))
	noError(t, os.Rename(b, a))
	noError(t, os.Rename(a+".away", b))
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
