package generator

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"assay/door"
	"assay/record"
)

// Options are how a Leader works.
type Options struct {
	Run     string        // the run's id
	Program string        // version of assay, which generators must have too
	Count   int           // how many generators there are
	Address string        // host or host:port to listen on; empty means loopback
	Epoch   int64         // CLOCK_MONOTONIC at zero of the launch's clock
	Hang    time.Duration // a generator without a word for this long is lost; 0 means 30 s
}

const defaultHang = 30 * time.Second

// strangers is how many may stand at the door beside the generators, all of which may
// knock in the same moment.
const strangers = 64

// greetWithin is how long a greeting may take, and greetEach what each generator adds to it:
// all of them may come at once, and their handshakes take a millisecond of this host each,
// which may be busy.
const (
	greetWithin = 10 * time.Second
	greetEach   = 20 * time.Millisecond
)

// A Leader leads the generators of one launch. Its methods but Exited are called by one
// goroutine at a time.
type Leader struct {
	o         Options
	authority *authority
	listener  net.Listener
	address   string // as generators dial it
	work      sync.WaitGroup
	bell      chan struct{} // rung when anything has changed; one ring is enough for all of it

	mu      sync.Mutex
	closed  bool
	peers   []*peer
	refused []string // who was turned away, and why; the first ones

	taking sync.Mutex // held while sink takes rows
	sink   func(number int, rows Rows) error
}

// Listen opens the leader's door.
func Listen(o Options) (*Leader, error) {
	if o.Count < 1 {
		return nil, fmt.Errorf("%d load generators: want at least 1", o.Count)
	}
	if o.Hang <= 0 {
		o.Hang = defaultHang
	}
	authority, err := newAuthority(o.Run)
	if err != nil {
		return nil, err
	}
	config, err := authority.leading()
	if err != nil {
		return nil, err
	}
	address := o.Address
	if address == "" {
		address = "127.0.0.1"
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		address = net.JoinHostPort(address, "0")
	}
	l := &Leader{o: o, authority: authority, bell: make(chan struct{}, 1)}
	if l.listener, err = net.Listen("tcp", address); err != nil {
		return nil, fmt.Errorf("listen for load generators: %w", err)
	}
	l.address = dialable(l.listener.Addr().(*net.TCPAddr))
	for number := range o.Count {
		l.peers = append(l.peers, &peer{number: number})
	}
	l.work.Go(func() {
		// It ends with the listener, which Close closes.
		_ = door.Serve(l.listener, door.Options{Waiting: strangers + o.Count, Patience: greetWithin + time.Duration(o.Count)*greetEach}, func(conn net.Conn, admit func()) { l.serve(tls.Server(conn, config), admit) })
	})
	return l, nil
}

// dialable is an address that others can dial: one that listens everywhere is
// reached by the host's name.
func dialable(address *net.TCPAddr) string {
	if !address.IP.IsUnspecified() {
		return address.String()
	}
	host, err := os.Hostname()
	if err != nil {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, fmt.Sprint(address.Port))
}

// Credentials are those of one generator, for its eyes alone.
func (l *Leader) Credentials(number int) ([]byte, error) {
	c, err := l.authority.credentials(l.o.Run, number, l.address)
	if err != nil {
		return nil, err
	}
	return json.Marshal(c)
}

// Close shuts the door and every line, and waits for all that read from them.
func (l *Leader) Close() error {
	l.change(func() {
		l.closed = true
		for _, p := range l.peers {
			if p.line != nil {
				p.line.conn.Close()
			}
		}
	})
	err := l.listener.Close()
	l.work.Wait()
	return err
}

// serve reads one connection until it ends.
func (l *Leader) serve(conn *tls.Conn, admit func()) {
	defer conn.Close()
	p, err := l.receive(conn, admit)
	if err != nil {
		l.refuse(conn, err)
		return
	}
	for {
		k, body, at, err := p.line.receive()
		if err == nil {
			err = l.take(p, k, body, at)
		}
		if err != nil {
			l.change(func() { p.lose(fmt.Errorf("its line broke: %w", err)) })
			return
		}
	}
}

// receive finds the generator that a connection speaks for. Only a certificate of this
// run gets beyond the handshake, and each number is given out once.
func (l *Leader) receive(conn *tls.Conn, admit func()) (*peer, error) {
	if err := conn.Handshake(); err != nil {
		return nil, fmt.Errorf("it has no certificate of this run: %w", err)
	}
	number, ok := numberOf(conn.ConnectionState().PeerCertificates[0])
	if !ok || number < 0 || number >= l.o.Count {
		return nil, errors.New("its certificate is of no load generator")
	}
	line := newLine(conn, mostToLeader)
	k, body, at, err := line.receive()
	var hello Hello
	if err == nil && k == frameHello {
		err = json.Unmarshal(body, &hello)
	}
	switch {
	case err != nil || k != frameHello:
		return nil, fmt.Errorf("load generator %d does not greet", number)
	case hello.Version != Version || hello.Program != l.o.Program:
		return nil, fmt.Errorf("load generator %d on %s is assay %s, want %s: install one version on every host", number, hello.Host, hello.Program, l.o.Program)
	}
	admit()
	p := l.peers[number]
	l.change(func() {
		switch {
		case l.closed:
			err = net.ErrClosed
		case p.line != nil:
			err = fmt.Errorf("load generator %d is on %s already, and another process on %s says that it is the same", number, p.hello.Host, hello.Host)
		default:
			p.line, p.hello, p.joined, p.heard = line, hello, at-l.o.Epoch, at
		}
	})
	return p, err
}

