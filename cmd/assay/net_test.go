package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"assay/probe"
)

// answerAlone runs the program and returns what it says.
func answerAlone(t *testing.T, args ...string) (code int, out, story string) {
	t.Helper()
	return answerWith(t, nil, args...)
}

// answerWith is answerAlone in an environment.
func answerWith(t *testing.T, environ []string, args ...string) (code int, out, story string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), Env{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Environ: func() []string { return environ }})
	return code, stdout.String(), stderr.String()
}

func TestNet(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- probe.Serve(ctx, listener, "0123456789abcdef") }()
	for _, environ := range [][]string{nil, {"ASSAY_TOKEN=guessed guessed guessed"}} {
		if code, _, story := answerWith(t, environ, "net", listener.Addr().String(), "--duration", "20ms", "--interval", "10ms"); code != exitFailed || !strings.Contains(story, "ASSAY_TOKEN") {
			t.Errorf("with %v: exit code %d, %q; want what to set", environ, code, story)
		}
	}
	code, out, story := answerWith(t, []string{"ASSAY_TOKEN=0123456789abcdef"}, "net", listener.Addr().String(), "--duration", "80ms", "--interval", "10ms", "--streams", "2", "--json")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	matchesSchema(t, "net", out)
	var got netReport
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %s: %v", code, story, err)
	}
	if got.Send.Value <= 0 || got.Receive.Value <= 0 || len(got.Send.Intervals) != 8 || got.Send.Retransmits == nil || got.Receive.Retransmits != nil ||
		got.Trip.Value <= 0 || got.Trip.Lowest > got.Trip.Value || got.Link.MTU == 0 || got.Link.Interface == "" || got.Streams != 2 || got.Wrong != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestNetLoopback(t *testing.T) {
	code, out, story := answerAlone(t, "net", "--duration", "60ms", "--interval", "10ms")
	for _, want := range []string{"interface lo", "send ", "receive ", "round trip", "send by interval: "} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q, %s: want %q in it", code, out, story, want)
		}
	}
}

func TestInterfaces(t *testing.T) {
	code, out, story := answerAlone(t, "net", "--interfaces", "--interval", "20ms", "--duration", "1s", "--json")
	matchesSchema(t, "net-interfaces", out)
	var got crossing
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %s: %v", code, story, err)
	}
	if len(got.Interfaces) == 0 || got.Seconds <= 0 {
		t.Errorf("got %+v", got)
	}
	if code, out, _ := answerAlone(t, "net", "--interfaces", "--interval", "20ms"); code != exitOK || !strings.Contains(out, "INTERFACE") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

func TestNetAskedWrongly(t *testing.T) {
	f := func(wantCode int, want string, args ...string) {
		t.Helper()
		code, _, story := answerAlone(t, append([]string{"net"}, args...)...)
		if code != wantCode || !strings.Contains(story, want) {
			t.Errorf("%v: exit code %d, %q; want %d and %q", args, code, story, wantCode, want)
		}
	}
	f(exitUsage, "--interfaces", "--watch")
	f(exitUsage, "want one host", "a", "b")
	f(exitUsage, "want one host", "--serve", ":0", "a")
	f(exitUsage, "at least one interval", "--interval", "10s")
	f(exitUsage, "at least 1", "--streams", "0")
	f(exitUsage, fmt.Sprintf(":%s", probe.DefaultPort), "--serve", "256.0.0.1:1")
	f(exitFailed, "printed a secret: set ASSAY_TOKEN", "127.0.0.1:1")
	if code, _, story := answerWith(t, []string{"ASSAY_TOKEN=0123456789abcdef"}, "net", "127.0.0.1:1"); code != exitFailed || !strings.Contains(story, "run assay net --serve on 127.0.0.1:1") {
		t.Errorf("nobody serves: exit code %d, %q", code, story)
	}
	if code, _, story := answerWith(t, []string{"ASSAY_TOKEN=short"}, "net", "--serve", "127.0.0.1:0"); code != exitFailed || !strings.Contains(story, "at least 16") {
		t.Errorf("a short secret: exit code %d, %q", code, story)
	}
}
