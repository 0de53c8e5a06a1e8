package sim

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reach reads until the text so far holds mark.
func reach(t *testing.T, r io.Reader, mark string) {
	t.Helper()
	var text strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(text.String(), mark) {
		n, err := r.Read(buf)
		text.Write(buf[:n])
		if err != nil {
			t.Fatalf("%v before %q in %q", err, mark, text.String())
		}
	}
}

// Times run from before the request was sent, and only lower bounds are checked:
// a busy machine makes things late, never early.
func TestFaultDelays(t *testing.T) {
	const ttft, delay = 40 * ms, 30 * ms
	tests := []struct {
		fault, mark string
		least       time.Duration
	}{
		{"stall", " may", ttft + delay},
		{"usage-only-last", `"usage"`, ttft + delay},
		{"open-after-done", "\n0\r\n\r\n", ttft + delay},
		{"bytes-after-done", "\n0\r\n\r\n", ttft + delay},
		{"slow-head", "HTTP/1.1 200 OK", 14 * delay},
		{"slow-drip", "1\r\nd\r\n1\r\na\r\n1\r\nt\r\n", ttft + 2*delay},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel()
			_, addr := serve(t, Config{Fixed: &Fixed{TTFT: ttft}, FaultDelay: delay})
			start := time.Now()
			c, _ := post(t, addr, chatPath, chatBody(6), "X-Assay-Fault: "+tt.fault)
			reach(t, c, tt.mark)
			if got := time.Since(start); got < tt.least {
				t.Errorf("%q came after %v, want at least %v", tt.mark, got, tt.least)
			}
		})
	}
}

// What comes before the first token must leave at once. The first token is a
// second away, so that even a very busy machine does not confuse them.
func TestFaultsBeforeTheFirstToken(t *testing.T) {
	for fault, kind := range map[string]string{"role-chunk": "role", "empty-delta": "blank", "early-response": "role"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			log := run(t, Config{Fixed: &Fixed{TTFT: time.Second}}, func(addr string) {
				_, r := post(t, addr, chatPath, chatBody(1), "X-Assay-Fault: "+fault, "Connection: close")
				if _, err := io.ReadAll(r); err != nil {
					t.Error(err)
				}
			})
			first, token := log[0], log[1]
			if first.kind != kind || token.kind != "token" || time.Duration(token.due-first.sent) < 500*ms {
				t.Errorf("rows %+v and %+v; want a %s long before the first token", first, token, kind)
			}
		})
	}
}

func TestEarlyResponseComesBeforeTheBody(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{}})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	body := chatBody(3)
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: sim\r\nX-Assay-Fault: early-response\r\nContent-Length: %d\r\n\r\n", chatPath, len(body))
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	events := bufio.NewReader(resp.Body)
	if line, err := events.ReadString('\n'); err != nil || !strings.Contains(line, `"role":"assistant"`) {
		t.Fatalf("before the body: %q, %v; want the role event", line, err)
	}
	if _, err := io.WriteString(c, body); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(events)
	if err != nil || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("after the body: %q, %v; want the rest of the stream", rest, err)
	}
}

// A write of several events is read at once by a client that is waiting.
func TestCoalescedEventsShareAWrite(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{TTFT: 30 * ms, ITL: 5 * ms}})
	c, _ := post(t, addr, chatPath, chatBody(8), "X-Assay-Fault: coalesced")
	buf := make([]byte, 1<<16)
	n, err := c.Read(buf) // the head, which leaves at once
	if err != nil {
		t.Fatal(err)
	}
	text := string(buf[:n])
	for !strings.Contains(text, "data: ") {
		if n, err = c.Read(buf); err != nil {
			t.Fatal(err)
		}
		text = string(buf[:n])
	}
	if got := strings.Count(text, "data: "); got < 4 {
		t.Errorf("the first read with events held %d, want at least 4", got)
	}
}

func TestFaultsByModelAndTogether(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{}})
	body := strings.Replace(chatBody(2), `"sim"`, `"sim@crlf,role-chunk"`, 1)
	_, reply := call(t, "POST", "http://"+addr+chatPath, body)
	text := string(reply)
	if !strings.HasPrefix(text, `data: {"id":"req-1"`) || !strings.Contains(text, `"role"`) || strings.Count(text, "\r\n\r\n") != 5 {
		t.Errorf("got %q; want a role event, 2 tokens, usage and [DONE], all with CRLF", text)
	}
	if strings.Contains(text, "@crlf") {
		t.Errorf("the answer %q names the fault in its model", text)
	}
}

func TestFaultRate(t *testing.T) {
	cfg := Config{Fixed: &Fixed{}, Seed: 3, Faults: []FaultRate{{"html-500", 0.3}}}
	s, addr := serve(t, cfg)
	const n = 200
	want, got := 0, 0
	for i := range uint64(n) {
		want += len(s.drawFaults(i + 1))
	}
	for range n {
		if status, _ := call(t, "POST", "http://"+addr+chatPath, chatBody(1)); status == 500 {
			got++
		}
	}
	// 60 are expected with a standard deviation of 6.5.
	if got != want || got < 35 || got > 85 {
		t.Errorf("%d of %d requests failed, want the %d drawn, near 60", got, n, want)
	}
}

func TestParseFault(t *testing.T) {
	f := func(text string, want FaultRate, wantErr string) {
		t.Helper()
		got, err := ParseFault(text)
		if wantErr == "" && (err != nil || got != want) || wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)) {
			t.Errorf("ParseFault(%q) = %v, %v; want %v, %q", text, got, err, want, wantErr)
		}
	}
	f("crlf", FaultRate{"crlf", 1}, "")
	f("reset:0.25", FaultRate{"reset", 0.25}, "")
	f("reset:2", FaultRate{}, "from 0 to 1")
	f("reset:x", FaultRate{}, "from 0 to 1")
	f("reset:NaN", FaultRate{}, "from 0 to 1")
	f("nonsense", FaultRate{}, "want one of role-chunk")
}
