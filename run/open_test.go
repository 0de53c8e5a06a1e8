package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/tests/whole"
)

const answer = `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}` + "\n\ndata: [DONE]\n\n"

func reply(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, answer)
}

// serverOf serves handle on loopback.
func serverOf(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r) // who asks for metrics does not take a turn
			return
		}
		body, err := io.ReadAll(r.Body) // only then does its context end with the connection
		switch {
		case err != nil:
		case bytes.Contains(body, []byte(preflightPrompt)):
			reply(w) // that takes no turn either
		default:
			handle(w, r)
		}
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func openPlan(t *testing.T, url, load string) plan.Plan {
	t.Helper()
	p := planOf(t, fmt.Sprintf(`workload: {model: m, concurrencyModel: open_loop, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
		target: {url: %q, timeout: 20s}, load: %s`, url, load))
	p.Launches = p.Launches[:1] // the others would do the same
	return p
}

// carryOut runs p and returns its sealed bundle.
func carryOut(t *testing.T, p plan.Plan) *bundle.Bundle {
	t.Helper()
	return carryOutPart(t, p, []byte("test"), nil, nil)
}

func rows[T any](t *testing.T, b *bundle.Bundle, table string) (list []T) {
	t.Helper()
	for row, err := range bundle.Rows[T](b, 0, table) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

func event(t *testing.T, b *bundle.Bundle, name string) record.Event {
	t.Helper()
	for _, e := range rows[record.Event](t, b, bundle.Events) {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no event %s", name)
	return record.Event{}
}

// A real server that works 50 ms on each call, one at a time, is offered 100
// calls a second over real sockets: five times what it can do, as 10 a second
// are to a server of 500 ms. Call k takes 0.05 + 0.04·k s from when it was due,
// and the 99th percentile of sixty calls is that of call 59.
func TestOverloadedServer(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	const service = 50 * time.Millisecond
	turns := make(chan chan struct{}, 10_000) // more than the test sends
	stop := make(chan struct{})
	defer close(stop)
	go func() { // ends with the test
		free := time.Now()
		for {
			select {
			case turn := <-turns:
				if now := time.Now(); free.Before(now) {
					free = now
				}
				free = free.Add(service) // absolute: late wake-ups do not add up
				time.Sleep(time.Until(free))
				close(turn)
			case <-stop:
				return
			}
		}
	}()
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		turn := make(chan struct{})
		turns <- turn
		select {
		case <-turn:
			reply(w)
		case <-r.Context().Done():
		}
	})
	b := carryOut(t, openPlan(t, url, `{rate: [100], arrival: constant, duration: 600ms, warmup: {}}`))
	var response []float64
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		if r.Phase == record.Measure {
			if r.Result != record.OK {
				t.Fatalf("call %d: %s %s", r.ID, r.Result, r.Error)
			}
			response = append(response, float64(r.Done-r.Due)/1e9)
		}
	}
	if len(response) != 60 {
		t.Fatalf("%d measured calls, want 60", len(response))
	}
	slices.Sort(response)
	p99 := response[int(math.Ceil(0.99*60))-1]
	// What is omitted makes it shorter, down to 0.05; a busy machine makes it longer.
	if want := 0.05 + 0.04*59; p99 < 0.8*want || p99 > 4*want {
		t.Errorf("p99 from when calls were due = %v s, want about %v", p99, want)
	}
	t.Logf("p99 %v s, theory %v s", p99, 0.05+0.04*59)
}

