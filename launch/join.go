package launch

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// A job that torchrun, srun or mpirun started runs this program once for each rank.
// The one of rank 0 leads: it decides, measures and writes. The others follow: they
// meet it, and start a worker of their own whenever it starts a world. Program,
// Python and the user's cache must be found at the same path on every host.

// A call is what a leader tells a follower.
type call struct {
	Start *seatedJob `json:"start,omitempty"`
	Stop  *stopCall  `json:"stop,omitempty"`
}

type seatedJob struct {
	Ranks   int      `json:"ranks"`
	Command []string `json:"command"`
	Env     []string `json:"env"`
	Master  string   `json:"master"`
}

type stopCall struct {
	Grace time.Duration `json:"grace"`
}

// An answer is what a follower tells its leader.
type answer struct {
	Rank  int    `json:"rank"`
	Token string `json:"token,omitempty"` // in the first one
	Error string `json:"error,omitempty"` // its worker could not be started
	Exit  *Exit  `json:"exit,omitempty"`  // its worker ended
}

// meetingPorts is where leaders listen: a range that neither systems nor schedulers
// use by default.
const meetingPorts, meetingSpan = 41000, 2000

// Meeting is where the ranks of a job meet when nobody says so: on the job's first
// host, at a port that follows from what the job is called.
func (e Environment) Meeting(job string) (string, error) {
	host, _, err := net.SplitHostPort(e.Master)
	if err != nil {
		host = e.Master
	}
	if host == "" && e.Nodes > 1 {
		return "", fmt.Errorf("%s does not say on which host rank 0 is: set ASSAY_MEETING=HOST:PORT, the same for every rank", e.Launcher)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	h := fnv.New32a()
	io.WriteString(h, job)
	return net.JoinHostPort(host, strconv.Itoa(meetingPorts+int(h.Sum32()%meetingSpan))), nil
}

// A Leader starts worlds in a job whose processes another launcher has placed.
type Leader struct {
	seat      Environment
	followers map[int]*follower // by rank
}

var _ Launcher = (*Leader)(nil)

type follower struct {
	conn    net.Conn
	encoder *json.Encoder
	answers chan answer // closed when the line is gone
}

// Lead waits at address until every other rank of the job has come.
func Lead(ctx context.Context, seat Environment, address, token string) (*Leader, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("meet the other ranks: %w: set ASSAY_MEETING=HOST:PORT, the same for every rank", err)
	}
	defer listener.Close()
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	l := &Leader{seat: seat, followers: map[int]*follower{}}
	for len(l.followers) < seat.World-1 {
		conn, err := listener.Accept()
		if err != nil {
			l.Close()
			return nil, fmt.Errorf("%d of %d ranks came: %w", len(l.followers)+1, seat.World, errors.Join(context.Cause(ctx), err))
		}
		rank, decoder, err := greet(conn, token, seat.World)
		if err != nil || l.followers[rank] != nil {
			conn.Close() // a stranger, or a rank that came twice
			continue
		}
		f := &follower{conn: conn, encoder: json.NewEncoder(conn), answers: make(chan answer, 4)}
		go f.listen(decoder)
		l.followers[rank] = f
	}
	return l, nil
}

func greet(conn net.Conn, token string, ranks int) (int, *json.Decoder, error) {
	decoder := json.NewDecoder(conn)
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	var first answer
	if err := decoder.Decode(&first); err != nil {
		return 0, nil, err
	}
	if subtle.ConstantTimeCompare([]byte(first.Token), []byte(token)) != 1 || first.Rank < 1 || first.Rank >= ranks {
		return 0, nil, errors.New("not a rank of this job")
	}
	return first.Rank, decoder, conn.SetReadDeadline(time.Time{})
}

func (f *follower) listen(decoder *json.Decoder) {
	defer close(f.answers)
	for {
		var a answer
		if decoder.Decode(&a) != nil {
			return
		}
		f.answers <- a
	}
}

