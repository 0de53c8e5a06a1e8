package launch

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/door"
)

const secret = "0123456789abcdef0123456789abcdef"

// at is a meeting that nobody else has, with a secret.
func at(t *testing.T, secret string) Meeting {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return Meeting{Address: listener.Addr().String(), Job: "a job", Secret: func() (string, error) { return secret, nil }}
}

func seated(rank int) Environment {
	return Environment{Rank: rank, World: 3, LocalRank: rank, LocalWorld: 3, Nodes: 1}
}

// One process leads and two follow: each world has one worker of every rank, and the
// leader hears of every end.
func TestLeadAndFollow(t *testing.T) {
	m := at(t, secret)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	workers := Workers{"own number": {"sh", "-c", "exit $((10 + RANK))"}, "sleeper": {"sleep", "60"}}
	var followers sync.WaitGroup
	for rank := 1; rank < 3; rank++ {
		followers.Go(func() {
			if err := Follow(ctx, seated(rank), m, workers, io.Discard); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	leader, err := Lead(ctx, seated(0), m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := leader.Start(ctx, Job{Ranks: 4, Command: []string{"true"}}); err == nil {
		t.Error("a world of four ranks in a job of three was started")
	}
	for _, ranks := range []int{3, 2} { // a smaller world leaves a rank out
		world, err := leader.Start(ctx, Job{Ranks: ranks, Worker: "own number", Command: workers["own number"]})
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
	world, err := leader.Start(ctx, Job{Ranks: 3, Worker: "sleeper", Command: workers["sleeper"]})
	if err != nil {
		t.Fatal(err)
	}
	world.Stop(100 * time.Millisecond) // it returns: nobody sleeps for a minute
	leader.Close()
	followers.Wait()
}

// Every rank reads what is meant for it alone, and a leader listens where it sees itself,
// whatever name others find it by.
func TestFollowersReadTheirOwn(t *testing.T) {
	m := at(t, secret)
	m.Listen = m.Address
	_, port, _ := net.SplitHostPort(m.Address)
	m.Address = net.JoinHostPort("localhost", port)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	workers := Workers{"reader": {"sh", "-c", "read n && exit $n"}}
	var followers sync.WaitGroup
	for rank := 1; rank < 3; rank++ {
		followers.Go(func() {
			if err := Follow(ctx, seated(rank), m, workers, io.Discard); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	leader, err := Lead(ctx, seated(0), m)
	if err != nil {
		t.Fatal(err)
	}
	world, err := leader.Start(ctx, Job{Ranks: 3, Worker: "reader", Command: workers["reader"], Input: func(rank int) []byte { return fmt.Appendf(nil, "%d\n", 20+rank) }})
	if err != nil {
		t.Fatal(err)
	}
	for exit := range world.Ended() {
		if exit.Code != 20+exit.Rank {
			t.Errorf("rank %d read %d, want %d", exit.Rank, exit.Code, 20+exit.Rank)
		}
	}
	leader.Close()
	followers.Wait()
}

// TestLeaderMayNotChoose holds that even a leader that knows the secret starts nothing
// but what the follower's own command line calls for, in no environment but assay's.
func TestLeaderMayNotChoose(t *testing.T) {
	m := at(t, secret)
	seat := seated(0)
	seat.World = 2
	proof := filepath.Join(t.TempDir(), "proof")
	followed := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		followed <- Follow(ctx, seated(1), m, Workers{"writer": {"sh", "-c", "echo $LD_PRELOAD > " + proof}}, io.Discard)
	}()
	leader, err := Lead(ctx, seat, m)
	if err != nil {
		t.Fatal(err)
	}
	f := func(job Job, want string) {
		t.Helper()
		job.Ranks, job.Command = 2, []string{"true"}
		world, err := leader.Start(ctx, job)
		if err != nil {
			t.Fatal(err)
		}
		for exit := range world.Ended() {
			if exit.Rank == 1 && !strings.Contains(exit.Signal, want) {
				t.Errorf("rank 1 ended with %q, want %q", exit.Signal, want)
			}
		}
		if _, err := os.Stat(proof); err == nil {
			t.Error("the follower ran it")
		}
	}
	f(Job{Worker: "sh -c id"}, `asked for the worker "sh -c id"`)
	f(Job{}, `asked for the worker ""`)
	f(Job{Worker: "writer", Env: []string{"LD_PRELOAD=/tmp/evil.so"}}, `asked to set "LD_PRELOAD"`)
	f(Job{Worker: "writer", Env: []string{"ASSAY_RUN=r", "PATH=/tmp"}}, `asked to set "PATH"`)
	leader.Close()
	if err := <-followed; err != nil {
		t.Error(err)
	}
}

// TestFakeLeader has others listen where the leader should: the follower of each tells
// it nothing and starts nothing.
func TestFakeLeader(t *testing.T) {
	order, _ := json.Marshal(map[string]any{"welcome": true, "start": map[string]any{
		"ranks": 2, "worker": "writer", "command": []string{"sh", "-c", "id > proof"}, "env": []string{}, "master": "127.0.0.1:1"}})
	order = append(order, '\n')
	guess, err := leading.channel("guessed guessed guessed", "a job")
	if err != nil {
		t.Fatal(err)
	}
	otherJob, err := leading.channel(secret, "another job")
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := following.channel(secret, "a job") // a follower that says it leads
	if err != nil {
		t.Fatal(err)
	}
	for name, serve := range map[string]func(net.Conn) net.Conn{
		"one that speaks in the open":   func(c net.Conn) net.Conn { return c },
		"one with another secret":       func(c net.Conn) net.Conn { return tls.Server(c, guess) },
		"the leader of another job":     func(c net.Conn) net.Conn { return tls.Server(c, otherJob) },
		"another rank of the same job":  func(c net.Conn) net.Conn { return tls.Server(c, mirror) },
		"one without a client's secret": func(c net.Conn) net.Conn { return tls.Server(c, &tls.Config{Certificates: guess.Certificates}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { listener.Close() })
			go func() {
				for {
					plain, err := listener.Accept()
					if err != nil {
						return
					}
					go func() {
						conn := serve(plain)
						defer conn.Close()
						_, _ = conn.Write(order)
						_, _ = io.Copy(io.Discard, conn)
					}()
				}
			}()
			proof := filepath.Join(t.TempDir(), "proof")
			m := Meeting{Address: listener.Addr().String(), Job: "a job", Secret: func() (string, error) { return secret, nil }}
			err = Follow(t.Context(), seated(1), m, Workers{"writer": {"touch", proof}}, io.Discard)
			if !errors.Is(err, door.ErrStranger) {
				t.Errorf("Follow = %v, want a stranger", err)
			}
			if _, err := os.Stat(proof); err == nil {
				t.Error("the follower started something for it")
			}
		})
	}
}

// TestStrangersAtTheMeeting floods a leader with silence, garbage and guesses before
// its ranks come. Both get their places, and nobody else does.
func TestStrangersAtTheMeeting(t *testing.T) {
	m := at(t, secret)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	type result struct {
		leader *Leader
		err    error
	}
	led := make(chan result, 1)
	go func() {
		leader, err := Lead(ctx, seated(0), m)
		led <- result{leader, err}
	}()
	dial := func() net.Conn {
		for {
			conn, err := net.Dial("tcp", m.Address)
			if err == nil {
				t.Cleanup(func() { conn.Close() })
				return conn
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	for range 300 {
		dial()
		_, _ = io.WriteString(dial(), `{"rank":1,"token":"`+secret+`"}`+"\n\x00\xff")
	}
	guess, err := following.channel("guessed guessed guessed", m.Job)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		guess.VerifyConnection = nil // it would take any leader
		conn := tls.Client(dial(), guess)
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_ = json.NewEncoder(conn).Encode(answer{Rank: 1})
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("a guess was answered with %d bytes", n)
		}
	}
	select {
	case r := <-led:
		t.Fatalf("the leader counts strangers as ranks: %v", r.err)
	default:
	}
	var followers sync.WaitGroup
	for rank := 1; rank < 3; rank++ {
		followers.Go(func() {
			if err := Follow(ctx, seated(rank), m, Workers{}, io.Discard); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	r := <-led
	if r.err != nil {
		t.Fatal(r.err)
	}
	r.leader.Close()
	followers.Wait()
}

// TestNewSecret has a follower read the secret that an earlier job left, at first.
func TestNewSecret(t *testing.T) {
	m := at(t, secret)
	seat := seated(0)
	seat.World = 2
	reads := 0
	late := m
	late.Secret = func() (string, error) {
		if reads++; reads < 3 {
			return "of the job before, which was killed", nil
		}
		return secret, nil
	}
	followed := make(chan error, 1)
	go func() { followed <- Follow(t.Context(), seated(1), late, Workers{}, io.Discard) }()
	leader, err := Lead(t.Context(), seat, m)
	if err != nil {
		t.Fatal(err)
	}
	leader.Close()
	if err := <-followed; err != nil {
		t.Error(err)
	}
}
