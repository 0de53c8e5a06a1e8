package worker_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/door"
	"assay/launch"
	"assay/record"
	"assay/tests/whole"
	"assay/worker"
)

// A dialer is one end of a connection to a controller, for lines that no worker of
// ours would send.
type dialer struct {
	net.Conn
	*bufio.Reader
}

func knock(t *testing.T, c *worker.Controller) *dialer {
	t.Helper()
	address, _ := strings.CutPrefix(variable(c, worker.EnvController), "unix:")
	conn, err := net.Dial("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &dialer{conn, bufio.NewReader(conn)}
}

func variable(c *worker.Controller, name string) string {
	for _, pair := range c.Env() {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

func (d *dialer) send(t *testing.T, line worker.Line) {
	t.Helper()
	if line.V == 0 {
		line.V = worker.ProtocolVersion
	}
	data, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write(append(data, '\n')); err != nil {
		t.Fatal(err)
	}
}

func (d *dialer) receive(t *testing.T) (line worker.Line) {
	t.Helper()
	_ = d.SetReadDeadline(time.Now().Add(10 * time.Second))
	data, err := d.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &line); err != nil {
		t.Fatal(err)
	}
	return line
}

func listen(t *testing.T, ranks int) *worker.Controller {
	t.Helper()
	c, err := worker.Listen(worker.Options{Run: "run-1", Dir: t.TempDir(), Ranks: ranks, Hang: 5 * time.Second, Epoch: worker.Mono()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func hello(rank int) worker.Line {
	return worker.Line{T: worker.Hello, Rank: rank, Hello: &worker.HelloLine{World: 1, Host: "far", BootID: "another", Listen: "far:1"}}
}

// proof is what a side says that knows a token.
func proof(token, side string, rank int, challenge, nonce string) string {
	return door.Proof(token, "assay-worker/2", side, "run-1", strconv.Itoa(rank), challenge, nonce)
}

// greet answers the controller's challenge with a hello and the proof of a token, and
// returns what the controller says to that.
func (d *dialer) greet(t *testing.T, token string, line worker.Line) worker.Line {
	t.Helper()
	challenge := d.receive(t)
	if challenge.T != worker.Challenge {
		t.Fatalf("the first line is %q, want a challenge", challenge.T)
	}
	line.Nonce = door.Nonce()
	line.Proof = proof(token, "worker", line.Rank, challenge.Nonce, line.Nonce)
	d.send(t, line)
	answer := d.receive(t)
	if answer.T == worker.Welcome && answer.Proof != proof(token, "controller", line.Rank, challenge.Nonce, line.Nonce) {
		t.Error("the controller does not prove that it knows the token")
	}
	return answer
}

// enter is a rank that belongs here.
func enter(t *testing.T, c *worker.Controller, rank int) *dialer {
	t.Helper()
	d := knock(t, c)
	if got := d.greet(t, variable(c, worker.EnvToken), hello(rank)); got.T != worker.Welcome {
		t.Fatalf("a rank hears %q %q, want to be welcome", got.T, got.Text)
	}
	return d
}

// TestMisfits holds that a rank that knows the token and does not belong is told,
// to itself and to whoever waits.
func TestMisfits(t *testing.T) {
	f := func(change func(*worker.Line), want string) {
		t.Helper()
		c := listen(t, 1)
		line := hello(0)
		change(&line)
		if got := knock(t, c).greet(t, variable(c, worker.EnvToken), line); got.T != worker.ErrT || !strings.Contains(got.Text, want) {
			t.Errorf("the rank hears %q %q, want err with %q", got.T, got.Text, want)
		}
		if err := c.Gather(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Gather = %v, want an error with %q", err, want)
		}
	}
	f(func(l *worker.Line) { l.Rank = 4 }, "rank 4 on far greets a world of 1 ranks")
	f(func(l *worker.Line) { l.Hello.World = 8 }, "believes in a world of 8 ranks")
}

func TestTwins(t *testing.T) {
	c := listen(t, 1)
	enter(t, c, 0)
	must(t, c.Gather(t.Context()))
	if got := knock(t, c).greet(t, variable(c, worker.EnvToken), hello(0)); !strings.Contains(got.Text, "two processes say that they are rank 0") {
		t.Errorf("the second hears %q", got.Text)
	}
}

// TestWrongToken holds that the words of the controller reach the log of a worker.
func TestWrongToken(t *testing.T) {
	w := start(t, worker.Options{Ranks: 2, Hang: 5 * time.Second}, launch.Job{Env: []string{"TEST_FAULT=1:wrong token"}})
	err := w.Gather(t.Context())
	var failure *worker.Failure
	if !errors.As(err, &failure) || failure.Rank != 1 || !strings.Contains(failure.Text, "does not know the token") {
		t.Errorf("Gather = %v, want rank 1 with a wrong token", err)
	}
	if !strings.Contains(w.out.String(), "it turned rank 1 away") {
		t.Errorf("the rank printed %q", w.out)
	}
}

func TestDeadBeforeHello(t *testing.T) {
	w := start(t, worker.Options{Ranks: 2, Hang: 5 * time.Second}, launch.Job{Env: []string{"TEST_FAULT=1:silent before hello"}})
	err := w.Gather(t.Context())
	var failure *worker.Failure
	if !errors.As(err, &failure) || failure.Rank != 1 || !strings.Contains(failure.Text, "code 3 without a word before it greeted") {
		t.Errorf("Gather = %v, want the early end of rank 1", err)
	}
}

// TestDamage holds that lines that are lost or cannot be read are counted and told.
func TestDamage(t *testing.T) {
	c := listen(t, 1)
	d := enter(t, c, 0)
	must(t, c.Gather(t.Context()))
	done := make(chan error)
	go func() {
		err := c.Sync(t.Context(), worker.Before, 1)
		done <- errors.Join(err, c.Run(t.Context(), point(0, 1), worker.WorldLine{}, nil))
	}()
	ping := d.receive(t)
	d.send(t, worker.Line{T: worker.PongT, Seq: 1, T1: ping.T1, T2: 5, T3: 6})
	d.receive(t)
	for _, text := range []string{"NaN\n", `{"t":"coll","seq":1e3}` + "\n", `{"t":"step","step":{"begin":0.5}}` + "\n", strings.Repeat("y", 5<<20) + "\n"} {
		if _, err := d.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	d.send(t, worker.Line{T: "fanfare", Seq: 2}) // a type of a later version
	d.send(t, worker.Line{T: worker.End, Phase: "point", Seq: 5})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	row := c.Ranks(0)[0]
	if row.Dropped != 6 || !strings.Contains(row.Error, "4 lines could not be read") || !strings.Contains(row.Error, "2 lines were lost") {
		t.Errorf("dropped %d, error %q: want 4 lines unread and 2 lost", row.Dropped, row.Error)
	}
}

// TestHangUp holds that the end of a connection is the end of a rank whose process
// nobody here can see.
func TestHangUp(t *testing.T) {
	c := listen(t, 1)
	d := enter(t, c, 0)
	must(t, c.Gather(t.Context()))
	d.Close()
	err := c.Sync(t.Context(), worker.Before, 1)
	var failure *worker.Failure
	if !errors.As(err, &failure) || failure.Verdict != worker.VerdictDied || !strings.Contains(failure.Text, "without a last line") {
		t.Errorf("Sync = %v, want the end of rank 0", err)
	}
}

// TestNoMemory holds that a rank that cannot prepare a point takes it away from all,
// and that the world goes on.
func TestNoMemory(t *testing.T) {
	w := start(t, worker.Options{Ranks: 2, Hang: 10 * time.Second}, launch.Job{Env: []string{"TEST_FAULT=1:no memory"}})
	must(t, w.Gather(t.Context()))
	for index := range 2 {
		var s sink
		must(t, w.Run(t.Context(), point(index, 2), worker.WorldLine{Timeout: int64(time.Minute)}, &s))
		if len(s.memory) != 1 || s.memory[0].Outcome != "out_of_memory" || s.memory[0].Rank != 1 || len(s.colls) != 0 {
			t.Errorf("point %d: memory %+v and %d collectives, want that rank 1 ran out of it and nothing else", index, s.memory, len(s.colls))
		}
	}
	must(t, w.Quit(t.Context()))
}

type slowSink struct {
	sink
	once bool
}

func (s *slowSink) Collective(row record.Collective) {
	if !s.once {
		s.once = true
		time.Sleep(4 * time.Second)
	}
	s.sink.Collective(row)
}

// TestSlowSink holds that ranks are not blamed for a controller that is busy.
func TestSlowSink(t *testing.T) {
	t.Parallel()
	w := start(t, worker.Options{Ranks: 2, Hang: 2 * time.Second}, launch.Job{})
	must(t, w.Gather(t.Context()))
	var s slowSink
	must(t, w.Run(t.Context(), point(0, 2), worker.WorldLine{Timeout: int64(time.Minute)}, &s))
	must(t, w.Quit(t.Context()))
	if got, want := len(s.colls), 2*iterations; got != want {
		t.Errorf("%d records, want %d", got, want)
	}
}

// TestSlowController holds that a controller that reads nothing never blocks a
// worker: what does not fit is dropped and counted, and the file has it.
func TestSlowController(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, "deaf"))
	must(t, err)
	defer listener.Close()
	env := map[string]string{worker.EnvController: "unix:" + filepath.Join(dir, "deaf"), worker.EnvToken: "deaf", worker.EnvRun: "run-1", worker.EnvOut: dir, "RANK": "0", "WORLD_SIZE": "1"}
	go func() { // it greets and then reads nothing more
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		t.Cleanup(func() { conn.Close() })
		d := &dialer{conn, bufio.NewReader(conn)}
		challenge := worker.Line{T: worker.Challenge, Nonce: door.Nonce()}
		d.send(t, challenge)
		line := d.receive(t)
		d.send(t, worker.Line{T: worker.Welcome, Proof: proof("deaf", "controller", 0, challenge.Nonce, line.Nonce)})
	}()
	client, err := worker.Dial(func(name string) string { return env[name] }, worker.HelloLine{})
	must(t, err)
	const lines = 80 // of a mebibyte
	large := strings.Repeat("a", 1<<20)
	for range lines {
		client.Note(large)
		client.Flush() // one that waited for the controller would wait for ever
	}
	_ = client.Bye() // the connection is full, and gives up
	file, err := os.Open(filepath.Join(dir, "rank-00000.jsonl"))
	must(t, err)
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 2<<20)
	notes, last := 0, worker.Line{}
	for scanner.Scan() {
		last = worker.Line{}
		must(t, json.Unmarshal(scanner.Bytes(), &last))
		if last.T == worker.NoteT {
			notes++
		}
	}
	if notes != lines || last.T != worker.End || last.Dropped < 10 || last.Dropped >= lines {
		t.Errorf("the file has %d notes and ends with %s, %d dropped; want %d, end and some", notes, last.T, last.Dropped, lines)
	}
}

// TestTimeNamespace holds that stamps of a rank with another clock are put right,
// within the bound that is told.
func TestTimeNamespace(t *testing.T) {
	if err := exec.Command("unshare", "-T", "--monotonic", "5000", "true").Run(); err != nil {
		t.Skipf("time namespaces need root and Linux: %v", err)
	}
	epoch := worker.Mono()
	w := start(t, worker.Options{Ranks: 2, Hang: 10 * time.Second, Epoch: epoch}, launch.Job{Wrap: []string{"unshare", "-T", "--monotonic", "5000"}, Wrapped: 1})
	must(t, w.Gather(t.Context()))
	must(t, w.Sync(t.Context(), worker.Before, 50))
	var s sink
	must(t, w.Run(t.Context(), point(0, 2), worker.WorldLine{Timeout: int64(time.Minute)}, &s))
	must(t, w.Sync(t.Context(), worker.After, 20))
	must(t, w.Quit(t.Context()))
	rows := w.Ranks(0)
	if *rows[0].Offset != epoch || *rows[0].Bound != 0 {
		t.Errorf("rank 0 shares the clock: offset %d, bound %d, want %d and 0", *rows[0].Offset, *rows[0].Bound, epoch)
	}
	off := *rows[1].Offset - epoch - 5000e9
	if *rows[1].Bound <= 0 || max(off, -off) > *rows[1].Bound {
		t.Errorf("rank 1: offset is %d ns off, bound %d ns", off, *rows[1].Bound)
	}
	t.Logf("offset %d ns off, bound %d ns", off, *rows[1].Bound)
	for _, row := range s.colls {
		if row.Start < 0 || row.Start > int64(time.Minute) {
			t.Fatalf("rank %d: a record at %d ns, want the launch's clock", row.Rank, row.Start)
		}
	}
}

// TestCut holds that a rank behind a broken link is unreachable, and not hung.
func TestCut(t *testing.T) {
	t.Parallel()
	id := os.Getpid()
	namespace, here, there := fmt.Sprintf("assay-cut-%d", id), fmt.Sprintf("acut%dh", id), fmt.Sprintf("acut%dn", id)
	t.Cleanup(func() {
		_ = exec.Command("ip", "link", "del", here).Run()
		_ = exec.Command("ip", "netns", "del", namespace).Run()
	})
	for _, command := range [][]string{
		{"ip", "netns", "add", namespace},
		{"ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", namespace},
		{"ip", "addr", "add", "10.214.7.1/24", "dev", here},
		{"ip", "link", "set", here, "up"},
		{"ip", "-n", namespace, "addr", "add", "10.214.7.2/24", "dev", there},
		{"ip", "-n", namespace, "link", "set", there, "up"},
		{"ip", "-n", namespace, "link", "set", "lo", "up"},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("network namespaces need root: run it as root: %v: %s", command, out)
		}
	}
	w := start(t, worker.Options{Address: "10.214.7.1", Ranks: 1, Hang: 3 * time.Second}, launch.Job{Namespaces: []string{namespace}, Env: []string{"TEST_FAULT=0:sleep"}})
	must(t, w.Gather(t.Context()))
	go func() {
		time.Sleep(500 * time.Millisecond)
		_ = exec.Command("ip", "-n", namespace, "link", "set", there, "down").Run()
	}()
	begin := time.Now()
	err := w.Run(t.Context(), point(0, 1), worker.WorldLine{Timeout: int64(time.Minute)}, nil)
	var failure *worker.Failure
	if !errors.As(err, &failure) || failure.Verdict != worker.VerdictUnreachable {
		t.Errorf("Run = %v, want an unreachable rank", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("named after %v", took)
	}
}
