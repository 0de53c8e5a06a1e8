package generator

import (
	"testing"
	"time"

	"assay/record"
)

// The exchange that waited least decides, and what the clocks drift apart later widens
// its bound.
func TestAlignment(t *testing.T) {
	exchange := func(when string, offset, there, back int64) record.Ping {
		const t1 = 1000
		return record.Ping{When: when, T1: t1, T2: t1 + there + offset, T3: t1 + there + offset + 5, T4: t1 + there + back + 5}
	}
	p := &peer{pings: []record.Ping{
		exchange(Before, 5_000_000, 900, 100), // all of the wait on the way there
		exchange(Before, 5_000_000, 40, 60),
		exchange(After, 5_000_300, 50, 50),
	}}
	offset, bound, ok := p.alignment()
	if !ok || offset < 5_000_000-50 || offset > 5_000_000+50 {
		t.Errorf("offset %d, want 5000000 within half of the way", offset)
	}
	if bound < 300 || bound > 420 {
		t.Errorf("bound %d, want the drift of 300 and half of a way", bound)
	}
	if _, _, ok := (&peer{}).alignment(); ok {
		t.Error("a clock that was never asked is known")
	}
}

// A generator that says nothing for the limit is lost, by name.
func TestSilentGenerator(t *testing.T) {
	p := &peer{number: 3, line: &line{}, hello: Hello{Host: "h"}, heard: 100}
	if err := p.lost(100+int64(time.Second), time.Second); err != nil {
		t.Error(err)
	}
	if err := p.lost(101+int64(time.Second), time.Second); err == nil || err.Error() != "load generator 3 on h: it has said nothing for 1s" {
		t.Error(err)
	}
}
