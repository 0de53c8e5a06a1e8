package fidelity

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

const log = `request,client_id,arrival_ns,event,choice,kind,tokens,due_ns,sent_ns
a,,0,0,0,role,0,100,100
a,,0,1,0,token,1,1000,1010
a,,0,2,0,token,1,2000,2010
a,,0,3,0,done,0,2000,2010
b,,0,0,0,token,1,1000,1000
b,,0,1,0,token,1,2000,2000
c,,0,0,0,token,1,1000,1000
`

func TestJudge(t *testing.T) {
	truth, err := readTruth(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	r := judge(Observed{CPU: 40, Reads: 3, Failed: 1, Error: "reset", Requests: []Answer{
		{ID: "a", Round: 1, Lag: 7, Stamps: "x", At: []int64{1030, 2015}}, // 20 and 5 late
		{ID: "b", Round: 0, Stamps: "y", At: []int64{9000}},               // opened the connection; one token lost
		{ID: "c", Round: 1, Lag: 3, Stamps: "x", At: []int64{1001, 1002}}, // one token that was never sent
	}}, truth)
	if r.Events != 3 || r.Lost != 2 || r.Failed != 1 || r.Error != "reset" || r.Stamps != "x" {
		t.Errorf("%d events, %d lost, %d failed (%s), stamps %q", r.Events, r.Lost, r.Failed, r.Error, r.Stamps)
	}
	if r.TTFT.N != 2 || r.TTFT.Max != 27 || r.TTFT.P50 != 27 {
		t.Errorf("TTFT %+v, want 27 (lag 7, stamp 20) and 4", r.TTFT)
	}
	if r.Stamp.Max != 20 || r.Stamp.P50 != 5 {
		t.Errorf("stamp %+v, want 20, 5 and 1", r.Stamp)
	}
	if r.Gap.N != 1 || r.Gap.Max != 15 {
		t.Errorf("gap %+v, want |-15|", r.Gap)
	}
	if want := time.Duration(40 * 1e6 / 5); r.CPU != want || r.Reads != 3.0/5 {
		t.Errorf("CPU %v per million, %v reads per event; want %v, 0.6", r.CPU, r.Reads, want)
	}
	if r.Late.Max != 10 {
		t.Errorf("the simulator was %v late, want 10", r.Late.Max)
	}
}

// Gaps beside an event that shared a read with the next are not known, and not judged.
func TestJudgeSharedRead(t *testing.T) {
	sent := truth{"a": {{sent: 100}, {sent: 200}, {sent: 300}, {sent: 400}, {sent: 500}}}
	r := judge(Observed{Requests: []Answer{{ID: "a", Round: 1, At: []int64{101, 302, 302, 404, 505}}}}, sent)
	if r.Gap.N != 2 || r.Gap.Max != 2 || r.Stamp.Max != 102 {
		t.Errorf("gaps %+v, want 2 and 1; stamps %+v, want one of 102", r.Gap, r.Stamp)
	}
}

// What the client process writes is what the other one reads.
func TestObservedComesBack(t *testing.T) {
	want := Answer{ID: "req-1", Round: 1, Lag: 5, Stamps: "epoll", At: []int64{1 << 40, 1<<40 + 7, 1<<40 + 7, 1<<40 + 1e9}}
	text, err := json.Marshal(fold(want).answer())
	if err != nil {
		t.Fatal(err)
	}
	seen, err := readObserved(strings.NewReader(`{"ready_ns":3,"failed":1}` + string(text) + "\n" + string(text)))
	if err != nil || seen.Ready != 3 || seen.Failed != 1 || len(seen.Requests) != 2 || !reflect.DeepEqual(seen.Requests[1], want) {
		t.Errorf("got %+v, %v; want two of %+v", seen, err, want)
	}
	if _, err := readObserved(strings.NewReader(`{"ready_ns":3}{"id":`)); err == nil {
		t.Error("half an answer was taken for a whole one")
	}
}

func TestSpread(t *testing.T) {
	values := make([]int64, 1000)
	for i := range values {
		values[i] = int64(i) - 500
	}
	s := spread(values)
	if s.N != 1000 || s.Max != 500 || s.P50 != 250 || s.P99 != 495 || s.Sigma != 288 {
		t.Errorf("got %+v", s)
	}
	if empty := spread(nil); empty != (Spread{}) {
		t.Errorf("of nothing: %+v", empty)
	}
}

func TestBadTruth(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := readTruth(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	f("", "truth log")
	f("a,b\n", "columns")
	f("request,arrival_ns,kind,due_ns,sent_ns\na,1,token,1,x\n", "x")
	f("request,arrival_ns,kind,due_ns,sent_ns\na,token\n", "fields")
}
