package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/tests/whole"
)

// A faulty is a run against a simulator that a test misuses. Both are real
// processes.
type faulty struct {
	t      *testing.T
	addr   string
	out    string
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// steady takes two seconds in each launch, and longer while the server is
// away.
const steady = "{concurrency: [4], requests: 200, warmup: {}}"

// portsGiven counts the ports that freeAddress has tried.
var portsGiven atomic.Uint32

// freeAddress is a loopback address that nobody listens at now. Its port is not of
// those that the kernel gives to clients (32768 and up by default), since one of them
// may take it before the server of the test does.
func freeAddress(t *testing.T) string {
	t.Helper()
	start := uint32(os.Getpid()) * 101 // apart from where another test run began
	for range 1000 {
		address := fmt.Sprintf("127.0.0.1:%d", 10000+(start+portsGiven.Add(1))%20000)
		listener, err := net.Listen("tcp", address)
		if err == nil {
			listener.Close()
			return address
		}
	}
	t.Fatal("found no free port")
	return ""
}

// serve starts a simulator at addr and returns when it listens. It dies with the
// test.
func serve(t *testing.T, addr string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := program(t.Context(), append([]string{"sim", "--addr", addr, "--ttft", "20ms", "--itl", "5ms"}, args...)...)
	story, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if _, err := bufio.NewReader(story).ReadString('\n'); err != nil {
		t.Fatalf("the simulator does not listen at %s: %v", addr, err)
	}
	return cmd
}

// run starts assay run with the given target and load.
func (f *faulty) run(target, load string) {
	f.t.Helper()
	dir := f.t.TempDir()
	f.out = filepath.Join(dir, "runs")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: faulty},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 5, weight: 1}]}, target: %s, load: %s}}`, target, load)
	path := filepath.Join(dir, "faulty.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
	f.cmd = program(f.t.Context(), "run", path, "--out", f.out)
	f.cmd.Stderr = &f.stderr
	if err := f.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
}

// underway returns when the first launch has records.
func (f *faulty) underway() {
	f.t.Helper()
	underway(f.t, f.out)
}

// underway returns when the first launch of the run below out has records.
func underway(t *testing.T, out string) {
	t.Helper()
	for range 3600 {
		if found, _ := filepath.Glob(filepath.Join(out, "*", "raw", "launch-00", "requests-*.parquet")); len(found) > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("no request was recorded within three minutes")
}

// ends waits for the run, wants its exit code and its words, and verifies its
// bundle.
func (f *faulty) ends(code int, words ...string) *bundle.Bundle {
	f.t.Helper()
	_ = f.cmd.Wait() // the exit code says it
	story := f.stderr.String()
	if got := f.cmd.ProcessState.ExitCode(); got != code {
		f.t.Errorf("exit %d, want %d\n%s", got, code, story)
	}
	for _, word := range words {
		if !strings.Contains(story, word) {
			f.t.Errorf("the story lacks %q:\n%s", word, story)
		}
	}
	dir := onlyBundle(f.t, f.out)
	if stdout, stderr, code := call(f.t, "verify", dir); code != exitOK {
		f.t.Errorf("verify: exit %d\n%s%s", code, stdout, stderr)
	}
	if stdout, stderr, code := call(f.t, "report", dir); code != exitOK {
		f.t.Errorf("report: exit %d\n%s%s", code, stdout, stderr)
	}
	b, err := bundle.Open(dir)
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

// tell counts the outcomes of all launches and lists the failures that their
// events tell of.
func tell(t *testing.T, b *bundle.Bundle) (outcomes map[record.Outcome]int, events []string) {
	t.Helper()
	outcomes = map[record.Outcome]int{}
	for _, l := range b.Launches() {
		for r, err := range bundle.Rows[record.Request](b, l.Index, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			outcomes[r.Result]++
		}
		for e, err := range bundle.Rows[record.Event](b, l.Index, bundle.Events) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Name == record.RequestFailed {
				events = append(events, e.Detail)
			}
		}
	}
	return outcomes, events
}

func holds(events []string, text string) bool {
	return slices.ContainsFunc(events, func(e string) bool { return strings.Contains(e, text) })
}

// A server that is not ours is killed and comes back. The run goes on; the
// requests that found nobody are records, not thousands of them, and an event
// tells of the first.
func TestServerKilledAndRestarted(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	f := &faulty{t: t, addr: freeAddress(t)}
	first := serve(t, f.addr)
	f.run(fmt.Sprintf("{url: %q}", "http://"+f.addr), steady)
	f.underway()
	killed := time.Now()
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	serve(t, f.addr)
	back := time.Now()
	outcomes, events := tell(t, f.ends(exitOK))
	most := 4*int(back.Sub(killed)/(100*time.Millisecond)+2) + 4
	if outcomes[record.OK] == 0 || outcomes[record.Connect] == 0 || outcomes[record.Connect] > most || !holds(events, "connection refused") {
		t.Errorf("outcomes %v, events %v; want answers, at most %d refusals (ten a second and user), and the first told", outcomes, events, most)
	}
}

// A server of ours dies in its first launch, whether it is kept for all of them
// or not. That launch is failed, the others get a new one, and all of it is told.
func TestManagedServerKilled(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for _, restart := range []string{"launch", "run"} {
		t.Run(restart, func(t *testing.T) {
			t.Parallel()
			f := &faulty{t: t, addr: freeAddress(t)}
			pids := filepath.Join(t.TempDir(), "pids")
			script := fmt.Sprintf(`echo $$ >> %s; exec "$0" sim --addr %s --ttft 20ms --itl 5ms`, pids, f.addr)
			f.run(fmt.Sprintf(`{url: "http://%s", server: {restart: %s, ready: {interval: 50ms}, command: [sh, -c, %q, %q]}}`, f.addr, restart, script, os.Args[0]),
				steady)
			f.underway()
			text, err := os.ReadFile(pids)
			if err != nil {
				t.Fatal(err)
			}
			var pid int
			if _, err := fmt.Sscan(string(text), &pid); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			b := f.ends(exitFailed, "launch failed", "the server ended by itself: signal: killed")
			got := map[bundle.LaunchOutcome]int{}
			for _, l := range b.Launches() {
				got[l.Outcome]++
			}
			if got[bundle.LaunchFailed] != 1 || got[bundle.LaunchCompleted] != 2 || b.Manifest.Status != bundle.Failed {
				t.Errorf("launches %v, status %s; want one failed, two completed, and the run failed", got, b.Manifest.Status)
			}
		})
	}
}

// Refusals are records with what the server said about trying again. A run in
// which nothing else came back is failed and says what to do.
func TestRateLimited(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	t.Run("some", func(t *testing.T) {
		t.Parallel()
		f := &faulty{t: t, addr: freeAddress(t)}
		serve(t, f.addr, "--fault", "rate-limit:0.5")
		f.run(fmt.Sprintf("{url: %q}", "http://"+f.addr), "{concurrency: [4], requests: 100, warmup: {}}")
		b := f.ends(exitOK)
		outcomes, events := tell(t, b)
		if outcomes[record.OK] == 0 || outcomes[record.HTTPError] == 0 || !holds(events, "http_error with status 429") {
			t.Errorf("outcomes %v, events %v", outcomes, events)
		}
		for r, err := range bundle.Rows[record.Request](b, 0, bundle.Requests) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Status == 429 && !strings.Contains(r.Flags, "retry_after=") {
				t.Fatalf("request %d: flags %q lack what the server said about trying again", r.ID, r.Flags)
			}
		}
	})
	t.Run("all", func(t *testing.T) {
		t.Parallel()
		f := &faulty{t: t, addr: freeAddress(t)}
		serve(t, f.addr, "--fault", "rate-limit")
		f.run(fmt.Sprintf("{url: %q}", "http://"+f.addr), "{concurrency: [4], requests: 100, warmup: {}}")
		b := f.ends(exitFailed, "not one request succeeded", "status 429", "lower load.concurrency or load.rate")
		if b.Manifest.Status != bundle.Failed {
			t.Errorf("status %s", b.Manifest.Status)
		}
	})
}

// A server that stands still keeps its connections open and answers nothing.
// Requests end at the idle limit; when it goes on, so does the run, and when it
// does not, the run ends in time and says so.
func TestHalfOpen(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	const target = "{url: %q, idleTimeout: 400ms, timeout: 5s}"
	t.Run("goes on", func(t *testing.T) {
		t.Parallel()
		f := &faulty{t: t, addr: freeAddress(t)}
		server := serve(t, f.addr)
		f.run(fmt.Sprintf(target, "http://"+f.addr), steady)
		f.underway()
		stand(t, server, syscall.SIGSTOP)
		time.Sleep(time.Second)
		stand(t, server, syscall.SIGCONT)
		outcomes, events := tell(t, f.ends(exitOK))
		if outcomes[record.IdleTime] == 0 || outcomes[record.OK] == 0 || !holds(events, "idle_timeout") {
			t.Errorf("outcomes %v, events %v", outcomes, events)
		}
	})
	t.Run("never answers", func(t *testing.T) {
		t.Parallel()
		f := &faulty{t: t, addr: freeAddress(t)}
		serve(t, f.addr, "--fault", "hang")
		f.run(fmt.Sprintf(target, "http://"+f.addr), "{concurrency: [4], duration: 300ms, warmup: {}}")
		b := f.ends(exitFailed, "not one request succeeded", "idle_timeout", "raise target.timeout or target.idleTimeout")
		if outcomes, _ := tell(t, b); outcomes[record.IdleTime] < 12 || b.Manifest.Status != bundle.Failed {
			t.Errorf("outcomes %v, status %s", outcomes, b.Manifest.Status)
		}
	})
}

func stand(t *testing.T, cmd *exec.Cmd, signal syscall.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}
