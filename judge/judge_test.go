package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/accuracy"
	"assay/analysis/scene"
	"assay/bundle"
	"assay/claim"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`

const code = "test" // the version that derives

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sealed builds a bundle whose judgement was kept before it was sealed, as a run does.
func sealed(t *testing.T, signer bundle.Signer) (dir string) {
	t.Helper()
	return sealedBy(t, signer, document, func(*Judgement) {})
}

// sealedBy is such a bundle of a program that judged otherwise.
func sealedBy(t *testing.T, signer bundle.Signer, document string, change func(j *Judgement)) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "b")
	_, err := scene.Run{Dir: dir, ID: "b", Document: document, Launches: scene.Launches([]float64{1, 1.01, .99}), Signer: signer,
		Keep: func(w *bundle.Writer, p plan.Plan) error {
			b, err := bundle.Open(dir)
			if err != nil {
				return err
			}
			j, err := Derive(b, p, code)
			if err != nil {
				return err
			}
			change(j)
			return j.Keep(w, code)
		}}.Build(t.Context())
	must(t, err)
	return dir
}

func newSigner(t *testing.T) bundle.KeySigner {
	t.Helper()
	signer, err := bundle.GenerateKey()
	must(t, err)
	return signer
}

func ttft(t *testing.T, j *Judgement) float64 {
	t.Helper()
	row, ok := j.Estimates.Find(metric.TTFT.ID, "p50", 0)
	if !ok {
		t.Fatal("no TTFT")
	}
	return row.Value
}

// tenTimesFaster divides every figure of estimates.json at path by ten, or writes such
// a file made of the one at from.
func tenTimesFaster(t *testing.T, from, path string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	var e metric.Estimates
	must(t, json.Unmarshal(data, &e))
	for i := range e.Rows {
		e.Rows[i].Value /= 10
	}
	data, err = json.MarshalIndent(e, "", "  ")
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, data, 0o644))
}

func TestSealedFiguresAreRead(t *testing.T) {
	signer := newSigner(t)
	dir := sealed(t, signer)
	j, err := Open(dir, Options{Version: code})
	must(t, err)
	if j.Source != Sealed || len(j.Faults()) != 0 || len(j.Notes()) != 0 || len(j.Audit.Results) == 0 {
		t.Errorf("source %q, faults %v, notes %v, %d checks; want what was sealed", j.Source, j.Faults(), j.Notes(), len(j.Audit.Results))
	}
	again, err := Open(dir, Options{Version: code, Derive: true})
	must(t, err)
	if again.Source != DerivedAgain || ttft(t, again) != ttft(t, j) || len(again.Notes()) != 1 {
		t.Errorf("an untrusted key's figures: source %q, %v and %v, notes %v; want the same figure, derived again, and said so", again.Source, ttft(t, again), ttft(t, j), again.Notes())
	}
	trusted, err := Open(dir, Options{Version: code, Derive: true, Trust: bundle.Trust{Known: []bundle.PublicKey{signer.Public()}}})
	must(t, err)
	if trusted.Source != Sealed || !strings.HasSuffix(trusted.Signature(), "which you trust") {
		t.Errorf("a trusted key's figures: source %q, %s", trusted.Source, trusted.Signature())
	}
	text := func(j *Judgement) []byte {
		data, err := json.Marshal(j.Pictures)
		must(t, err)
		return data
	}
	if len(j.Pictures.Distributions) == 0 || !bytes.Equal(text(j), text(again)) {
		t.Error("pictures read back are not those that were derived")
	}
}

// Figures of another set of metrics are computed again, although the program calls
// itself by the same version: what it lacks would be missing from every report.
func TestOtherDefinitionsAreNotRead(t *testing.T) {
	for _, definitions := range []string{"", "0123456789abcdef"} {
		j, err := Open(sealedBy(t, nil, document, func(j *Judgement) { j.Estimates.Definitions = definitions }), Options{Version: code})
		must(t, err)
		if j.Source != DerivedAgain || j.Estimates.Definitions != metric.Definitions() {
			t.Errorf("definitions %q: %s, definitions %q", definitions, j.Source, j.Estimates.Definitions)
		}
	}
}

// Scores that other statistics made are computed again, although the program calls itself by
// the same version.
func TestOtherStatisticsAreNotRead(t *testing.T) {
	asking := strings.Replace(document, "trials:", `evaluation: {tasks: [{name: sums, family: own, path: sums.jsonl, datasetRef: "sha256:`+strings.Repeat("0", 64)+`"}]}, trials:`, 1)
	f := func(method string, want Source) {
		t.Helper()
		j, err := Open(sealedBy(t, nil, asking, func(j *Judgement) {
			j.Accuracy.Method, j.Accuracy.Tasks[0].Identity = method, "as sealed"
		}), Options{Version: code})
		must(t, err)
		if j.Source != want || j.Accuracy.Method != accuracy.Method || (j.Accuracy.Tasks[0].Identity == "as sealed") != (want == Sealed) {
			t.Errorf("method %q: %s, method %q of %q; want it %s", method, j.Source, j.Accuracy.Method, j.Accuracy.Tasks[0].Identity, want)
		}
	}
	f(accuracy.Method, Sealed)
	f("statistics 1, tasks 1", DerivedAgain)
	f("", DerivedAgain) // of a program that knew no method
}

func TestEditedFiguresAreRefused(t *testing.T) {
	dir := sealed(t, newSigner(t))
	honest, err := Open(dir, Options{Version: code})
	must(t, err)
	file := filepath.Join(dir, "derived", code, "estimates.json")
	tenTimesFaster(t, file, file)
	var refused *bundle.SealError
	if _, err := Open(dir, Options{Version: code}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "estimates.json") {
		t.Errorf("an edited bundle gives %v, want it refused by name", err)
	}
	shown, err := Open(dir, Options{Version: code, Unverified: true})
	must(t, err)
	if ttft(t, shown) != ttft(t, honest) || shown.Signature() != NotVerified || len(shown.Faults()) == 0 {
		t.Errorf("shown: TTFT %v, %s, faults %v; want %v from the records, %s", ttft(t, shown), shown.Signature(), shown.Faults(), ttft(t, honest), NotVerified)
	}
}

// Figures that are added under a good signature are not read.
func TestAddedFiguresAreNotRead(t *testing.T) {
	signer := newSigner(t)
	dir := filepath.Join(t.TempDir(), "b")
	_, err := scene.Run{Dir: dir, ID: "b", Document: document, Launches: scene.Launches([]float64{1, 1.01, .99}), Signer: signer}.Build(t.Context())
	must(t, err)
	donor := sealed(t, nil)
	for _, f := range (&Judgement{}).Files() {
		from, to := filepath.Join(donor, "derived", code, f.Name), filepath.Join(dir, "derived", code, f.Name)
		data, err := os.ReadFile(from)
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(to), 0o755))
		must(t, os.WriteFile(to, data, 0o644))
	}
	file := filepath.Join(dir, "derived", code, "estimates.json")
	tenTimesFaster(t, file, file)
	j, err := Open(dir, Options{Version: code, Trust: bundle.Trust{Required: []bundle.PublicKey{signer.Public()}}})
	must(t, err)
	if got := ttft(t, j); got < .015 || j.Source != DerivedAgain {
		t.Errorf("TTFT %v s, %s; want the records' 20 ms", got, j.Source)
	}
	if notes := strings.Join(j.Notes(), "\n"); !strings.Contains(notes, "7 files were added after sealing") || !strings.Contains(notes, "not the results") {
		t.Errorf("notes: %s", notes)
	}
}

// A launch that was taken away is missed.
func TestDeletedLaunchIsMissed(t *testing.T) {
	dir := sealed(t, nil)
	must(t, os.RemoveAll(filepath.Join(dir, "raw", "launch-02")))
	if _, err := Open(dir, Options{Version: code}); err == nil || !strings.Contains(err.Error(), "launch-02") {
		t.Errorf("a bundle without its third launch gives %v", err)
	}
}

func TestSignatureWords(t *testing.T) {
	signer := newSigner(t)
	signedBy, unsigned := sealed(t, signer), sealed(t, nil)
	f := func(dir string, trust bundle.Trust, want string) {
		t.Helper()
		j, err := Open(dir, Options{Version: code, Trust: trust, Unverified: true})
		must(t, err)
		if !strings.Contains(j.Signature(), want) {
			t.Errorf("signature %q, want %q", j.Signature(), want)
		}
	}
	stranger := bundle.Trust{Required: []bundle.PublicKey{newSigner(t).Public()}}
	f(unsigned, bundle.Trust{}, Unsigned)
	f(unsigned, stranger, NotVerified)
	f(signedBy, bundle.Trust{}, "which you have not said you trust")
	f(signedBy, bundle.Trust{Known: []bundle.PublicKey{signer.Public()}}, "which you trust")
	f(signedBy, bundle.Trust{Required: []bundle.PublicKey{signer.Public()}}, "which you trust")
	f(signedBy, stranger, NotVerified)
}

// A bundle that nobody has judged is judged anew, the client together with the
// estimates.
func TestUnfinishedBundle(t *testing.T) {
	doc, faults := spec.Parse("judge.yaml", []byte(document))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	must(t, err)
	encoded, err := p.Encode()
	must(t, err)
	dir := filepath.Join(t.TempDir(), "b")
	w, err := bundle.Create(dir, bundle.Header{RunID: "b", Spec: []byte("x"), Plan: encoded})
	must(t, err)
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	must(t, err)
	must(t, l.Events.Append(record.Event{Name: record.WindowBegin}, record.Event{At: 1e9, Name: record.WindowEnd}))
	must(t, l.Requests.Append(record.Request{User: -1, Phase: record.Measure, Sent: 1e6, Done: 5e8, Result: record.OK}))
	must(t, l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}))
	must(t, w.Abandon())

	if _, err := Open(dir, Options{Version: code}); err == nil {
		t.Error("a bundle without a seal was taken for one")
	}
	j, err := Open(dir, Options{Version: code, Unverified: true})
	must(t, err)
	row, ok := j.Estimates.Find(metric.E2E.ID, "p50", 0)
	if !ok || row.Value != 0.5 || len(j.Client.Launches) != 1 || j.Client.Launches[0].Requests != 1 {
		t.Errorf("E2E p50 = %v (%v), client %+v; want 0.5 s and one request", row.Value, ok, j.Client.Launches)
	}
	if len(j.Audit.Results) == 0 || len(j.Claims.Claims) != 0 || j.Claims.Grade != claim.Exploratory {
		t.Errorf("%d checks, %d claims of %s grade; want an audit and no claim of a run that did not end", len(j.Audit.Results), len(j.Claims.Claims), j.Claims.Grade)
	}
}
