package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay/door"
)

// Options are how a Controller works.
type Options struct {
	Run     string        // the run's id
	Address string        // host or host:port to listen on; empty means a socket in Dir
	Dir     string        // folder of the ranks' files and of the socket
	Ranks   int           // how many ranks the world has
	Hang    time.Duration // a rank without a sign of life for this long hangs; 0 means 30 s
	Epoch   int64         // CLOCK_MONOTONIC at zero of the launch's clock: all times handed out are ns since it
}

const defaultHang = 30 * time.Second

// strangers is how many may stand at the door beside the ranks, all of which may knock in
// the same moment.
const strangers = 64

// greetEach is what each rank adds to the time that a greeting may take: all of them may
// come at once, to a host that is busy.
const greetEach = 20 * time.Millisecond

// A Controller leads the ranks of one world. Its methods but Started and Exited are
// called by one goroutine at a time.
type Controller struct {
	o        Options
	token    string
	listener net.Listener
	address  string // as the ranks dial it
	temp     string // folder of the socket, where Dir was too long a name
	readers  sync.WaitGroup
	offsets  []int64       // of each rank's clock, for the point under way
	bell     chan struct{} // rung when anything has changed; one ring is enough for all of it

	mu       sync.Mutex
	closed   bool
	peers    []*peer
	inbox    []arrival // records that no sink has got yet
	misfit   error     // a rank that cannot belong to this world
	busy     bool      // a point is under way
	failure  *Failure
	judged   int64 // when the world was last looked at
	patience int64 // until when silence is forgiven, as nobody listened before

	turnedAway int    // connections that did not belong here
	refusal    string // why the last of them did not
}

// An arrival is a line that is for the sink.
type arrival struct {
	from *peer
	line Line
}

// Listen opens the controller's door. Workers find it by Env.
func Listen(o Options) (*Controller, error) {
	if o.Ranks < 1 {
		return nil, fmt.Errorf("a world of %d ranks: want at least 1", o.Ranks)
	}
	if o.Hang <= 0 {
		o.Hang = defaultHang
	}
	c := &Controller{o: o, token: rand.Text(), bell: make(chan struct{}, 1), judged: Mono()}
	for rank := range o.Ranks {
		c.peers = append(c.peers, &peer{rank: rank})
	}
	if err := c.open(); err != nil {
		return nil, fmt.Errorf("listen for ranks: %w", err)
	}
	c.readers.Go(func() {
		// It ends with the listener, which Close closes.
		_ = door.Serve(c.listener, door.Options{Waiting: strangers + o.Ranks, Patience: greetWithin + time.Duration(o.Ranks)*greetEach}, c.serve)
	})
	return c, nil
}

// maxSocketPath is below the 108 bytes that the kernel has for the name of a socket.
const maxSocketPath = 100

func (c *Controller) open() (err error) {
	if c.o.Address != "" {
		address := c.o.Address
		if _, _, err := net.SplitHostPort(address); err != nil {
			address = net.JoinHostPort(address, "0")
		}
		if c.listener, err = net.Listen("tcp", address); err != nil {
			return err
		}
		c.address = dialable(c.listener.Addr().(*net.TCPAddr))
		return nil
	}
	dir, err := filepath.Abs(c.o.Dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "ctrl.sock")
	if len(path) > maxSocketPath {
		if c.temp, err = os.MkdirTemp("", "assay-"); err != nil {
			return err
		}
		path = filepath.Join(c.temp, "ctrl.sock")
	}
	// A socket that an earlier world left behind is in the way of the next.
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	if c.listener, err = net.Listen("unix", path); err != nil {
		return err
	}
	c.address = unixPrefix + path
	return os.Chmod(path, 0o600)
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

// Env is what a worker needs to find this controller.
func (c *Controller) Env() []string {
	out, err := filepath.Abs(c.o.Dir)
	if err != nil {
		out = c.o.Dir
	}
	return []string{
		EnvController + "=" + c.address,
		EnvToken + "=" + c.token,
		EnvOut + "=" + out,
		EnvRun + "=" + c.o.Run,
	}
}

// Started tells that the process of a rank was started; pid 0 means on another host. A
// rank may have joined before anybody came to tell: then it had started by then.
func (c *Controller) Started(rank, pid int) {
	c.change(func() {
		if rank >= 0 && rank < len(c.peers) {
			peer := c.peers[rank]
			peer.pid, peer.started = pid, c.now()
			if peer.joined > 0 {
				peer.started = min(peer.started, peer.joined)
			}
		}
	})
}

// Exited tells that the process of a rank has ended: by a signal, or else with a
// code. Asked says that it was told to.
func (c *Controller) Exited(rank, code int, signal string, asked bool) {
	c.change(func() {
		if rank >= 0 && rank < len(c.peers) {
			c.peers[rank].exit = &exit{at: c.now(), code: code, signal: signal, asked: asked}
		}
	})
}

// Close shuts the door and every connection, and waits for all that read from them.
func (c *Controller) Close() error {
	c.change(func() {
		c.closed = true
		for _, p := range c.peers {
			if p.conn != nil {
				p.conn.Close()
			}
		}
	})
	err := c.listener.Close()
	c.readers.Wait()
	if c.temp != "" {
		err = errors.Join(err, os.RemoveAll(c.temp))
	}
	return err
}

// now is the launch's clock.
func (c *Controller) now() int64 { return Mono() - c.o.Epoch }

// change edits the world and wakes whoever waits for it.
func (c *Controller) change(edit func()) {
	c.mu.Lock()
	edit()
	c.mu.Unlock()
	select {
	case c.bell <- struct{}{}:
	default: // it rings already
	}
}

// await looks at the world until done says so, a rank fails or ctx ends. The world
// is locked while done looks.
func (c *Controller) await(ctx context.Context, what string, done func() bool) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		c.mu.Lock()
		failure := c.judge(c.now())
		finished := failure == nil && done()
		c.mu.Unlock()
		switch {
		case failure != nil:
			return failure
		case finished:
			return nil
		}
		select {
		case <-c.bell:
			time.Sleep(time.Duration(len(c.peers)) * lookApart)
		case <-ticker.C:
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			return fmt.Errorf("%s: %s: %w", what, c.whereabouts(), context.Cause(ctx))
		}
	}
}

// lookApart keeps looks at the world apart, for each of its ranks: a look goes over all of
// them, and in a large world some rank says something at any moment. In 10,000 ranks it is
// 20 ms, in 8 nothing.
const lookApart = 2 * time.Microsecond

// watchEvery is how often the world is looked at when nothing arrives: well below
// the second between two signs of life.
const watchEvery = 50 * time.Millisecond

// gatherWithin is how long ranks may take to greet: importing torch from a shared
// file system on many nodes at once takes minutes.
const gatherWithin = 10 * time.Minute

// Gather waits until every rank has greeted.
func (c *Controller) Gather(ctx context.Context) error {
	var misfit error
	limit, stop := context.WithTimeoutCause(ctx, gatherWithin, fmt.Errorf("given up after %v", gatherWithin))
	defer stop()
	err := c.await(limit, "wait for ranks", func() bool {
		misfit = c.misfit
		for _, p := range c.peers {
			if p.hello == nil {
				return misfit != nil
			}
		}
		return true
	})
	return errors.Join(err, misfit)
}