// Start has the first job.Ranks ranks start their worker.
func (l *Leader) Start(ctx context.Context, job Job) (World, error) {
	if job.Ranks > l.seat.World {
		return nil, fmt.Errorf("a world of %d ranks in a job of %d: ask the launcher for more, or for smaller worlds", job.Ranks, l.seat.World)
	}
	own := job
	own.Ranks = 1 // the others start their own
	own.seat = &seat{Rank: 0, Ranks: job.Ranks, Local: l.seat.LocalRank, LocalRanks: l.seat.LocalWorld}
	w := &joined{leader: l, ended: make(chan Exit, job.Ranks), ranks: job.Ranks}
	var err error
	if w.own, err = (Local{}).Start(ctx, own); err != nil {
		return nil, err
	}
	w.waiting.Go(func() {
		for exit := range w.own.Ended() {
			w.ended <- exit
		}
	})
	for rank := 1; rank < job.Ranks; rank++ {
		f := l.followers[rank]
		if err := f.encoder.Encode(call{Start: &seatedJob{job.Ranks, job.Command, job.Env, job.Master}}); err != nil {
			w.Stop(0)
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
		w.waiting.Go(func() { w.follow(rank, f) })
	}
	go func() {
		w.waiting.Wait()
		close(w.ended)
	}()
	return w, nil
}

// Close lets the followers go.
func (l *Leader) Close() error {
	var errs []error
	for _, f := range l.followers {
		errs = append(errs, f.conn.Close())
	}
	return errors.Join(errs...)
}

// joined is a world whose ranks are all over the job.
type joined struct {
	leader  *Leader
	own     World
	ranks   int
	ended   chan Exit
	waiting sync.WaitGroup

	mu    sync.Mutex
	asked bool
}

// follow waits for the end of one follower's worker.
func (w *joined) follow(rank int, f *follower) {
	a, ok := <-f.answers
	exit := Exit{Rank: rank, At: time.Now(), Code: -1, Signal: "lost with its process"}
	switch {
	case ok && a.Exit != nil:
		exit.Code, exit.Signal = a.Exit.Code, a.Exit.Signal
	case ok:
		exit.Signal = a.Error
	}
	w.mu.Lock()
	exit.Asked = w.asked
	w.mu.Unlock()
	w.ended <- exit
}

func (w *joined) Ended() <-chan Exit { return w.ended }

// PID is known of the leader's own rank alone.
func (w *joined) PID(rank int) (int, bool) {
	if rank == 0 {
		return w.own.PID(0)
	}
	return 0, false
}

func (w *joined) Stop(grace time.Duration) {
	w.mu.Lock()
	w.asked = true
	w.mu.Unlock()
	for rank := 1; rank < w.ranks; rank++ {
		_ = w.leader.followers[rank].encoder.Encode(call{Stop: &stopCall{grace}}) // one that is gone has ended
	}
	w.own.Stop(grace)
	w.waiting.Wait()
}

// Follow serves a leader until it lets go: it starts a worker for every world that
// has a place for this rank. Log takes what the worker prints.
func Follow(ctx context.Context, here Environment, address, token string, log io.Writer) error {
	conn, err := reach(ctx, address)
	if err != nil {
		return fmt.Errorf("rank %d: reach rank 0: %w: set ASSAY_MEETING=HOST:PORT, the same for every rank", here.Rank, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	encoder, decoder := json.NewEncoder(conn), json.NewDecoder(conn)
	if err := encoder.Encode(answer{Rank: here.Rank, Token: token}); err != nil {
		return err
	}
	var world World
	var told sync.WaitGroup
	defer func() {
		if world != nil {
			world.Stop(time.Second)
		}
		told.Wait()
	}()
	for {
		var c call
		if err := decoder.Decode(&c); err != nil {
			return context.Cause(ctx) // the leader let go
		}
		switch {
		case c.Start != nil:
			told.Wait() // the world before has been told of
			world, err = Local{}.Start(ctx, Job{
				Ranks: 1, Command: c.Start.Command, Env: c.Start.Env, Master: c.Start.Master,
				Log:  func(int) io.Writer { return log },
				seat: &seat{Rank: here.Rank, Ranks: c.Start.Ranks, Local: here.LocalRank, LocalRanks: here.LocalWorld},
			})
			if err != nil {
				_ = encoder.Encode(answer{Rank: here.Rank, Error: err.Error()})
				continue
			}
			started := world
			told.Go(func() {
				exit := <-started.Ended()
				_ = encoder.Encode(answer{Rank: here.Rank, Exit: &exit})
			})
		case c.Stop != nil && world != nil:
			world.Stop(c.Stop.Grace)
		}
	}
}

// reach dials until somebody listens: ranks start in any order.
func reach(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(200 * time.Millisecond):
		}
	}
}
