package target

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// What stamped the answers of a command.
const (
	// ReadCommand is the stamp of the read that delivered a line of a command.
	ReadCommand = "command"

	// ReadProgram is the stamp that the program itself gave each line, on the same
	// clock. A record says so only if every line has one and none contradicts ours.
	ReadProgram = "command+program"
)

// heartbeatLimit is how long a program that sends heartbeats, one a second, may
// be silent.
const heartbeatLimit = 10 * time.Second

// A program is a running command: calls go out as lines, and the lines that come
// back belong to the call whose id they carry.
type program struct {
	client *Client
	server *Server
	conn   net.Conn
	ended  chan struct{} // closed when no more lines will come

	write sync.Mutex // one line at a time
	once  sync.Once  // to close it

	mu    sync.Mutex
	why   error // why it ended
	calls map[int64]*programCall
	beats bool // it sends heartbeats
}

// A programCall is one call under way.
type programCall struct {
	reading *stampedBody
	alive   func() // a line has come
	done    chan struct{}
	err     error // set before done is closed
}

// StartProgram starts the program of a command target and returns when it has said
// hello. What it prints goes to log.
func (c *Client) StartProgram(ctx context.Context, log io.Writer) error {
	cfg := c.cfg.Program
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the program: %w", err)
	}
	defer listener.Close()
	token := rand.Text()
	p := &program{client: c, ended: make(chan struct{}), calls: map[int64]*programCall{}}
	var lines *bufio.Reader
	start := *cfg
	start.Env = append(start.Env[:len(start.Env):len(start.Env)], "ASSAY_CTRL="+listener.Addr().String(), "ASSAY_TOKEN="+token)
	start.await = func(ctx context.Context, exited <-chan struct{}) error {
		var err error
		p.conn, lines, err = acceptProgram(ctx, listener, token, start.ReadyTimeout, exited)
		return err
	}
	if p.server, err = StartServer(ctx, start, log); err != nil {
		return err
	}
	go p.read(lines) // ends with the connection; close waits for it
	c.program = p
	return nil
}

// read hands out the lines of the program until it has said its last. A line is
// stamped by the read that completed it, before anything is parsed.
func (p *program) read(from io.Reader) {
	buffer := make([]byte, 0, 64<<10)
	for {
		p.arm()
		n, err := from.Read(buffer[len(buffer):cap(buffer)])
		at := p.client.clock.Now()
		buffer = buffer[:len(buffer)+n]
		rest, _ := lineFrames(buffer, func(line []byte, _ int) { p.deliver(line, at) })
		buffer = append(buffer[:0], rest...)
		if err != nil {
			p.end(p.lost(err))
			return
		}
		if int64(len(buffer)) > p.client.cfg.AnswerLimit {
			_ = p.conn.Close()
			p.end(tooLarge("a line of the program", p.client.cfg.AnswerLimit))
			return
		}
		if len(buffer) == cap(buffer) {
			buffer = append(buffer, 0)[:len(buffer)] // grow: a line may be long
		}
	}
}

// arm limits the silence of a program that sends heartbeats.
func (p *program) arm() {
	if p.beats {
		_ = p.conn.SetReadDeadline(time.Now().Add(p.silence()))
	}
}

func (p *program) silence() time.Duration { return cmp.Or(p.server.cfg.heartbeat, heartbeatLimit) }

// deliver gives a line to its call. Lines of calls that were given up are let go.
func (p *program) deliver(line []byte, at int64) {
	var said struct {
		Type string `json:"t"`
		ID   *int64 `json:"id"`
	}
	err := json.Unmarshal(line, &said)
	p.mu.Lock()
	defer p.mu.Unlock()
	if said.Type == "hb" {
		p.beats = true
	}
	if err != nil || said.ID == nil {
		return
	}
	call := p.calls[*said.ID]
	if call == nil {
		return
	}
	call.reading.body = append(append(call.reading.body, line...), '\n')
	call.reading.marks = append(call.reading.marks, mark{end: len(call.reading.body), at: at})
	call.alive()
	call.err = fits(int64(len(call.reading.body)), p.client.cfg.AnswerLimit, len(call.reading.marks))
	if call.err != nil || said.Type == "done" || said.Type == "err" {
		delete(p.calls, *said.ID)
		close(call.done)
	}
}

// lost says why a read from the program failed.
func (p *program) lost(err error) error {
	select {
	case <-p.server.Exited():
		return fmt.Errorf("%w: %w", p.server.Err(), io.ErrUnexpectedEOF)
	case <-time.After(time.Second): // it closed its socket, or fell silent, and lives on
	}
	if isTimeout(err) {
		return fmt.Errorf("the program sent no heartbeat for %v: %w", p.silence(), errIdleTimeout)
	}
	return fmt.Errorf("the program closed its connection: %w", io.ErrUnexpectedEOF)
}

