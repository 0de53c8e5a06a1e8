package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/record"
	"assay/target"
	"assay/workload/arrival"
)

// A prefillServer thinks, then answers with three events, and knows how many
// requests it thought about at once.
type prefillServer struct {
	mu        sync.Mutex
	now, most int
}

func (s *prefillServer) think() {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	time.Sleep(5 * time.Millisecond)
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
}

func (s *prefillServer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.think()
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 3 {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"w%d\"}}]}\n\n", i)
		w.(http.Flusher).Flush()
		time.Sleep(2 * time.Millisecond)
	}
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// With a real client, whichever way it reads, every call is kept and told for what
// it was; only those picked are given up; and the prefill limit holds.
func TestSendPolicy(t *testing.T) {
	tests := []struct {
		name   string
		policy SendPolicy
		given  bool // up
	}{
		{"prefill", SendPolicy{PrefillConcurrency: 3}, false},
		{"cancel", SendPolicy{Cancel: Cancel{Share: 0.3, After: time.Millisecond, Seed: 5}}, true},
	}
	for _, reader := range []string{target.ReadKernel, target.ReadEpoll, target.ReadNetHTTP} {
		for _, tt := range tests {
			for _, open := range []bool{false, true} {
				name := fmt.Sprintf("%s, %s, open %v", strings.ReplaceAll(reader, "/", "-"), tt.name, open)
				t.Run(name, func(t *testing.T) { testSendPolicy(t, reader, tt.policy, tt.given, open) })
			}
		}
	}
}

func testSendPolicy(t *testing.T, reader string, policy SendPolicy, given, open bool) {
	server := &prefillServer{}
	web := httptest.NewServer(server)
	defer web.Close()
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	dialect, err := target.Find("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	client, err := target.New(target.Config{URLs: []string{web.URL}, Reader: reader, Connections: 20, Ask: target.Ask{Model: "m", Stream: true}, Timeout: 10 * time.Second}, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := make(chan target.Prepared, 4)
	go func() { // ends with ctx
		defer close(calls)
		for id := int64(0); ; id++ {
			p, err := client.Prepare(record.Call{ID: id, Prompt: "hello"})
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case calls <- p:
			case <-ctx.Done():
				return
			}
		}
	}()
	tally := &Tally{}
	policy.Tally = tally
	outcomes := map[record.Outcome]int{}
	keep := func(raw *target.Raw) {
		r, _ := client.Decode(raw)
		outcomes[r.Result]++
		if r.Result == record.Cancelled && !policy.Cancel.picks(r.ID) {
			t.Errorf("call %d was given up and should not have been", r.ID)
		}
	}
	if open {
		schedule := scheduleOf(t, "constant", 300, arrival.Limits{Measure: 300 * time.Millisecond})
		err = Open{Schedule: schedule, MaxInFlight: 10, Pacer: Exact{clock}, SendPolicy: policy}.Run(ctx, clock, calls, client, keep)
	} else {
		err = Closed{Users: 10, Measure: 300 * time.Millisecond, SendPolicy: policy}.Run(ctx, clock, calls, client, keep)
	}
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range outcomes {
		total += n
	}
	if total != int(tally.Begun.Load()) || outcomes[record.OK] == 0 || outcomes[record.Cancelled] > 0 != given {
		t.Errorf("%d calls begun, ended as %v", tally.Begun.Load(), outcomes)
	}
	if outcomes[record.Dropped] != int(tally.Dropped.Load()) {
		t.Errorf("%d dropped, the tally says %d", outcomes[record.Dropped], tally.Dropped.Load())
	}
	for result := range outcomes {
		switch result {
		case record.OK, record.Cancelled, record.Cut, record.Dropped:
		default:
			t.Errorf("%d calls ended as %q", outcomes[result], result)
		}
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	if limit := policy.PrefillConcurrency; limit > 0 && server.most > limit {
		t.Errorf("the server thought about %d requests at once, want at most %d", server.most, limit)
	}
}
