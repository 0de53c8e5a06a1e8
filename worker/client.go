package worker

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"assay/plan"
)

// A Client is the side of a rank that is written in Go. Records wait in memory until
// Flush, which is called between timed regions; then they go to the rank's file and
// to a queue that a goroutine of its own sends, so that a slow controller never
// holds up a measurement. Plan, Barrier, the records, Flush and EndPoint are for one
// goroutine.
type Client struct {
	Rank, World int

	run    string
	conn   net.Conn
	reader *bufio.Reader // of the connection
	seq    atomic.Int64  // the last collective begun; -1 for none

	plans chan Line // from the controller; 1, as the next is only sent after this one's end
	goes  chan Line // 1, for the same reason
	over  chan struct{}
	why   error // set before over is closed
	stop  chan struct{}
	sent  chan struct{} // closed when the queue is sent after stop
	crew  sync.WaitGroup
	line  sync.Mutex // whoever writes to the connection

	colls []CollLine
	rest  []Line

	mu      sync.Mutex
	phase   string
	lines   int64 // sent, counted from the hello
	dropped int64
	file    *os.File
	copy    *bufio.Writer // to the file
	sum     hash.Hash
	queue   [][]byte
	queued  int
	dead    bool // the connection
	wake    chan struct{}
}

// maxQueue is what waits for a slow controller before records are dropped. The
// rank's file has them all the same.
const maxQueue = 64 << 20

// maxBuffer is how many records wait for Flush before further ones are dropped.
const maxBuffer = 1 << 20

// dialWithin is how long a controller may take to open its door: names of pods can
// take some time to be known.
const dialWithin = 30 * time.Second

// Dial greets the controller that the environment names. What hello leaves empty of
// host, process and clock is filled in. The rank is RANK's of WORLD_SIZE; for other
// launchers pass their environment in these words, as launch.Environment has it.
func Dial(env func(string) string, hello HelloLine) (*Client, error) {
	rank, err := strconv.Atoi(env("RANK"))
	if err != nil {
		return nil, fmt.Errorf("RANK %q: want a number: workers are started by assay or by a launcher", env("RANK"))
	}
	if hello.World, err = strconv.Atoi(env("WORLD_SIZE")); err != nil {
		return nil, fmt.Errorf("WORLD_SIZE %q: want a number", env("WORLD_SIZE"))
	}
	if local, err := strconv.Atoi(env("LOCAL_RANK")); err == nil {
		hello.LocalRank = local
	}
	c := &Client{
		Rank: rank, World: hello.World, run: env(EnvRun),
		plans: make(chan Line, 1), goes: make(chan Line, 1), over: make(chan struct{}), stop: make(chan struct{}), sent: make(chan struct{}),
		wake: make(chan struct{}, 1), sum: sha256.New(), phase: "hello",
	}
	c.seq.Store(-1)
	if dir := env(EnvOut); dir != "" {
		// On another host than the controller's nobody has made it.
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if c.file, err = os.Create(filepath.Join(dir, fileOf(rank))); err != nil {
			return nil, err
		}
		c.copy = bufio.NewWriter(c.file)
	}
	if err := c.meet(env, hello.complete()); err != nil {
		return nil, errors.Join(fmt.Errorf("greet the controller at %s=%s: %w", EnvController, env(EnvController), err), c.closeFile())
	}
	c.crew.Go(c.read)
	c.crew.Go(c.drain)
	c.crew.Go(c.beat)
	return c, nil
}

