package launch

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// One process leads and two follow: each world has one worker of every rank, and the
// leader hears of every end.
func TestLeadAndFollow(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var followers sync.WaitGroup
	for rank := 1; rank < 3; rank++ {
		followers.Go(func() {
			if err := Follow(ctx, Environment{Rank: rank, World: 3, LocalRank: rank, LocalWorld: 3}, address, "secret", io.Discard); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	leader, err := Lead(ctx, Environment{Rank: 0, World: 3, LocalWorld: 3}, address, "secret")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := leader.Start(ctx, Job{Ranks: 4, Command: []string{"true"}}); err == nil {
		t.Error("a world of four ranks in a job of three was started")
	}
	for _, ranks := range []int{3, 2} { // a smaller world leaves a rank out
		world, err := leader.Start(ctx, Job{Ranks: ranks, Command: []string{"sh", "-c", "exit $((10 + RANK))"}})
		if err != nil {
			t.Fatal(err)
		}
		codes := map[int]int{}
		for exit := range world.Ended() {
			codes[exit.Rank] = exit.Code
		}
		for rank := range ranks {
			if codes[rank] != 10+rank || len(codes) != ranks {
				t.Errorf("world of %d: ranks ended with %v, want each with 10 and its own number", ranks, codes)
			}
		}
	}
	world, err := leader.Start(ctx, Job{Ranks: 3, Command: []string{"sleep", "60"}})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	world.Stop(100 * time.Millisecond)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %v", took)
	}
	leader.Close()
	followers.Wait()
}
