package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"assay/collective"
	"assay/stats"
)

const (
	envRank = "BENCHMARK_RANK"
	envHost = "BENCHMARK_HOST"
)

// An order says what a rank is to do; the first one only says where the others
// are.
type order struct {
	Peers     []string
	Secret    string // by which the ranks know each other
	Op        string
	Algorithm string
	Bytes     int64
	Calls     int
}

// A report is how a rank answers an order.
type report struct {
	Seconds []float64     // of every call
	CPU     time.Duration // of the process, for all of them
}

// beRank is a rank: it says where it listens, then carries out orders.
func beRank(number, host string) error {
	rank, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	orders := json.NewDecoder(os.Stdin)
	var first order
	if err := orders.Decode(&first); err != nil {
		return err
	}
	group, err := collective.Join(context.Background(), rank, listener, first.Peers, first.Secret, 20*time.Second)
	if err != nil {
		return err
	}
	defer group.Close()
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		done, err := calls(group, o)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(done); err != nil {
			return err
		}
	}
}

// calls carries one order out. The processor's time is that of the calls and of the
// barriers before them.
func calls(g *collective.Group, o order) (done report, err error) {
	t := collective.Types[0]
	count := collective.Count(o.Op, g.Ranks(), t, o.Bytes)
	pattern := collective.NewPattern(o.Op, t, g.Rank(), g.Ranks(), count)
	send, recv := make([]byte, o.Bytes), make([]byte, o.Bytes)
	if o.Op == collective.Broadcast {
		recv = send // out of place, the root copies its buffer besides
	}
	pattern.Fill(send, recv)
	before := cpuTime()
	for range o.Calls {
		if err := g.Do(collective.Op{Kind: collective.Barrier}); err != nil {
			return done, err
		}
		began := time.Now()
		if err := g.Do(collective.Op{Kind: o.Op, Algorithm: o.Algorithm, Type: t, Send: send, Recv: recv}); err != nil {
			return done, err
		}
		done.Seconds = append(done.Seconds, time.Since(began).Seconds())
	}
	done.CPU = cpuTime() - before
	if wrong := pattern.Wrong(recv); wrong > 0 {
		return done, fmt.Errorf("%s: %d wrong elements", o.Op, wrong)
	}
	return done, nil
}

// cpuTime is the user and system time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ranks are processes, the first half on one side of a link and the second on the
// other, as ranks are on hosts.
type ranks struct {
	commands []*exec.Cmd
	in       []io.WriteCloser
	out      []*bufio.Reader
}

func startRanks(ctx context.Context, l link, n int) (*ranks, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &ranks{}
	var peers []string
	for rank := range n {
		side := rank * 2 / n
		cmd := l.command(ctx, side, self)
		cmd.Env = append(os.Environ(), envRank+"="+strconv.Itoa(rank), envHost+"="+l.hosts[side])
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		r.commands, r.in, r.out = append(r.commands, cmd), append(r.in, in), append(r.out, bufio.NewReader(out))
		line, err := r.out[rank].ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
		peers = append(peers, line[:len(line)-1])
	}
	return r, r.tell(order{Peers: peers, Secret: rand.Text()})
}

func (r *ranks) tell(o order) error {
	for _, in := range r.in {
		if err := json.NewEncoder(in).Encode(o); err != nil {
			return err
		}
	}
	return nil
}

func (r *ranks) stop() {
	for i, in := range r.in {
		in.Close()
		_ = r.commands[i].Wait()
	}
}

// times are the seconds of calls, each that of the slowest rank, and what they took of
// processors on all ranks.
func (r *ranks) times(op, algorithm string, size int64, n int) (slowest []float64, cpu time.Duration, err error) {
	if err := r.tell(order{Op: op, Algorithm: algorithm, Bytes: size, Calls: n}); err != nil {
		return nil, 0, err
	}
	slowest = make([]float64, n)
	for _, out := range r.out {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return nil, 0, err
		}
		var own report
		if err := json.Unmarshal(line, &own); err != nil {
			return nil, 0, err
		}
		for i, t := range own.Seconds {
			slowest[i] = max(slowest[i], t)
		}
		cpu += own.CPU
	}
	return slowest, cpu, nil
}

// A flow is how fast bytes went one way, and what each of them took of processors on
// both sides.
type flow struct {
	rate float64 // bytes per second
	cost float64 // seconds of processors for a byte sent and received
}

// bandwidth is the mean bus bandwidth of as many calls as fit the time: bytes over
// seconds, as iperf3 has it, so that what disturbs the one and the other counts alike.
// At two ranks the factor is 1 for a broadcast and for an all-reduce; ways is in how
// many directions the bytes go.
func (r *ranks) bandwidth(op string, ways, size int64, seconds float64) (flow, error) {
	probe, _, err := r.times(op, collective.Ring, size, 2)
	if err != nil {
		return flow{}, err
	}
	list, cpu, err := r.times(op, collective.Ring, size, max(3, int(seconds/probe[1])))
	if err != nil {
		return flow{}, err
	}
	var sum float64
	for _, t := range list {
		sum += t
	}
	bytes := float64(size) * float64(len(list))
	return flow{bytes / sum, cpu.Seconds() / bytes / float64(ways)}, nil
}

// spread is a mean with its 95 % interval by Student over rounds.
func spread(list []float64, digits int) string {
	mean, err := stats.Mean(list, .95)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.*f [%.*f, %.*f]", digits, mean.Value, digits, mean.Interval.Lo, digits, mean.Interval.Hi)
}

func scaled(list []float64, by float64) []float64 {
	out := slices.Clone(list)
	for i := range out {
		out[i] *= by
	}
	return out
}
