package metric

import (
	"math"
	"testing"

	"assay/record"
)

// Every failure is counted by one class, or dropped, and by nothing else.
func TestErrorClasses(t *testing.T) {
	classes := []Metric{OverloadRate, HTTPErrorRate, TimeoutRate, ConnectionErrorRate, StreamErrorRate, ProtocolErrorRate}
	f := func(outcome record.Outcome, status int32) {
		t.Helper()
		p := &Point{Requests: []*Timeline{
			{Request: record.Request{Phase: record.Measure, Result: outcome, Status: status}},
			{Request: record.Request{Phase: record.Measure, Result: record.OK}},
			{Request: record.Request{Phase: record.Warmup, Result: record.Timeout}},
		}}
		failed, all := ErrorRate.Of.(Share)(p)
		if outcome == record.Dropped {
			failed-- // drop_rate.v1 has it
		}
		sum := 0
		for _, m := range classes {
			hits, of := m.Of.(Share)(p)
			sum += hits
			if of != all {
				t.Errorf("%s divides by %d, error_rate.v1 by %d", m.ID, of, all)
			}
		}
		if sum != failed {
			t.Errorf("%s with status %d: %d in the classes, want %d", outcome, status, sum, failed)
		}
	}
	for _, outcome := range record.Outcomes {
		f(outcome, 0)
	}
	for _, status := range []int32{400, 404, 429, 500, 503, 529} {
		f(record.HTTPError, status)
	}
	busy := &Point{Requests: []*Timeline{{Request: record.Request{Phase: record.Measure, Result: record.HTTPError, Status: 429}}}}
	if hits, _ := OverloadRate.Of.(Share)(busy); hits != 1 {
		t.Error("a refusal with 429 is no overload")
	}
}

// Steady load keeps Little's law; load that only arrives does not.
func TestLittlesLaw(t *testing.T) {
	p := &Point{Begin: 1000 * ms, End: 2000 * ms}
	for sent := int64(0); sent < 3000; sent += 10 { // 100 a second, 50 ms each: 5 in flight
		p.Requests = append(p.Requests, &Timeline{Request: record.Request{Result: record.OK, Sent: sent * ms, Done: (sent + 50) * ms}})
	}
	near(t, Concurrency, p, 5, 1e-9)
	near(t, LittleProduct, p, 5, 1e-9)
	near(t, LittleError, p, 0, 1e-9)
	for _, one := range p.Requests {
		one.Done = 3000 * ms // nothing ends in the window
	}
	near(t, LittleProduct, p, 0, 0)
	near(t, LittleError, p, 1, 0)
}

// Prompts count when their first output arrives, and the first token is theirs.
func TestPrefillAndDecodeThroughput(t *testing.T) {
	in := int32(700)
	request := func(tokens int32, at ...int64) *Timeline {
		r := timeline(tokens, at...)
		r.UsageInput = &in
		return r
	}
	before := request(10, 90, 110)  // its prefill is over; half of its output is inside
	inside := request(8, 150, 160)  //
	after := request(10, 190, 210)  // its prefill is inside, and half of its output
	failed := request(10, 150, 160) // counts nothing
	failed.Result = record.StreamErr
	p := &Point{Begin: 100 * ms, End: 200 * ms, Requests: []*Timeline{before, inside, after, failed}}
	near(t, PrefillThroughput, p, 1400/0.1, 1e-9)
	near(t, DecodeThroughput, p, (5+8+5-2)/0.1, 1e-9)
	near(t, TotalThroughput, p, 700*(11.0/110+61.0/160+100.0/210)/0.1+(5+8+5)/0.1, 1e-9) // all were sent at 1 ms
	inside.UsageInput = nil
	absent(t, p, PrefillThroughput, TotalThroughput)
}

// Tokens of an event are its part of the bytes; an event of none hands its time
// on, and the parts sum to the whole.
func TestTokenGaps(t *testing.T) {
	stream := func(tokens int32, events ...[2]int64) *Timeline {
		r := &Timeline{Request: record.Request{UsageOutput: &tokens}}
		for _, e := range events {
			r.Events = append(r.Events, record.Chunk{At: e[0] * ms, Kind: record.Content, TextBytes: int32(e[1])})
		}
		return r
	}
	f := func(r *Timeline, want ...float64) {
		t.Helper()
		got := ITLToken.Each(r)
		if len(got) != len(want) {
			t.Fatalf("gaps %v, want %v", got, want)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]/1000) > 1e-12 {
				t.Errorf("gaps %v, want %v ms", got, want)
			}
		}
	}
	f(stream(5, [2]int64{10, 4}, [2]int64{20, 8}, [2]int64{50, 8}), 5, 5, 15, 15)            // 1, 2 and 2 tokens
	f(stream(3, [2]int64{10, 4}, [2]int64{20, 1}, [2]int64{50, 3}, [2]int64{60, 4}), 40, 10) // the second has none
	f(stream(4, [2]int64{10, 12}, [2]int64{20, 4}), 10)                                      // three tokens in the first
	f(stream(1, [2]int64{10, 4}))
	f(stream(4, [2]int64{10, 0}, [2]int64{20, 0})) // tool calls have no text to go by
}
