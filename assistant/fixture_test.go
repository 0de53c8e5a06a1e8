package assistant

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/claim"
	"assay/docs"
	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/plan"
	"assay/record"
	"assay/warehouse"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: NAME},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`

const version = "test"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A house is a folder and a warehouse with runs of every kind in them.
type house struct {
	folder, warehouse string
	trust             bundle.Trust
	signer            bundle.Signer
	engine            string // of the next run
}

// newHouse has the runs sound-1, sound-2 and retracted in the warehouse and in the folder,
// slower in the folder, and void in both.
func newHouse(t *testing.T) house {
	t.Helper()
	h := house{folder: t.TempDir(), warehouse: filepath.Join(t.TempDir(), "warehouse"), engine: "vllm"}
	key, err := bundle.GenerateKey()
	must(t, err)
	h.signer, h.trust = key, bundle.Trust{Known: []bundle.PublicKey{key.Public()}}
	w, err := warehouse.OpenWriter(t.Context(), h.warehouse)
	must(t, err)
	for _, id := range []string{"sound-1", "sound-2", "retracted", "void"} {
		dir := h.build(t, id, id, 1, id != "void")
		j, err := judge.Open(dir, judge.Options{Trust: h.trust, Version: version, Derive: true})
		must(t, err)
		_, err = w.Keep(t.Context(), j, time.Now())
		must(t, err)
	}
	h.build(t, "slower", "slower", 1.3, true)
	_, err = w.Decide(t.Context(), warehouse.Decision{Mark: "retracted", Run: "retracted", Why: "the wrong model was loaded", At: time.Now()})
	must(t, err)
	must(t, w.Close())
	return h
}

// build seals a run of three launches in the folder. Runs of a scene measure nothing of
// the client, which voids them; a sound one is signed without those findings, by a key
// that the reader trusts.
func (h house) build(t *testing.T, id, name string, slow float64, sound bool) string {
	t.Helper()
	env := record.Environment{}
	env.Set("host.name", "node-1")
	env.Set("server.engine", h.engine)
	r := scene.Run{
		Dir: filepath.Join(h.folder, id), ID: id, Document: strings.Replace(document, "NAME", name, 1), Environment: env,
		Launches: scene.Launches([]float64{slow, slow * 1.01, slow * .99}),
	}
	if sound {
		r.Signer = h.signer
		r.Keep = func(w *bundle.Writer, p plan.Plan) error { return keepSound(w, p) }
	}
	_, err := r.Build(t.Context())
	must(t, err)
	return r.Dir
}

func keepSound(w *bundle.Writer, p plan.Plan) error {
	b, err := bundle.Open(w.Dir())
	if err != nil {
		return err
	}
	b.Manifest.Status = bundle.Completed
	j, err := judge.Derive(b, p, version)
	if err != nil {
		return err
	}
	j.Audit = lint.Audit{Findings: []finding.Finding{}}
	j.Claims = claim.Make(claim.Evidence{
		Manifest: b.Manifest, Status: bundle.Completed, Signed: true, Plan: p, Estimates: j.Estimates, Client: j.Client, Audit: j.Audit,
	}, version)
	return j.Keep(w, version)
}

func (h house) options() Options {
	return Options{Version: version, Folders: []string{h.folder}, Warehouse: h.warehouse, Trust: h.trust, Docs: docs.Pages}
}

// connect serves a client in memory.
func connect(t *testing.T, o Options, client *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	s, err := New(o)
	must(t, err)
	near, far := mcp.NewInMemoryTransports()
	session, err := s.mcp.Connect(t.Context(), far, nil)
	must(t, err)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client).Connect(t.Context(), near, nil)
	must(t, err)
	t.Cleanup(func() {
		c.Close()
		session.Wait()
	})
	return c
}

// ask calls a tool and returns what it answered, or the text of its error.
func ask(t *testing.T, c *mcp.ClientSession, name string, args map[string]any) (answer map[string]any, text, failed string) {
	t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, "", err.Error()
	}
	if len(r.Content) == 1 {
		text = r.Content[0].(*mcp.TextContent).Text
	}
	if r.IsError {
		return nil, "", text
	}
	data, err := json.Marshal(r.StructuredContent)
	must(t, err)
	must(t, json.Unmarshal(data, &answer))
	return answer, text, ""
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o644))
}
