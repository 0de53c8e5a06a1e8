package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/tests/program"
	"assay/tests/whole"
)

// native builds one of the programs in C.
func native(t *testing.T, name string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: make test installs one")
	}
	path := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command(cc, "-O2", "-Wall", "-Wextra", "-Werror", "-o", path, "native/"+name+".c", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// short are answers that take few milliseconds.
func short(t *testing.T) options {
	return options{server: native(t, "server"), answer: schedule{ttft: 5 * time.Millisecond, gap: time.Millisecond, tokens: 4}}
}

// serve starts the truth server for a test.
func serve(t *testing.T, o options) *truthServer {
	t.Helper()
	s, err := startServer(t.Context(), o, place{server: -1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The server answers what was asked for, on its schedule and never before, and logs it.
func TestServer(t *testing.T) {
	t.Parallel()
	s := serve(t, short(t))
	first, second := ask(t, s.url, `{"max_tokens":3}`), ask(t, s.url, `{"max_completion_tokens":1,"prompt":"`+strings.Repeat("long ", 50_000)+`"}`)
	if strings.Count(first, `"content"`) != 3 || !strings.Contains(first, `"content":"1 "`) || !strings.Contains(second, `"content":"2 "},"finish_reason":"length"`) {
		t.Errorf("answers:\n%s\n%s", first, second)
	}
	for path, want := range map[string]int{"/v1/models": 200, "/version": 200, "/metrics": 404} {
		r, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Close(); r.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, r.Status, want)
		}
	}
	truth, err := s.answers()
	if err != nil {
		t.Fatal(err)
	}
	if len(truth) != 2 || len(truth["1"].events) != 3 || len(truth["2"].events) != 1 {
		t.Fatalf("log: %+v", truth)
	}
	for i, e := range truth["1"].events {
		if due := truth["1"].received + int64(5*time.Millisecond) + int64(i)*int64(time.Millisecond); e.due != due || e.written < due {
			t.Errorf("event %d: due %d, want %d; written %d", i, e.due, due, e.written)
		}
	}
}

// Jitter moves events, by the seed and the number of the answer alone.
func TestServerJitter(t *testing.T) {
	t.Parallel()
	o := short(t)
	o.answer.jitter = 0.5
	var schedules [3][]int64
	for i := range schedules {
		o.answer.seed = uint64(i / 2)
		s := serve(t, o)
		ask(t, s.url, `{"max_tokens":8}`)
		truth, err := s.answers()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range truth["1"].events {
			schedules[i] = append(schedules[i], e.due-truth["1"].received)
		}
	}
	got := fmt.Sprint(schedules[0])
	if got != fmt.Sprint(schedules[1]) || got == fmt.Sprint(schedules[2]) || schedules[0][0] == int64(5*time.Millisecond) || schedules[0][1]-schedules[0][0] == schedules[0][2]-schedules[0][1] {
		t.Errorf("schedules of seeds 0, 0 and 1: %v", schedules)
	}
}

func TestTornLog(t *testing.T) {
	t.Parallel()
	if _, err := readAnswers(bytes.Repeat([]byte{1}, 30)); err == nil {
		t.Error("a torn log was read")
	}
}

// The plain client asks again and again and says what that cost.
func TestPlainClient(t *testing.T) {
	t.Parallel()
	o := short(t)
	o.client, o.duration = native(t, "client"), 100*time.Millisecond
	c, err := o.plainColumn(t.Context(), place{server: -1}, load{users: 3})
	if err != nil {
		t.Fatal(err)
	}
	if c.events == 0 || !(c.readsPerCPU() > 0) {
		t.Errorf("the plain client: %+v", c)
	}
}

// A peer's result is joined by the number that the server put into the answer.
func TestPeer(t *testing.T) {
	t.Parallel()
	truth := answers{}
	for i := range 4 {
		at := int64(i) * 1e9
		truth[fmt.Sprint(i+1)] = answer{received: at, events: []event{{written: at + 50e6}, {written: at + 60e6}}}
	}
	r := peerResult{
		TTFTs: []float64{.051, .052, .053, .054}, Texts: []string{"4 word ", "2 word ", "1 word ", "3 word "},
		ITLs: [][]float64{{.010}, {.011, .001}, {.012}, {}},
	}
	c, err := r.compare(truth, 1)
	if err != nil || c.requests != 3 || c.missing != 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	if fmt.Sprint(c.ttft) != "[1000000 2000000 4000000]" || fmt.Sprint(c.gap) != "[0 1000000]" || fmt.Sprint(c.turnaround) != "[940000000 940000000 940000000]" {
		t.Errorf("TTFT errors %v, gap errors %v, idle %v", c.ttft, c.gap, c.turnaround)
	}
}

// The whole way, closed and open: a real run against the real server, every request and
// event found on both sides, and the client never ahead of the truth.
func TestRun(t *testing.T) {
	whole.Only(t)
	o := short(t)
	o.assay, o.launches, o.duration, o.warmup = program.Path(t), 1, time.Second, 200*time.Millisecond
	o.keep = t.TempDir()
	for _, l := range []load{{users: 4}, {rate: 50}} {
		columns, own, err := o.assayColumns(t.Context(), place{server: -1}, l)
		if err != nil {
			t.Fatal(err)
		}
		c := columns[0]
		if c.missing != 0 || c.requests < 10 || c.outputs != 4*c.requests || !(c.readsPerCPU() > 0) {
			t.Errorf("%v: %d requests, %d events, %d on one side alone, %g reads per CPU second", l, c.requests, c.outputs, c.missing, c.readsPerCPU())
		}
		for _, e := range c.ttft {
			if e < 0 {
				t.Errorf("%v: a TTFT was reported %v before it was over", l, time.Duration(-e))
			}
		}
		if own.ttft.printed <= 0 || (len(c.turnaround) > 0) != (l.users > 0) || (len(c.dueWritten) > 0) != (l.rate > 0) {
			t.Errorf("%v: own error %+v, %d turnarounds, %d sent on a schedule", l, own, len(c.turnaround), len(c.dueWritten))
		}
	}
	if left, _ := os.ReadDir(o.keep); len(left) != 2 {
		t.Errorf("%d runs were kept, want 2", len(left))
	}
}
