package sim

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A stamp is a row of the truth log.
type stamp struct {
	request, client, kind    string
	arrival, due, sent       int64
	event, choice, tokenSize int64
}

// run serves cfg while ask runs, and returns the truth log.
func run(t *testing.T, cfg Config, ask func(addr string)) []stamp {
	t.Helper()
	var log bytes.Buffer
	cfg.Truth = &log
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	ask(l.Addr().String())
	for deadline := time.Now().Add(10 * time.Second); s.Stats().Running > 0 && time.Now().Before(deadline); {
		time.Sleep(ms)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Fatal(err)
	}
	return stamps(t, &log)
}

func stamps(t *testing.T, log io.Reader) []stamp {
	t.Helper()
	rows, err := csv.NewReader(log).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var list []stamp
	for _, r := range rows[1:] {
		list = append(list, stamp{
			request: r[0], client: r[1], arrival: number(r[2]), event: number(r[3]), choice: number(r[4]),
			kind: r[5], tokenSize: number(r[6]), due: number(r[7]), sent: number(r[8]),
		})
	}
	return list
}

func TestTruthOfFixedSchedule(t *testing.T) {
	before := hostMonotonic()
	log := run(t, Config{Fixed: &Fixed{TTFT: 20 * ms, ITL: 3 * ms}}, func(addr string) {
		_, r := post(t, addr, chatPath, chatBody(5), `X-Request-Id: mine, "quoted"`, "Connection: close")
		if _, err := io.ReadAll(r); err != nil {
			t.Error(err)
		}
	})
	after := hostMonotonic()
	kinds := []string{"token", "token", "token", "token", "token", "usage", "done"}
	if len(log) != len(kinds) {
		t.Fatalf("%d rows, want %d: %+v", len(log), len(kinds), log)
	}
	for i, row := range log {
		due := row.arrival + int64(20*ms) + int64(min(i, 4))*int64(3*ms)
		if row.kind != kinds[i] || row.event != int64(i) || row.due != due || row.request != "req-1" || row.client != `mine, "quoted"` {
			t.Errorf("row %d is %+v, want kind %s due at %d", i, row, kinds[i], due)
		}
		if row.sent < row.due || row.arrival < before || row.sent > after {
			t.Errorf("row %d is %+v, want sent from due on, all between %d and %d", i, row, before, after)
		}
	}
}

// The rows of an engine's stream follow its cost model exactly when it is alone.
func TestTruthOfEngine(t *testing.T) {
	const ask = `{"prompt":[1,2,3,4,5],"max_tokens":3,"ignore_eos":true,"stream":true}`
	log := run(t, Config{Engine: Engine{Cost: handCost}}, func(addr string) { call(t, "POST", "http://"+addr+textPath, ask) })
	for i, want := range at(15, 27, 39) {
		if got := time.Duration(log[i].due - log[i].arrival); got != want {
			t.Errorf("token %d due after %v, want %v", i, got, want)
		}
	}
}

// A fault's late events are in the log at the time they really left.
func TestTruthOfStall(t *testing.T) {
	log := run(t, Config{Fixed: &Fixed{ITL: ms}, FaultDelay: 50 * ms}, func(addr string) {
		call(t, "POST", "http://"+addr+chatPath, chatBody(6)[:len(chatBody(6))-1]+`,"model":"sim@stall"}`)
	})
	if gap := time.Duration(log[3].sent - log[2].due); gap < 50*ms {
		t.Errorf("token 3 left %v after token 2 was due, want at least 50ms", gap)
	}
	if gap := time.Duration(log[3].due - log[2].due); gap != ms {
		t.Errorf("tokens 2 and 3 were due %v apart, want 1ms", gap)
	}
}

// The accuracy is logged, and only bounded far above what any machine shows: a
// shared one may pause at any time.
func TestFixedAccuracy(t *testing.T) {
	const streams, tokens = 20, 50
	log := run(t, Config{Fixed: &Fixed{TTFT: 20 * ms, ITL: 10 * ms}}, func(addr string) {
		var wg sync.WaitGroup
		for range streams {
			wg.Go(func() {
				resp, err := http.Post("http://"+addr+chatPath, "application/json", strings.NewReader(chatBody(tokens)))
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	var late []time.Duration
	for _, row := range log {
		if row.kind == "token" {
			late = append(late, time.Duration(row.sent-row.due))
		}
	}
	if len(late) != streams*tokens {
		t.Fatalf("%d tokens in the log, want %d", len(late), streams*tokens)
	}
	slices.Sort(late)
	p50, p99 := late[len(late)/2], late[len(late)*99/100]
	t.Logf("%d streams × %d tokens: late p50 %v, p99 %v, max %v", streams, tokens, p50, p99, late[len(late)-1])
	if p50 > 100*ms {
		t.Errorf("half of the tokens were more than %v late", p50)
	}
	if late[0] < 0 {
		t.Errorf("a token left %v early", -late[0])
	}
}
