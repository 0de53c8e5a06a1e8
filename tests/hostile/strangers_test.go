package hostile

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/tests/program"
	"assay/tests/whole"
)

func needProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("the listeners of a process are found in /proc: want Linux")
	}
}

// TestStrangersAtRanks besieges a run of ranks: the controller over the network and as
// a socket file, and the listener of every rank. The run ends as if nobody had been
// there.
func TestStrangersAtRanks(t *testing.T) {
	whole.Only(t)
	needProc(t)
	t.Parallel()
	tcp, files := 0, 0
	for name, more := range map[string][]string{"network": {"--address", "127.0.0.1"}, "socket file": nil} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b := begin(t, dir, nil, append([]string{"comm", "--ranks", "3", "--ops", "all_reduce", "--sizes", "64KiB", "--iterations", "200", "--launches", "3",
				"--hang-timeout", "60s", "--progress", "none", "--out", dir}, more...)...)
			siege := besiege(b.cmd.Process.Pid)
			b.end(t, 0)
			for address, n := range siege.lift() {
				t.Logf("%s: %d connections of strangers", address, n)
				if strings.HasPrefix(address, "/") {
					files += n
				} else {
					tcp += n
				}
			}
			verified(t, dir)
		})
	}
	// Of ranks that meet by a socket file the listeners of the network close within
	// milliseconds: on a busy machine strangers may come too late for all of them.
	if tcp == 0 || files == 0 {
		t.Errorf("strangers found %d connections over TCP and %d to a socket file: they should have found both", tcp, files)
	}
}

// TestStrangersReadNoToken looks where other users of the host, and readers of a
// bundle, can look: at command lines, and at everything that a run writes.
func TestStrangersReadNoToken(t *testing.T) {
	needProc(t)
	t.Parallel()
	dir := t.TempDir()
	b := begin(t, dir, nil, "comm", "--ranks", "2", "--ops", "all_reduce", "--sizes", "4KiB", "--iterations", "200", "--launches", "3",
		"--hang-timeout", "60s", "--progress", "none", "--out", dir)
	tokens, lines := map[string]bool{}, map[string]bool{}
	for ended := false; !ended; {
		select {
		case <-b.done:
			ended = true
		case <-time.After(5 * time.Millisecond):
		}
		for _, pid := range family(b.cmd.Process.Pid) {
			environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			for pair := range strings.SplitSeq(string(environ), "\x00") {
				if token, ok := strings.CutPrefix(pair, "ASSAY_TOKEN="); ok {
					tokens[token] = true
				}
			}
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			lines[string(line)] = true
		}
	}
	b.end(t, 0)
	if len(tokens) < 2 {
		t.Fatalf("%d tokens were seen in environments, want one for each launch", len(tokens))
	}
	clean := func(where, text string) {
		for token := range tokens {
			if strings.Contains(text, token) {
				t.Errorf("%s holds a token", where)
			}
		}
	}
	for line := range lines {
		clean("a command line", line)
	}
	clean("what it printed", b.stdout.String()+b.stderr.String())
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			clean(path, string(data))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// joining is the environment of a rank that torchrun started, at a meeting.
func joining(rank, world int, meeting, runtime string, more ...string) []string {
	return append([]string{
		fmt.Sprintf("RANK=%d", rank), fmt.Sprintf("WORLD_SIZE=%d", world), fmt.Sprintf("LOCAL_RANK=%d", rank), fmt.Sprintf("LOCAL_WORLD_SIZE=%d", world),
		"MASTER_ADDR=127.0.0.1", "MASTER_PORT=21251", "TORCHELASTIC_RUN_ID=job1", "ASSAY_MEETING=" + meeting, "XDG_RUNTIME_DIR=" + runtime,
	}, more...)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestStrangersAtTheMeeting besieges rank 0 of a job while it waits for the others,
// and plays it a conversation with rank 1 that was recorded on its way. Then the
// others come, and the run ends as it should. Nobody had to say a secret.
func TestStrangersAtTheMeeting(t *testing.T) {
	whole.Only(t)
	needProc(t)
	t.Parallel()
	dir, runtime, meeting := t.TempDir(), t.TempDir(), freeAddress(t)
	comm := []string{"comm", "--launcher", "environment", "--ranks", "3", "--ops", "all_reduce", "--sizes", "4KiB", "--iterations", "20", "--launches", "3",
		"--hang-timeout", "60s", "--progress", "none", "--out", dir}
	leader := begin(t, dir, joining(0, 3, meeting, runtime), comm...)
	leader.await(t, "meet it at")
	siege := besiege(leader.cmd.Process.Pid)
	tap := recordBetween(t, meeting)
	first := begin(t, dir, joining(1, 3, tap.address, runtime), comm...)
	for !tap.both() {
		time.Sleep(10 * time.Millisecond)
		if t.Context().Err() != nil {
			t.Fatal("rank 1 never met rank 0")
		}
	}
	time.Sleep(200 * time.Millisecond) // the handshake is over
	for range 3 {
		conn, err := net.Dial("tcp", meeting)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = conn.Write(tap.said())
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}
	siege.await(t, meeting, 100) // before the meeting is over
	second := begin(t, dir, joining(2, 3, meeting, runtime), comm...)
	leader.end(t, 0)
	first.end(t, 0)
	second.end(t, 0)
	siege.lift()
	verified(t, dir)
	if left, _ := filepath.Glob(filepath.Join(runtime, "assay", "jobs", "*")); len(left) > 0 {
		t.Errorf("the job's secret is still on disk: %v", left)
	}
}

// A tapped line passes on what goes between two sides and keeps what the one that
// dialled says.
type tapped struct {
	address string
	mu      sync.Mutex
	there   []byte
	back    int
}

func (r *tapped) both() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.there) > 0 && r.back > 0
}

