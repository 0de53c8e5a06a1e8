package exchange

import (
	"math"
	"slices"
	"testing"

	"assay/record"
)

// slowBackward is one step of two ranks over a link of 400 Mbit/s, in µs; rank 1
// computes each layer's backward pass 20 ms longer.
var slowBackward = []Side{
	{0, 70413, 352017, []Bucket{{94679, 139196}, {120445, 180111}, {145348, 227119}, {179751, 266933}, {206096, 308211}, {227472, 351356}}},
	{794, 70152, 353321, []Bucket{{113220, 139042}, {156910, 178829}, {199511, 227978}, {245313, 267037}, {286631, 308079}, {328200, 351635}}},
}

func TestOneStep(t *testing.T) {
	aligned, ok := Aligned(slowBackward)
	if !ok {
		t.Fatal("the ranks do not compare")
	}
	f := func(rank int, name string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("rank %d: %s = %d, want %d", rank, name, got, want)
		}
	}
	for rank, want := range []struct {
		exposed, comm, sum, wait, transfer int64
		overlap                            float64
		lateness                           []int64
	}{
		{124545, 256677, 499135, 113536, 143141, .5148, []int64{0, 0, 0, 0, 0, 0}},
		{25121, 142815, 142815, 0, 142815, .8241, []int64{18541, 36465, 54163, 65562, 80535, 100728}},
	} {
		got, ok := Alone(slowBackward[rank])
		if !ok {
			t.Fatal("no exchange")
		}
		f(rank, "exposed", got.Exposed, want.exposed)
		f(rank, "comm", got.Comm, want.comm)
		f(rank, "sum", got.Sum, want.sum)
		f(rank, "wait", aligned[rank].Wait, want.wait)
		f(rank, "transfer", aligned[rank].Transfer, want.transfer)
		if overlap, _ := got.Overlap(); math.Abs(overlap-want.overlap) > 5e-5 {
			t.Errorf("rank %d: overlap = %v, want %v", rank, overlap, want.overlap)
		}
		if !slices.Equal(aligned[rank].Lateness, want.lateness) {
			t.Errorf("rank %d: lateness = %v, want %v", rank, aligned[rank].Lateness, want.lateness)
		}
	}
	f(0, "begin of forward after the first", aligned[0].Late, 0)
	f(1, "begin of forward after the first", aligned[1].Late, 794)
	// Without waiting the last bucket of rank 0 would end at 250832: it is ready when
	// the fifth, which ends at 227676, is on its way, and takes 23156.
	f(0, "exposed by waiting", aligned[0].ByWait, 124545-((250832-227472)+(352017-351356)))
	f(1, "exposed by waiting", aligned[1].ByWait, 0)
	if got := Early(slowBackward); got != 0 {
		t.Errorf("a bucket ended %d µs before the last rank had it", got)
	}
}

// A rank that starts 60 ms late makes the other wait early in its step; the wait
// must surface as exposed by waiting though nothing waits in the exposed window.
func TestReplayFindsEarlyWaiting(t *testing.T) {
	sides := make([]Side, 2)
	for j := range int64(6) {
		for rank := range int64(2) {
			sides[rank].Buckets = append(sides[rank].Buckets, Bucket{Ready: 20*(j+1) + 60*rank})
		}
	}
	free := int64(0)
	for j := range 6 { // a transfer takes 25 and begins when both have it
		free = max(free, sides[1].Buckets[j].Ready) + 25
		sides[0].Buckets[j].End, sides[1].Buckets[j].End = free, free
	}
	sides[0].End, sides[1].End = free, free
	sides[1].Forward = 60
	got, ok := Aligned(sides)
	if !ok || got[0].ByWait != 60 || got[1].ByWait != 0 {
		t.Errorf("exposed by waiting = %+v, want 60 and 0", got)
	}
}

func TestClocksThatCannotBe(t *testing.T) {
	wrong := []Side{slowBackward[0], slowBackward[1]}
	wrong[1].Buckets = slices.Clone(wrong[1].Buckets)
	for j := range wrong[1].Buckets {
		wrong[1].Buckets[j].Ready += 40000
		wrong[1].Buckets[j].End += 40000
	}
	// 328200 + 40000 is after rank 0's end 351356, and more so for an earlier bucket.
	if got, want := Early(wrong), int64(286631+40000-308211); got != want {
		t.Errorf("Early = %d, want %d", got, want)
	}
	if _, ok := Aligned([]Side{slowBackward[0], {Buckets: slowBackward[1].Buckets[:3]}}); ok {
		t.Error("ranks with other buckets were compared")
	}
	if _, ok := Alone(Side{}); ok {
		t.Error("a step without buckets has an exchange")
	}
}

func TestClock(t *testing.T) {
	offset, bound := int64(5_000_000), int64(2_003_000) // which covers the drift
	row := record.Rank{Rank: 1, Offset: &offset, Bound: &bound}
	ping := func(when string, at, offset, trip int64) record.Ping {
		return record.Ping{Rank: 1, When: when, T1: at - trip/2, T2: at + offset, T3: at + offset, T4: at + trip/2}
	}
	const second = int64(1e9)
	c := ClockOf(row, []record.Ping{
		ping("before", 0, offset+90000, 200000), ping("before", 0, offset, 2000),
		ping("after", 100*second, offset+2_000_000, 4000), ping("after", 100*second, offset, 9_000_000),
	})
	if math.Abs(c.Drift-20e-6) > 1e-12 || c.Bound != 2000 || !c.After {
		t.Fatalf("clock = %+v, want a drift of 20 ppm within 2000 ns", c)
	}
	if got, want := c.Right(50*second), 50*second-1_000_000; got != want {
		t.Errorf("Right = %d, want %d", got, want)
	}
	if c := ClockOf(record.Rank{}, nil); c.Known {
		t.Errorf("clock of a silent rank = %+v, want unknown", c)
	}
	bound = 0
	if c := ClockOf(row, nil); !c.Known || c.Right(7) != 7 {
		t.Errorf("clock of this host = %+v, want an exact one", c)
	}
}
