package worker_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/door"
	"assay/worker"
)

// TestStrangers holds that whoever does not know the token is turned away and
// changes nothing.
func TestStrangers(t *testing.T) {
	c := listen(t, 1)
	for _, text := range []string{
		"GET / HTTP/1.1\r\n\r\n", "\x00\xff\n", "{}\n", `{"t":"hello","v":2,"hello":null}` + "\n", "null\n",
		`{"t":"hello","v":2,"rank":-9223372036854775808,"hello":{}}` + "\n", strings.Repeat("x", 5<<20) + "\n", "cut off",
		`{"t":"hello","v":1,"rank":0,"hello":{"token":"guessed","world":1}}` + "\n", // of an earlier version
	} {
		d := knock(t, c)
		d.receive(t)
		_, _ = d.Write([]byte(text)) // it may be hung up on before the end
		_ = d.Conn.(*net.UnixConn).CloseWrite()
		_, _ = d.ReadBytes('\n')
	}
	if got := knock(t, c).greet(t, "guessed", hello(0)); got.T != worker.ErrT || !strings.Contains(got.Text, "does not know the token") || strings.Contains(got.Text, "far") {
		t.Errorf("a guess hears %q, want that it does not know the token, in none of its own words", got.Text)
	}
	soon, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if err := c.Gather(soon); err == nil || !strings.Contains(err.Error(), "rank 0 not greeted, 10 connections were turned away") {
		t.Errorf("Gather = %v, want nobody and 10 turned away", err)
	}
	enter(t, c, 0)
	must(t, c.Gather(t.Context()))
}

// TestReplay repeats the hello of a real rank: neither in its place nor beside it is
// it worth anything, and the token was never in it.
func TestReplay(t *testing.T) {
	c := listen(t, 1)
	token := variable(c, worker.EnvToken)
	d := knock(t, c)
	challenge := d.receive(t)
	line := hello(0)
	line.Nonce = door.Nonce()
	line.Proof = proof(token, "worker", 0, challenge.Nonce, line.Nonce)
	if text, err := json.Marshal(line); err != nil || strings.Contains(string(text), token) {
		t.Errorf("the hello holds the token (%v)", err)
	}
	// It was heard on its way and comes from another, first.
	thief := knock(t, c)
	thief.receive(t)
	thief.send(t, line)
	if got := thief.receive(t); got.T != worker.ErrT {
		t.Errorf("a hello that another was challenged for is answered with %q", got.T)
	}
	d.send(t, line)
	if got := d.receive(t); got.T != worker.Welcome {
		t.Fatalf("the rank itself hears %q %q", got.T, got.Text)
	}
	must(t, c.Gather(t.Context()))
}

// TestFlood has a thousand connect and say nothing, and a thousand more send a line
// without end, before the rank comes. It gets in, and memory stays where it was.
func TestFlood(t *testing.T) {
	c := listen(t, 1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	endless := []byte(strings.Repeat("x", 1<<20))
	for i := range 2000 {
		d := knock(t, c)
		if i%2 == 1 {
			_ = d.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = d.Write(endless)
		}
	}
	enter(t, c, 0)
	must(t, c.Gather(t.Context()))
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("2000 strangers hold %d bytes", grown)
	}
}

// TestFakeController has a stranger listen where the controller should be: a worker
// neither tells it the token nor does what it says.
func TestFakeController(t *testing.T) {
	const token = "the token of the run"
	f := func(name string, answer func(challenge string, hello worker.Line) worker.Line, want string) {
		t.Helper()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer listener.Close()
		heard := make(chan string, 1)
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			d := &dialer{conn, bufio.NewReader(conn)}
			challenge := door.Nonce()
			d.send(t, worker.Line{T: worker.Challenge, Nonce: challenge})
			text, _ := d.ReadString('\n')
			heard <- text
			var line worker.Line
			_ = json.Unmarshal([]byte(text), &line)
			d.send(t, answer(challenge, line))
		}()
		env := map[string]string{worker.EnvController: listener.Addr().String(), worker.EnvToken: token, worker.EnvRun: "run-1", "RANK": "0", "WORLD_SIZE": "1"}
		_, err = worker.Dial(func(name string) string { return env[name] }, worker.HelloLine{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Dial = %v, want %q", name, err, want)
		}
		if text := <-heard; strings.Contains(text, token) {
			t.Errorf("%s: the worker told its token: %s", name, text)
		}
	}
	f("no proof", func(string, worker.Line) worker.Line { return worker.Line{T: worker.Welcome} }, "is not the controller")
	f("the worker's own proof", func(_ string, hello worker.Line) worker.Line {
		return worker.Line{T: worker.Welcome, Proof: hello.Proof}
	}, "is not the controller")
	f("a plan at once", func(string, worker.Line) worker.Line { return worker.Line{T: worker.PlanT} }, "is not the controller")
	f("a guess", func(challenge string, hello worker.Line) worker.Line {
		return worker.Line{T: worker.Welcome, Proof: proof("guessed", "controller", 0, challenge, hello.Nonce)}
	}, "is not the controller")
}
