package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/target"
	"assay/telemetry"
)

// commandPlan is the example, made short, with its program named from here.
func commandPlan(t *testing.T, program ...string) plan.Plan {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed (apt-get install python3): the example of the command target is a program of it")
	}
	text, err := os.ReadFile(filepath.Join("..", "examples", "command.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doc, faults := spec.Parse("command.yaml", []byte(strings.NewReplacer("duration: 5s", "requests: 12", "[1, 4]", "[4]", "{duration: 1s}", "{requests: 4}").Replace(string(text))))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	doc.Run.Spec.Target.Server.Command = program
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	p.Launches = p.Launches[:1]
	return p
}

// The example runs: a program in place of a server, started for the launch.
func TestCommandRun(t *testing.T) {
	t.Parallel()
	b := carryOut(t, commandPlan(t, "python3", filepath.Join("..", "examples", "command", "words.py")))
	requests := rows[record.Request](t, b, "requests")
	if len(requests) < 16 {
		t.Fatalf("%d requests, want 4 before and 12 measured", len(requests))
	}
	for _, r := range requests {
		if r.Phase == record.Cooldown {
			continue // the end of the run cuts them
		}
		if r.Result != record.OK || r.Stamps != target.ReadProgram || r.Chunks != 19 || r.UsageOutput == nil || *r.UsageOutput != 16 {
			t.Errorf("request %d: outcome %q (%s), stamps %q, %d chunks", r.ID, r.Result, r.Error, r.Stamps, r.Chunks)
		}
	}
}

// A program that dies ends the launch, which says how it died; what it had
// answered is recorded, and what it printed is in the log.
func TestCommandDies(t *testing.T) {
	const script = `
import json, os, socket, sys
host, port = os.environ["ASSAY_CTRL"].rsplit(":", 1)
link = socket.create_connection((host, int(port)))
def say(**line): link.sendall((json.dumps(line) + "\n").encode())
say(t="hello", token=os.environ["ASSAY_TOKEN"])
lines = link.makefile()
for n in range(8):
    call = json.loads(lines.readline())
    say(t="chunk", id=call["id"], text="hi")
    say(t="done", id=call["id"], finish_reason="stop")
print("no memory left", flush=True)
sys.exit(7)
`
	p := commandPlan(t, "python3", "-c", script)
	host := telemetry.Local(t.Context())
	defer host.Close()
	result, err := Execute(t.Context(), p, Options{
		Source: []byte("test"), Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: host,
	})
	if err == nil || !strings.Contains(err.Error(), "exit status 7") || result.Status != bundle.Failed {
		t.Fatalf("error %v, want one with exit status 7, and a failed run", err)
	}
	if _, err := result.Bundle.Seal(t.Context(), result.Status, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(result.Bundle.Dir())
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, r := range rows[record.Request](t, b, "requests") {
		if r.Result == record.OK {
			answered++
		}
	}
	log, err := os.ReadFile(filepath.Join(result.Bundle.Dir(), "raw", "launch-00", "logs", "server.log"))
	// A program that ends with calls unread resets its connection, and what it said
	// last may be lost with it.
	if answered < 4 || answered > 8 || err != nil || !strings.Contains(string(log), "no memory left") {
		t.Errorf("%d answered, log %q (%v); want up to 8 and what it printed", answered, log, err)
	}
}

// The ways to connect reach the client as they were written.
func TestConnectWays(t *testing.T) {
	c, err := connect(planOf(t, `workload: {model: m}, target: {url: "http://127.0.0.1:1", http2: true, proxy: "http://127.0.0.1:3128", reader: net/http}, load: {concurrency: [1]}`), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if !c.client.HTTP2 || c.client.Reader != target.ReadNetHTTP || c.client.Proxy.String() != "http://127.0.0.1:3128" || c.reached()[0] != "http://127.0.0.1:3128" {
		t.Errorf("client %+v", c.client)
	}
}