// end fails what is under way: nothing more will come.
func (p *program) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.why = err
	for id, call := range p.calls {
		delete(p.calls, id)
		call.err = err
		close(call.done)
	}
	close(p.ended)
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// do sends a call and waits for the last line of its answer.
func (p *program) do(ctx context.Context, prepared Prepared, raw *Raw) {
	c := p.client
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.cfg.Timeout > 0 {
		total := time.AfterFunc(c.cfg.Timeout, func() { cancel(errTotalTimeout) })
		defer total.Stop()
	}
	idle := time.AfterFunc(c.idleLimit(), func() { cancel(errIdleTimeout) })
	defer idle.Stop()
	call := &programCall{reading: c.bodies.Get().(*stampedBody), done: make(chan struct{})}
	call.reading.body, call.reading.marks = call.reading.body[:0], call.reading.marks[:0]
	call.alive = func() {
		idle.Reset(c.idleLimit())
		prepared.began()
	}
	id := prepared.Call.ID
	raw.request.Stamps = ReadCommand
	raw.request.Sent = c.clock.Now()
	if err := p.enter(id, call); err != nil {
		raw.fail(c.clock.Now(), err)
		return
	}
	if err := p.send(prepared.body); err == nil {
		raw.phases.wrote.Store(c.clock.Now())
	} // else the reader will tell why
	select {
	case <-call.done:
		raw.Done, raw.err = c.clock.Now(), call.err
		if errors.Is(raw.err, errTooLarge) {
			p.leave(id)
		}
	case <-ctx.Done():
		raw.Done, raw.err = c.clock.Now(), context.Cause(ctx)
		p.leave(id)
	}
	if len(call.reading.body) > 0 {
		raw.reading = call.reading
		raw.phases.first.Store(call.reading.marks[0].at)
		if raw.err == nil {
			raw.Done = call.reading.marks[len(call.reading.marks)-1].at
		}
	} else if raw.err == nil {
		raw.err = io.ErrUnexpectedEOF
	}
}

// carry has the program answer a call, if there is one.
func (c *Client) carry(ctx context.Context, p Prepared, raw *Raw) {
	if c.program == nil {
		raw.request.Sent = c.clock.Now()
		raw.fail(raw.request.Sent, &net.OpError{Op: "dial", Net: "command", Err: errors.New("the program was not started")})
		return
	}
	c.program.do(ctx, p, raw)
}

// enter notes a call, unless the program has ended.
func (p *program) enter(id int64, call *programCall) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why != nil {
		return &net.OpError{Op: "dial", Net: "command", Err: p.why}
	}
	if p.calls[id] != nil {
		return fmt.Errorf("call %d is already under way", id)
	}
	p.calls[id] = call
	return nil
}

// leave gives a call up and tells the program.
func (p *program) leave(id int64) {
	p.mu.Lock()
	delete(p.calls, id)
	p.mu.Unlock()
	_ = p.send(fmt.Appendf(nil, `{"t":"cancel","v":1,"id":%d}`+"\n", id)) // one that has ended needs no word
}

// sendLimit is how long a program may leave its lines unread.
const sendLimit = 30 * time.Second

func (p *program) send(line []byte) error {
	p.write.Lock()
	defer p.write.Unlock()
	_ = p.conn.SetWriteDeadline(time.Now().Add(sendLimit))
	_, err := p.conn.Write(line)
	return err
}

// ProgramEnded is closed when the program of a command target has ended or fallen
// silent, and ProgramFailure then says how. It must have been started.
func (c *Client) ProgramEnded() <-chan struct{} { return c.program.ended }

// ProgramFailure says how the program ended. It may be called once ProgramEnded
// is closed.
func (c *Client) ProgramFailure() error {
	c.program.mu.Lock()
	defer c.program.mu.Unlock()
	return c.program.why
}

// close asks the program to end, and ends it when it does not.
func (p *program) close() { p.once.Do(p.stop) }

func (p *program) stop() {
	_ = p.send([]byte(`{"t":"stop","v":1}` + "\n")) // one that has ended needs no word
	select {
	case <-p.server.Exited():
	case <-time.After(p.server.cfg.StopTimeout):
	}
	_ = p.server.Stop() // ends what it left behind, too
	_ = p.conn.Close()
	<-p.ended
}

// tooEarly reports whether a stamp lies further before our read of its line than a busy host
// explains: the clock of the program runs slower than ours, or the stamp is made up.
func tooEarly(lag int64, reads []mark) bool {
	const idle, share = 20e6, 10 // nanoseconds that a reader may be held up, and the part of the answer besides
	return lag > idle+(reads[len(reads)-1].at-reads[0].at)/share
}

// restamp puts the program's own stamps in place of ours, where every line has
// one that could be true: not before the call was sent, not after the line came,
// and never going back. It returns the stamp of the end, and a flag where stamps
// were given and not used. Raw.Done stays: whoever waits for it may read it now.
func (r *Raw) restamp(c *Client) (done int64, flag string) {
	if c.program == nil || r.reading == nil {
		return r.Done, ""
	}
	marks := make([]mark, 0, len(r.reading.marks))
	given, begin, before := 0, 0, r.request.Sent
	lag := int64(0) // from a stamp to our read of it, the largest: whoever stamps the first line early has a short TTFT
	for _, m := range r.reading.marks {
		var said commandLine
		if json.Unmarshal(r.reading.body[begin:m.end], &said) == nil && said.Mono != nil {
			given++
			at := *said.Mono - c.clock.Epoch
			if at >= before && at <= m.at {
				marks, before = append(marks, mark{end: m.end, at: at}), at
				lag = max(lag, m.at-at)
			}
		}
		begin = m.end
	}
	switch {
	case given == 0:
		return r.Done, ""
	case len(marks) < len(r.reading.marks), tooEarly(lag, r.reading.marks):
		return r.Done, "program_clock"
	}
	r.reading.marks, r.request.Stamps = marks, ReadProgram
	r.phases.first.Store(marks[0].at)
	if r.err != nil {
		return r.Done, ""
	}
	return marks[len(marks)-1].at, ""
}