// Whatever a server does, every call of the schedule is one record, and the
// balance in the bundle is what the records say.
func TestBalanceUnderFaults(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 7 {
		case 0:
			http.Error(w, "busy", http.StatusTooManyRequests)
		case 1: // the connection is lost
			panic(http.ErrAbortHandler)
		case 2: // a stream that ends too soon
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		case 3: // longer than users wait and than the room lasts
			select {
			case <-time.After(400 * time.Millisecond):
				reply(w)
			case <-r.Context().Done():
			}
		default:
			reply(w)
		}
	})
	p := openPlan(t, url, `{rate: [300], arrival: gamma, burstiness: 0.5, duration: 1s, warmup: {duration: 300ms}, cooldown: 100ms,
		maxInFlight: 12, prefillConcurrency: 10, cancel: {share: 0.3, after: 50ms}}`)
	b := carryOut(t, p)

	file, err := b.ReadFile("raw/launch-00/schedule-00.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule(p.Launches[0], p.Points[0])
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Encode(); err != nil || !bytes.Equal(file, again) {
		t.Errorf("the stored schedule is not what the plan gives (%v)", err)
	}

	begin := event(t, b, record.WindowBegin).At
	byID := map[int64]record.Request{}
	outcomes := map[record.Outcome]int64{}
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		if _, twice := byID[r.ID]; twice {
			t.Errorf("call %d was recorded twice", r.ID)
		}
		byID[r.ID] = r
		outcomes[r.Result]++
	}
	for k, due := range s.Due[:s.Warmup+s.Measure] {
		r, ok := byID[int64(k)]
		if !ok || r.Due-begin != due-s.Begin || r.Phase != s.Phase(k) || r.Sent < r.Due {
			t.Fatalf("call %d of the schedule is recorded (%v) as %s, due %d, sent %d", k, ok, r.Phase, r.Due-begin, r.Sent-begin)
		}
	}
	for _, want := range []record.Outcome{record.OK, record.HTTPError, record.Truncated, record.Dropped, record.Cancelled} {
		if outcomes[want] == 0 {
			t.Errorf("no call ended as %s: %v", want, outcomes)
		}
	}
	var got Balance
	if err := json.Unmarshal([]byte(event(t, b, record.PointBalance).Detail), &got); err != nil {
		t.Fatal(err)
	}
	if got.check() != nil || got.Begun != int64(len(byID)) || got.Dropped != outcomes[record.Dropped] || got.Cancelled != outcomes[record.Cancelled] ||
		got.Cut != outcomes[record.Cut] || got.Completed != outcomes[record.OK] || got.MostInFlight > 12 {
		t.Errorf("balance %+v, records %v", got, outcomes)
	}
	var health Health
	if err := json.Unmarshal(b.Manifest.Health, &health); err != nil || health.Balance != got {
		t.Errorf("the manifest's balance is %+v (%v), want %+v", health.Balance, err, got)
	}
	if (Balance{Begun: 3, Completed: 1, Cut: 1}).check() == nil {
		t.Error("a lost call was not noticed")
	}
}

// Two load generators together ask what one would have asked: the same numbers
// and prompts at the same times.
func TestShardsTogether(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	whole := openPlan(t, url, `{rate: [60], duration: 500ms, warmup: {duration: 200ms}}`)
	type call struct {
		due, hash int64
		phase     record.Phase
	}
	of := func(p plan.Plan) map[int64]call {
		b := carryOut(t, p)
		begin := event(t, b, record.WindowBegin).At
		calls := map[int64]call{}
		for _, r := range rows[record.Request](t, b, bundle.Requests) {
			if r.Shard != int32(p.Share().Index) {
				t.Errorf("call %d is of shard %d, want %d", r.ID, r.Shard, p.Share().Index)
			}
			if r.Phase != record.Cooldown {
				calls[r.ID] = call{r.Due - begin, r.PromptHash, r.Phase}
			}
		}
		return calls
	}
	union := map[int64]call{}
	for index := range 2 {
		shard, err := whole.Shard(index, 2)
		if err != nil {
			t.Fatal(err)
		}
		part := of(shard)
		for id := range part {
			if _, twice := union[id]; twice {
				t.Errorf("call %d was sent by both", id)
			}
		}
		maps.Copy(union, part)
	}
	if want := of(whole); !maps.Equal(union, want) {
		t.Errorf("two shards sent %d calls, the whole %d: want the same ones", len(union), len(want))
	}
}
