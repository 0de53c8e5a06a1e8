package assistant

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answering is a client whose user answers so.
func answering(action string, agreed bool, asked *[]string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*asked = append(*asked, r.Params.Message)
		content := map[string]any{question: agreed}
		if action != "accept" {
			content = nil
		}
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}}
}

// A run needs its owner's leave, a plan of exactly this document, and its user's consent
// where the client can ask. cmd/assay has the test with real runs.
func TestRunsAreAsked(t *testing.T) {
	h := newHouse(t)
	spec := strings.Replace(document, "NAME", "asked", 1)
	write(t, filepath.Join(h.folder, "spec.yaml"), spec)
	var ran []string
	o := h.options()
	o.Run = func(_ context.Context, job Job) (string, error) {
		text, err := os.ReadFile(job.File)
		ran = append(ran, string(text))
		return filepath.Join(h.folder, "sound-2"), err
	}
	var asked []string
	yes := connect(t, o, answering("accept", true, &asked))
	plan, _, failed := ask(t, yes, "plan", map[string]any{"document": spec})
	if failed != "" {
		t.Fatal(failed)
	}
	digest := plan["documentDigest"].(string)
	args := map[string]any{"document": spec, "planned": digest}

	refused := func(c *mcp.ClientSession, args map[string]any, why string) {
		t.Helper()
		if _, text, failed := ask(t, c, "run", args); !strings.Contains(failed, why) || len(ran) > 0 {
			t.Errorf("want %q: %s%s; %d runs", why, text, failed, len(ran))
		}
	}
	refused(connect(t, h.options(), answering("accept", true, &asked)), args, "--allow-run")
	refused(yes, map[string]any{"document": spec, "planned": "sha256:0"}, "call plan")
	refused(yes, map[string]any{"document": spec}, "planned")
	refused(yes, map[string]any{"document": strings.Replace(spec, "127.0.0.1", "10.0.0.1", 1), "planned": digest}, "call plan")
	if len(asked) > 0 {
		t.Errorf("the user was asked about runs that are refused: %q", asked)
	}
	refused(connect(t, o, answering("decline", false, &asked)), args, "did not agree")
	refused(connect(t, o, answering("cancel", false, &asked)), args, "did not agree")
	refused(connect(t, o, answering("accept", false, &asked)), args, "did not agree")
	if len(asked) != 3 || !strings.Contains(asked[0], "http://127.0.0.1:1") || !strings.Contains(asked[0], digest) {
		t.Errorf("asked were %q, want the target and the digest", asked)
	}

	for name, c := range map[string]*mcp.ClientSession{"a user who agrees": yes, "a client that cannot ask": connect(t, o, nil)} {
		for _, args := range []map[string]any{args, {"file": "spec.yaml", "planned": digest}} {
			ran = nil
			_, text, failed := ask(t, c, "run", args)
			if failed != "" || len(ran) != 1 || ran[0] != spec || !strings.Contains(text, `"runID":"sound-2"`) {
				t.Errorf("%s: %s%s; ran %q", name, text, failed, ran)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(h.folder, ".assay-asked-*")); len(left) > 0 {
		t.Errorf("copies stay: %q", left)
	}
}

// Nothing else computes while a machine is measured, and a run that fails says why.
func TestRunsAreAlone(t *testing.T) {
	h := newHouse(t)
	spec := strings.Replace(document, "NAME", "alone", 1)
	o := h.options()
	begun, end := make(chan struct{}), make(chan struct{})
	o.Run = func(context.Context, Job) (string, error) {
		close(begun)
		<-end
		return "", errors.New("the target is down")
	}
	c := connect(t, o, nil)
	plan, _, _ := ask(t, c, "plan", map[string]any{"document": spec})
	args := map[string]any{"document": spec, "planned": plan["documentDigest"]}
	done := make(chan string)
	go func() {
		_, _, failed := ask(t, c, "run", args)
		done <- failed
	}()
	<-begun
	for tool, args := range map[string]map[string]any{"report": {"bundle": "sound-1"}, "run": args} {
		if _, text, failed := ask(t, c, tool, args); !strings.Contains(failed, "ask again") {
			t.Errorf("%s during a run: %s%s", tool, text, failed)
		}
	}
	close(end)
	if failed := <-done; !strings.Contains(failed, "the target is down") {
		t.Errorf("the run says %q", failed)
	}
	if _, _, failed := ask(t, c, "report", map[string]any{"bundle": "sound-1"}); failed != "" {
		t.Errorf("after the run: %s", failed)
	}
}
