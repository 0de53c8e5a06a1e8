package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/tests/program"
)

// TestStrangersAtNet besieges assay net --serve: nobody without the secret gets a
// byte, a recorded conversation opens nothing, and who knows the secret measures.
func TestStrangersAtNet(t *testing.T) {
	needProc(t)
	t.Parallel()
	b := begin(t, t.TempDir(), nil, "net", "--serve", "127.0.0.1:0")
	address, _, _ := strings.Cut(b.await(t, "serving network probes at "), ";")
	secret, _, _ := strings.Cut(b.await(t, "ASSAY_TOKEN="), " ")
	siege := besiege(b.cmd.Process.Pid)
	measure := func(at string, env ...string) program.Result {
		return program.Command{Args: []string{"net", at, "--duration", "60ms", "--interval", "20ms", "--json"}, Env: env}.Run(t)
	}
	tap := recordBetween(t, address)
	if r := measure(tap.address, "ASSAY_TOKEN="+secret); r.Code != 0 {
		t.Errorf("who knows the secret: exit %d\n%s", r.Code, r.Text())
	}
	if strings.Contains(string(tap.said()), secret) {
		t.Error("the secret went over the wire")
	}
	again, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = again.Write(tap.said())
	if got, _ := io.ReadAll(again); len(got) > 32+64 { // a nonce and a proof
		t.Errorf("a conversation that was played again got %d bytes", len(got))
	}
	again.Close()
	for _, env := range []string{"ASSAY_TOKEN=", "ASSAY_TOKEN=guessed-guessed-guessed"} {
		if r := measure(address, env); r.Code != 1 || !strings.Contains(r.Stderr, "ASSAY_TOKEN") {
			t.Errorf("%s: exit %d, want 1 and what to set\n%s", env, r.Code, r.Text())
		}
	}
	siege.await(t, address, 100)
	siege.lift()
	_ = b.cmd.Process.Signal(syscall.SIGINT)
	b.end(t, 0)
}

const strangersSpec = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: strangers}
spec:
  workload:
    model: %s
    sequenceLengthMix: [{inputTokens: 16, outputTokens: 8, weight: 1}]
  target:
%s
  load: {concurrency: [2], duration: 1s, warmup: {duration: 200ms}, calibrate: false}
  trials: {quick: true}
`

// runSpec measures a target and has the bundle checked.
func runSpec(t *testing.T, dir, model, target string) *besieged {
	t.Helper()
	path := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, strangersSpec, model, target), 0o600); err != nil {
		t.Fatal(err)
	}
	return begin(t, dir, nil, "run", path, "--progress", "none", "--out", filepath.Join(dir, "out"))
}

// TestStrangersAtSim besieges the simulator, which answers anybody by its nature: what
// they send is bounded, and a run against it ends as it should.
func TestStrangersAtSim(t *testing.T) {
	needProc(t)
	t.Parallel()
	dir := t.TempDir()
	sim := begin(t, dir, nil, "sim", "--addr", "127.0.0.1:0", "--ttft", "2ms", "--itl", "1ms", "--tokens", "8")
	url := sim.await(t, "listening on ")
	siege := besiege(sim.cmd.Process.Pid)
	run := runSpec(t, dir, "sim", "    url: "+url)
	run.end(t, 0)
	verified(t, filepath.Join(dir, "out"))
	if answer, err := http.Get(url + "/v1/models"); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("it answers no more: %v", err)
	} else {
		answer.Body.Close()
	}
	siege.await(t, strings.TrimPrefix(url, "http://"), 100)
	siege.lift()
	_ = sim.cmd.Process.Signal(syscall.SIGINT)
	sim.end(t, 0)
}

// TestStrangersAtProgram besieges a run whose target is a program: the door at which
// the program says hello takes nobody else.
func TestStrangersAtProgram(t *testing.T) {
	needProc(t)
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed (apt-get install python3): the target is a program of it")
	}
	example, err := filepath.Abs("../../examples/command/words.py")
	if err != nil {
		t.Fatal(err)
	}
	// It comes when many strangers have been there.
	dir := t.TempDir()
	come := filepath.Join(dir, "come")
	late, _ := json.Marshal([]string{"sh", "-c", "until [ -e '" + come + "' ]; do sleep 0.05; done; exec " + python + " " + example})
	b := runSpec(t, dir, "words", "    api: command\n    server: {command: "+string(late)+", ready: {timeout: 3m}}")
	siege := besiege(b.cmd.Process.Pid)
	siege.await(t, "", 100)
	write(t, come, "")
	b.end(t, 0)
	siege.lift()
	verified(t, filepath.Join(dir, "out"))
}