// mostRefused bounds what strangers can make the leader keep.
const mostRefused = 16

// refuse remembers who was turned away.
func (l *Leader) refuse(conn net.Conn, err error) {
	l.change(func() {
		if !l.closed && len(l.refused) < mostRefused {
			l.refused = append(l.refused, fmt.Sprintf("%s: %v", conn.RemoteAddr(), err))
		}
	})
}

// Refused lists who was turned away, and why; no more than the first sixteen.
func (l *Leader) Refused() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.refused)
}

// take acts on one frame of a generator.
func (l *Leader) take(p *peer, k kind, body []byte, at int64) error {
	switch k {
	case framePong:
		told, err := unstamp(body, 3)
		if err != nil {
			return err
		}
		l.change(func() { p.ponged(told, at, l.o.Epoch) })
		return nil
	case frameReport:
		var report Report
		if err := json.Unmarshal(body, &report); err != nil {
			return fmt.Errorf("a report that cannot be read: %w", err)
		}
		l.change(func() { p.report(report, at) })
		return nil
	case frameRows:
		rows, err := decodeRows(body)
		if err != nil {
			return fmt.Errorf("rows that cannot be read: %w", err)
		}
		if err := l.pass(p, rows); err != nil {
			return err
		}
		l.change(func() { p.heard, p.rows = at, p.rows+int64(len(rows.Requests)) })
		return nil
	}
	return fmt.Errorf("a frame of kind %d, which no generator sends", k)
}

// pass gives rows to whoever collects them, as rows of the generator that sent them,
// whatever they say of themselves.
func (l *Leader) pass(p *peer, rows Rows) error {
	for i := range rows.Requests {
		rows.Requests[i].Shard, rows.Requests[i].Host = int32(p.number), p.hello.Host
	}
	for i := range rows.Sessions {
		rows.Sessions[i].Shard = int32(p.number)
	}
	l.taking.Lock()
	defer l.taking.Unlock()
	if l.sink == nil {
		return errors.New("rows outside of a point")
	}
	return l.sink(p.number, rows)
}

// Collect makes take get the rows of every generator from now on, one call at a time. Nil
// means that none are due.
func (l *Leader) Collect(take func(number int, rows Rows) error) {
	l.taking.Lock()
	defer l.taking.Unlock()
	l.sink = take
}

// change edits what is known and wakes whoever waits for it.
func (l *Leader) change(edit func()) {
	l.mu.Lock()
	edit()
	l.mu.Unlock()
	select {
	case l.bell <- struct{}{}:
	default: // it rings already
	}
}

// watchEvery is how often generators are looked at when nothing arrives.
const watchEvery = 50 * time.Millisecond

// await looks until done says so of every generator, one of them is lost, or ctx ends.
func (l *Leader) await(ctx context.Context, what string, done func(*peer) bool) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		missing, err := l.look(done)
		if err != nil || len(missing) == 0 {
			return err
		}
		select {
		case <-l.bell:
			time.Sleep(lookApart)
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: waiting for load generators %v: %w", what, missing, context.Cause(ctx))
		}
	}
}

// lookApart keeps looks apart. Each goes over all generators, of which hundreds report at
// any moment: without it a leader of 500 spent five times as much on a stream as one of 8.
// It is far below the time by which a start is announced.
const lookApart = 2 * time.Millisecond

// look lists the generators that are not done, or says which is lost.
func (l *Leader) look(done func(*peer) bool) (missing []int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.peers {
		if err := p.lost(record.Mono(), l.o.Hang); err != nil {
			return nil, err
		}
		if !done(p) {
			missing = append(missing, p.number)
		}
	}
	return missing, nil
}

// gatherWithin is how long generators may take to join.
const gatherWithin = 5 * time.Minute

// Gather waits until every generator has joined.
func (l *Leader) Gather(ctx context.Context) error {
	limit, stop := context.WithTimeoutCause(ctx, gatherWithin, fmt.Errorf("given up after %v", gatherWithin))
	defer stop()
	err := l.await(limit, "join", func(p *peer) bool { return p.line != nil })
	if refused := l.Refused(); err != nil && len(refused) > 0 {
		err = fmt.Errorf("%w; refused: %s", err, refused[0])
	}
	return err
}