// put numbers, stamps and queues one line and writes it to the rank's file. A line
// that is not kept may be dropped when the controller is slow. The caller has locked
// the client.
func (c *Client) put(line Line, keep bool) {
	line.Run, line.Rank, line.Seq, line.Mono = c.run, c.Rank, c.lines, Mono()
	if line.T == End {
		line.Lines, line.Dropped = c.lines+1, c.dropped
	}
	data, err := encode(line)
	if err != nil { // NaN, or beyond any sense in length
		c.dropped++
		data, _ = encode(Line{T: NoteT, Run: c.run, Rank: c.Rank, Seq: c.lines, Mono: line.Mono, Text: fmt.Sprintf("a line of type %s could not be written: %v", line.T, err)})
	}
	c.lines++
	c.note(data, keep)
	if c.dead {
		return
	}
	if !keep && c.queued+len(data) > maxQueue {
		c.dropped++
		return
	}
	c.queue, c.queued = append(c.queue, data), c.queued+len(data)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// note writes a line to the rank's file.
func (c *Client) note(line []byte, flush bool) {
	if c.file == nil {
		return
	}
	_, _ = c.copy.Write(line) // a full disk loses the copy, not the run
	c.sum.Write(line)
	if flush {
		_ = c.copy.Flush()
	}
}

// drain sends the queue until the client stops.
func (c *Client) drain() {
	defer close(c.sent)
	for {
		c.write()
		select {
		case <-c.wake:
		case <-c.stop:
			c.write()
			return
		}
	}
}

// write sends what is queued. A line keeps its place whoever sends it.
func (c *Client) write() {
	c.line.Lock()
	defer c.line.Unlock()
	c.mu.Lock()
	batch := net.Buffers(c.queue)
	c.queue, c.queued = nil, 0
	c.mu.Unlock()
	if _, err := batch.WriteTo(c.conn); err != nil {
		c.mu.Lock()
		c.dead = true // the file has what follows
		c.mu.Unlock()
	}
}

// read takes what the controller says until it is gone.
func (c *Client) read() {
	defer close(c.over)
	for {
		data, err := readLine(c.reader)
		at := Mono()
		if err != nil {
			c.why = fmt.Errorf("the controller is gone: %w", err)
			return
		}
		line, err := decode(data)
		if err != nil {
			c.why = fmt.Errorf("the controller sent what is no line: %w", err)
			return
		}
		switch line.T {
		case PingT:
			c.mu.Lock()
			c.put(Line{T: PongT, T1: line.T1, T2: at, T3: Mono()}, true)
			c.mu.Unlock()
			c.write() // at once: waking the drain would look like a longer way
		case PlanT:
			if line.V != ProtocolVersion || line.Point == nil || line.World == nil {
				c.why = fmt.Errorf("a plan of version %d of the worker protocol, want %d", line.V, ProtocolVersion)
				return
			}
			c.pass(c.plans, line)
		case Go:
			c.pass(c.goes, line)
		case Quit:
			c.why = io.EOF
			return
		}
	}
}

func (c *Client) pass(to chan Line, line Line) {
	select {
	case to <- line:
	case <-c.stop:
	}
}

// beat gives a sign of life each second, whatever the measuring goroutine does.
func (c *Client) beat() {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-c.stop:
			return
		}
		c.mu.Lock()
		c.put(Line{T: Beat, Phase: c.phase, Coll0: c.begun()}, false)
		c.mu.Unlock()
	}
}

func (c *Client) begun() *int64 {
	if seq := c.seq.Load(); seq >= 0 {
		return &seq
	}
	return nil
}

// Plan waits for the next point; io.EOF means that there is none.
func (c *Client) Plan(ctx context.Context) (plan.Point, WorldLine, error) {
	select {
	case line := <-c.plans:
		c.enter("prepare")
		return *line.Point, *line.World, nil
	case <-c.over:
		return plan.Point{}, WorldLine{}, c.why
	case <-ctx.Done():
		return plan.Point{}, WorldLine{}, context.Cause(ctx)
	}
}

// ErrSkip is returned by Barrier when a rank could not prepare the point: nobody
// measures it, and EndPoint is next.
var ErrSkip = errors.New("another rank could not prepare the point")

// Barrier tells that a phase is reached and waits until every rank has reached it.
func (c *Client) Barrier(phase string) error {
	c.mu.Lock()
	c.phase = phase
	c.put(Line{T: Barrier, Phase: phase}, true)
	c.mu.Unlock()
	select {
	case line := <-c.goes:
		c.enter("measure")
		if line.Phase == PhaseSkip {
			return ErrSkip
		}
		return nil
	case <-c.over:
		if c.why == io.EOF {
			return errors.New("the controller ends the run")
		}
		return c.why
	}
}

func (c *Client) enter(phase string) {
	c.mu.Lock()
	c.phase = phase
	c.mu.Unlock()
}