func (r *tapped) said() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]byte(nil), r.there...)
}

func recordBetween(t *testing.T, to string) *tapped {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &tapped{address: l.Addr().String()}
	pass := func(from, to net.Conn, keep func([]byte)) {
		buffer := make([]byte, 32<<10)
		for {
			n, err := from.Read(buffer)
			r.mu.Lock()
			keep(buffer[:n])
			r.mu.Unlock()
			if n > 0 {
				_, _ = to.Write(buffer[:n])
			}
			if err != nil {
				to.Close()
				return
			}
		}
	}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go pass(near, far, func(b []byte) { r.there = append(r.there, b...) })
			go pass(far, near, func(b []byte) { r.back += len(b) })
		}
	}()
	return r
}

// fakeLeader listens where rank 0 should and has whoever comes run a command.
const fakeLeader = `
import json, socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(20)
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    c.settimeout(2)
    try:
        order = {"ranks": 2, "worker": "native", "command": ["/bin/sh", "-c", "id > " + sys.argv[1]], "env": ["LD_PRELOAD=x"], "master": "127.0.0.1:1"}
        c.sendall((json.dumps({"welcome": True, "start": order}) + "\n").encode())
        while True:
            data = c.recv(4096)
            if not data:
                break
            open(sys.argv[2], "ab").write(data)
    except OSError:
        pass
`

// TestStrangersFakeLeader is a stranger who was at the meeting first. A follower gives
// it neither its token nor a process.
func TestStrangersFakeLeader(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed (apt-get install python3): the fake leader is a program of it")
	}
	const token = "very-secret-token-of-this-job"
	for name, more := range map[string][]string{"a token": {"ASSAY_TOKEN=" + token}, "a file of one host": nil} {
		t.Run(name, func(t *testing.T) {
			dir, runtime := t.TempDir(), t.TempDir()
			proof, heard := filepath.Join(dir, "RCE_PROOF"), filepath.Join(dir, "heard")
			fake := exec.CommandContext(t.Context(), python, "-c", fakeLeader, proof, heard)
			out, err := fake.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := fake.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = fake.Process.Kill(); _ = fake.Wait() })
			var port int
			if _, err := fmt.Fscan(out, &port); err != nil {
				t.Fatal(err)
			}
			secret := token
			if more == nil {
				secret = makeJobSecret(t, runtime)
			}
			r := program.Command{Args: []string{"comm", "--launcher", "environment", "--out", "commout"}, Dir: dir,
				Env: joining(1, 2, fmt.Sprintf("127.0.0.1:%d", port), runtime, more...)}.Run(t)
			if r.Code != 1 || !strings.Contains(r.Stderr, "does not know the secret") {
				t.Errorf("exit %d, want 1 and why\n%s", r.Code, r.Text())
			}
			if _, err := os.Stat(proof); err == nil {
				t.Error("the fake leader had its command run")
			}
			if got, err := os.ReadFile(heard); err != nil || len(got) == 0 || strings.Contains(string(got), secret) {
				t.Errorf("the fake leader heard %q (%v), want something, and not the secret", got, err)
			}
		})
	}
}

// makeJobSecret has a real rank 0 make the secret of the job and waits for it. Rank 0
// listens elsewhere.
func makeJobSecret(t *testing.T, runtime string) string {
	t.Helper()
	leader := begin(t, t.TempDir(), joining(0, 2, freeAddress(t), runtime), "comm", "--launcher", "environment", "--progress", "none", "--out", t.TempDir())
	leader.await(t, "meet it at")
	t.Cleanup(func() { _ = leader.cmd.Process.Kill(); <-leader.done })
	found, _ := filepath.Glob(filepath.Join(runtime, "assay", "jobs", "*.secret"))
	if len(found) != 1 {
		t.Fatalf("%d secrets, want 1", len(found))
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestStrangersSecretIsAskedFor holds that ranks on several hosts do not fall back to
// what anybody could guess.
func TestStrangersSecretIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, rank := range []string{"0", "1"} {
		r := program.Command{Args: []string{"comm", "--launcher", "environment"}, Env: []string{
			"RANK=" + rank, "WORLD_SIZE=2", "LOCAL_RANK=0", "LOCAL_WORLD_SIZE=1", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=21251", "TORCHELASTIC_RUN_ID=job1"}}.Run(t)
		if r.Code != 2 || !strings.Contains(r.Stderr, "set ASSAY_TOKEN, the same for every rank") {
			t.Errorf("rank %s: exit %d, want 2 and what to set\n%s", rank, r.Code, r.Text())
		}
	}
}
