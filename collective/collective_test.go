package collective_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/collective"
	"assay/tests/whole"
)

var (
	kinds = []string{
		collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast,
		collective.Reduce, collective.Gather, collective.Scatter, collective.PointToPoint, collective.Barrier,
	}
	algorithms = []string{collective.Auto, collective.Ring, collective.Tree, collective.HalvingDoubling, collective.Direct}
)

// world joins n ranks of this process.
func world(t testing.TB, n int, timeout time.Duration) []*collective.Group {
	t.Helper()
	listeners, peers := make([]net.Listener, n), make([]string, n)
	for i := range listeners {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		listeners[i], peers[i] = l, l.Addr().String()
	}
	groups := make([]*collective.Group, n)
	each(t, n, func(rank int) (err error) {
		groups[rank], err = collective.Join(t.Context(), rank, listeners[rank], peers, secret, timeout)
		return err
	})
	t.Cleanup(func() {
		for _, g := range groups {
			g.Close()
		}
	})
	return groups
}

// each runs f for every rank side by side.
func each(t testing.TB, n int, f func(rank int) error) {
	t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		all.Go(func() { errs[rank] = f(rank) })
	}
	all.Wait()
	for rank, err := range errs {
		if err != nil {
			t.Errorf("rank %d of %d: %v", rank, n, err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// TestAnswers holds every operation with every algorithm, type and number of ranks
// against sums made one element at a time.
func TestAnswers(t *testing.T) {
	worlds, counts := []int{1, 2, 3, 4, 5, 8}, []int{1, 7, 1000, 4097}
	if whole.Watched {
		worlds, counts = []int{1, 2, 3, 8}, []int{1, 7, 4097}
	}
	for _, n := range worlds {
		groups := world(t, n, 20*time.Second)
		for _, kind := range kinds {
			for _, algorithm := range algorithms {
				for _, typ := range collective.Types {
					for _, count := range counts {
						name := fmt.Sprintf("%s %s %s n=%d count=%d", kind, algorithm, typ.Name, n, count)
						each(t, n, func(rank int) error { return answer(groups[rank], kind, algorithm, typ, count, name) })
					}
				}
			}
		}
	}
}

// TestLargeAnswers covers what only buffers of many pieces have: pipelines and
// senders of their own.
func TestLargeAnswers(t *testing.T) {
	worlds := []int{2, 3}
	if whole.Watched {
		worlds = []int{3}
	}
	for _, n := range worlds {
		groups := world(t, n, 20*time.Second)
		for _, kind := range kinds {
			for _, algorithm := range algorithms {
				name := fmt.Sprintf("%s %s n=%d", kind, algorithm, n)
				each(t, n, func(rank int) error { return answer(groups[rank], kind, algorithm, collective.Types[0], 300_001, name) })
			}
		}
	}
}

func answer(g *collective.Group, kind, algorithm string, typ collective.Type, count int, name string) error {
	rank, n := g.Rank(), g.Ranks()
	if kind == collective.Barrier {
		return g.Do(collective.Op{Kind: kind, Algorithm: algorithm})
	}
	block := count * typ.Bytes()
	pattern := collective.NewPattern(kind, typ, rank, n, count)
	sendBytes, recvBytes := collective.Lengths(kind, rank, n, block)
	send, recv := make([]byte, sendBytes), make([]byte, recvBytes)
	if kind == collective.Broadcast {
		send = make([]byte, block) // others than the root may have one too
	}
	for range 2 {
		pattern.Fill(send, recv)
		before := string(send)
		if err := g.Do(collective.Op{Kind: kind, Algorithm: algorithm, Type: typ, Send: send, Recv: recv}); err != nil {
			return err
		}
		if wrong := pattern.Wrong(recv); wrong > 0 {
			return fmt.Errorf("%s: %d wrong elements", name, wrong)
		}
		if string(send) != before {
			return fmt.Errorf("%s: the send buffer was changed", name)
		}
	}
	if kind == collective.PointToPoint || kind == collective.AllToAll {
		return nil
	}
	whole := make([]byte, max(collective.Size(kind, n, block), int64(block)))
	send, recv = collective.InPlace(kind, rank, whole, block)
	pattern.Fill(send, recv)
	if err := g.Do(collective.Op{Kind: kind, Algorithm: algorithm, Type: typ, Send: send, Recv: recv}); err != nil {
		return err
	}
	if wrong := pattern.Wrong(recv); wrong > 0 {
		return fmt.Errorf("%s in place: %d wrong elements", name, wrong)
	}
	return nil
}

// TestPatternSees makes sure that the check can fail.
func TestPatternSees(t *testing.T) {
	for _, kind := range kinds {
		for _, typ := range collective.Types {
			const count, n = 3000, 3
			p := collective.NewPattern(kind, typ, 0, n, count)
			_, size := collective.Lengths(kind, 0, n, count*typ.Bytes())
			recv := make([]byte, size)
			p.Fill(nil, recv)
			if got := p.Wrong(recv); kind != collective.Barrier && got < int64(size/typ.Bytes())*9/10 {
				t.Errorf("%s %s: %d of %d elements of an untouched buffer are wrong", kind, typ.Name, got, size/typ.Bytes())
			}
		}
	}
}

func TestBarrierWaits(t *testing.T) {
	for _, algorithm := range algorithms {
		const n = 5
		groups := world(t, n, 20*time.Second)
		var mu sync.Mutex
		came, early := 0, 0
		each(t, n, func(rank int) error {
			time.Sleep(time.Duration(rank) * 5 * time.Millisecond)
			mu.Lock()
			came++
			mu.Unlock()
			err := groups[rank].Do(collective.Op{Kind: collective.Barrier, Algorithm: algorithm})
			mu.Lock()
			if came < n {
				early++
			}
			mu.Unlock()
			return err
		})
		if early > 0 {
			t.Errorf("%s: %d ranks left before all had come", algorithm, early)
		}
	}
}

// TestDeadPeer has one rank of three die. The others must learn of it from their
// connections, long before the timeout.
func TestDeadPeer(t *testing.T) {
	for _, algorithm := range algorithms[1:] {
		const n, dead = 3, 1
		groups := world(t, n, time.Minute)
		began := time.Now()
		each(t, n, func(rank int) error {
			if rank == dead {
				return groups[rank].Close()
			}
			send, recv := make([]byte, 1<<20), make([]byte, 1<<20)
			err := groups[rank].Do(collective.Op{Kind: collective.AllReduce, Algorithm: algorithm, Type: collective.Types[0], Send: send, Recv: recv})
			var peer *collective.PeerError
			if !errors.As(err, &peer) || !strings.Contains(err.Error(), fmt.Sprintf("rank %d at 127.0.0.1:", peer.Rank)) {
				return fmt.Errorf("%s: got %v, want an error that names a peer", algorithm, err)
			}
			return nil
		})
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: took %v", algorithm, took)
		}
	}
}

func TestHungPeer(t *testing.T) {
	groups := world(t, 2, 200*time.Millisecond)
	err := groups[0].Do(collective.Op{Kind: collective.Barrier})
	if !errors.Is(err, os.ErrDeadlineExceeded) || !strings.HasPrefix(err.Error(), "rank 1 at 127.0.0.1:") {
		t.Errorf("a peer that never comes: %v, want a deadline that names rank 1", err)
	}
	if again := groups[0].Do(collective.Op{Kind: collective.Barrier}); again != err {
		t.Errorf("the next operation: %v, want the first error again", again)
	}
}

func TestCloseEndsAnOperation(t *testing.T) {
	groups := world(t, 2, time.Minute)
	done := make(chan error)
	go func() {
		b := make([]byte, 64<<20) // more than the buffers of the kernel take
		done <- groups[0].Do(collective.Op{Kind: collective.AllReduce, Type: collective.Types[0], Send: b, Recv: b})
	}()
	time.Sleep(20 * time.Millisecond)
	groups[0].Close()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("got %v, want that the group was closed", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the operation went on")
	}
}

func TestNoAllocation(t *testing.T) {
	for _, algorithm := range algorithms {
		groups := world(t, 2, 20*time.Second)
		runs := 20
		if whole.Watched {
			runs = 5
		}
		allocated := make(chan float64, 1)
		each(t, 2, func(rank int) error {
			var err error
			send, recv := make([]byte, 3<<20), make([]byte, 3<<20)
			one := func() {
				if e := groups[rank].Do(collective.Op{Kind: collective.AllReduce, Algorithm: algorithm, Type: collective.Types[0], Send: send, Recv: recv}); e != nil {
					err = e
				}
			}
			one()
			if rank == 0 { // counts what the whole process allocates
				allocated <- testing.AllocsPerRun(runs, one)
				return err
			}
			for range runs + 1 {
				one()
			}
			return err
		})
		if got := <-allocated; got > 2 {
			t.Errorf("%s: %v allocations a call", algorithm, got)
		}
	}
}
