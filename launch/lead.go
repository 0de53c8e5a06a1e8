package launch

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"assay/door"
)

// A Leader starts worlds in a job whose processes another launcher has placed.
type Leader struct {
	seat      Environment
	followers map[int]*follower // by rank
}

var _ Launcher = (*Leader)(nil)

type follower struct {
	rank    int
	conn    net.Conn
	encoder *json.Encoder
	answers chan answer // closed when the line is gone
}

// Lead waits at the meeting until every other rank of the job has come. Strangers are
// sent away and keep nobody waiting.
func Lead(ctx context.Context, seat Environment, m Meeting) (*Leader, error) {
	secret, err := m.Secret()
	if err != nil {
		return nil, err
	}
	config, err := leading.channel(secret, m.Job)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", cmp.Or(m.Listen, m.Address))
	if err != nil {
		return nil, fmt.Errorf("meet the other ranks: %w: set ASSAY_MEETING=HOST:PORT, the same for every rank", err)
	}
	waiting, done := context.WithCancel(ctx)
	context.AfterFunc(waiting, func() { listener.Close() })
	came, shut := make(chan *follower), make(chan error, 1) // the one error of the one door
	var doorman sync.WaitGroup
	defer func() {
		done()
		doorman.Wait()
	}()
	doorman.Go(func() {
		shut <- door.Serve(listener, door.Options{}, func(conn net.Conn, admit func()) {
			f, err := greet(waiting, tls.Server(conn, config), seat.World)
			if err != nil {
				conn.Close()
				return
			}
			admit()
			select {
			case came <- f:
			case <-waiting.Done():
				f.conn.Close()
			}
		})
	})
	l := &Leader{seat: seat, followers: map[int]*follower{}}
	for len(l.followers) < seat.World-1 {
		select {
		case f := <-came:
			l.admit(f)
		case err := <-shut:
			return nil, errors.Join(fmt.Errorf("%d of %d ranks came: %w", len(l.followers)+1, seat.World, errors.Join(context.Cause(ctx), err)), l.Close())
		}
	}
	return l, nil
}

// greet finds out which rank has come. Only what knows the secret gets beyond the
// handshake.
func greet(ctx context.Context, conn *tls.Conn, ranks int) (*follower, error) {
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	var first answer
	decoder := json.NewDecoder(conn)
	if err := decoder.Decode(&first); err != nil {
		return nil, err
	}
	if first.Rank < 1 || first.Rank >= ranks {
		return nil, fmt.Errorf("rank %d of a job of %d", first.Rank, ranks)
	}
	f := &follower{rank: first.Rank, conn: conn, encoder: json.NewEncoder(conn), answers: make(chan answer, 4)}
	go f.listen(decoder) // ends with the connection
	return f, nil
}

// admit gives a follower its place, unless it came twice.
func (l *Leader) admit(f *follower) {
	if l.followers[f.rank] != nil || f.encoder.Encode(call{Welcome: true}) != nil {
		f.conn.Close()
		return
	}
	l.followers[f.rank] = f
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
		seated := seatedJob{Ranks: job.Ranks, Worker: job.Worker, Env: job.Env, Master: job.Master}
		if job.Input != nil {
			seated.Input = job.Input(rank)
		}
		if err := f.encoder.Encode(call{Start: &seated}); err != nil {
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

// Host is not known: another launcher has placed the ranks.
func (w *joined) Host(int) string { return "" }

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
