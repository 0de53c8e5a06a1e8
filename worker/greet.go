package worker

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"assay/door"
)

// How the two sides come to know each other: the controller challenges, the worker
// greets with a proof that it knows the token, the controller answers with its own.
// Neither sends the token, and what was said once opens nothing again.

// The sides, as proofs name them.
const (
	asWorker     = "worker"
	asController = "controller"
)

// words are what a proof is made over.
func words(side, run string, rank int, challenge, nonce string) []string {
	return []string{"assay-worker/2", side, run, strconv.Itoa(rank), challenge, nonce}
}

// greetWithin is how long a side may take for its part of the greeting.
const greetWithin = 10 * time.Second

// maxGreeting is the longest line of a greeting: a hello that names a thousand
// processors and as many variables is far shorter. It bounds what a stranger can make
// this side keep.
const maxGreeting = 64 << 10

// readGreeting returns the next line of a side that is not known yet. The reader has
// room for maxGreeting.
func readGreeting(r *bufio.Reader) (Line, error) {
	data, err := r.ReadSlice('\n')
	if err != nil {
		return Line{}, err
	}
	return decode(data[:len(data)-1])
}

// serve reads one connection until it ends.
func (c *Controller) serve(conn net.Conn, admit func()) {
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, maxGreeting)
	p, err := c.receive(conn, reader, admit)
	if err != nil {
		c.turnAway(conn, err)
		return
	}
	for {
		data, err := readLine(reader)
		at := c.now() // before anything else: a pong's fourth stamp
		if err != nil && !errors.Is(err, errTooLong) {
			c.change(func() { p.lose(at, err) })
			return
		}
		var line Line
		if err == nil {
			line, err = decode(data)
		}
		c.change(func() { c.take(p, at, line, err) })
	}
}

// turnAway tells a connection why it is not welcome, and remembers the last reason.
func (c *Controller) turnAway(conn net.Conn, err error) {
	c.change(func() {
		if !c.closed {
			c.turnedAway++
			c.refusal = err.Error()
		}
	})
	if line, bad := encode(Line{T: ErrT, Mono: Mono(), Kind: KindSetup, Text: err.Error()}); bad == nil {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = conn.Write(line)
	}
}

// receive finds the rank that a connection speaks for. Until the token is proved
// nothing that was said is repeated, nor changes anything; a rank that knows the token
// and does not fit is reported to whoever waits.
func (c *Controller) receive(conn net.Conn, reader *bufio.Reader, admit func()) (*peer, error) {
	challenge := door.Nonce()
	data, err := encode(Line{T: Challenge, Run: c.o.Run, Mono: Mono(), Nonce: challenge})
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(data); err != nil {
		return nil, fmt.Errorf("%s went away: %w", name(conn), err)
	}
	line, err := readGreeting(reader)
	at := c.now()
	switch {
	case err != nil || line.T != Hello || line.Hello == nil:
		return nil, fmt.Errorf("the first line from %s is no hello", name(conn))
	case line.V != ProtocolVersion:
		return nil, fmt.Errorf("%s speaks version %d of the worker protocol, want %d: start workers of this version of assay", name(conn), line.V, ProtocolVersion)
	case !door.IsNonce(line.Nonce) || !door.Proves(line.Proof, c.token, words(asWorker, c.o.Run, line.Rank, challenge, line.Nonce)...):
		return nil, fmt.Errorf("%s does not know the token: its %s is of another run or of none", name(conn), EnvToken)
	}
	admit()
	welcome, err := encode(Line{T: Welcome, Run: c.o.Run, Rank: line.Rank, Seq: 1, Mono: Mono(),
		Proof: door.Proof(c.token, words(asController, c.o.Run, line.Rank, challenge, line.Nonce)...)})
	if err != nil {
		return nil, err
	}
	var p *peer
	c.change(func() {
		if err = c.fits(line); err != nil {
			return
		}
		// Nothing may go out before the welcome, so it goes before anybody knows of the
		// rank. It cannot block: nothing else waits in a connection this young.
		if _, err = conn.Write(welcome); err == nil {
			p = c.seat(conn, line, at)
		}
	})
	return p, err
}

// fits says why a rank that has proved the token cannot belong to this world.
func (c *Controller) fits(line Line) (err error) {
	hello := line.Hello
	switch {
	case c.closed:
		return net.ErrClosed
	case line.Rank < 0 || line.Rank >= c.o.Ranks:
		err = fmt.Errorf("rank %d on %s greets a world of %d ranks", line.Rank, hello.Host, c.o.Ranks)
	case hello.World != 0 && hello.World != c.o.Ranks:
		err = fmt.Errorf("rank %d on %s believes in a world of %d ranks, want %d: see WORLD_SIZE", line.Rank, hello.Host, hello.World, c.o.Ranks)
	case c.peers[line.Rank].hello != nil:
		err = fmt.Errorf("two processes say that they are rank %d: on %s and on %s", line.Rank, c.peers[line.Rank].hello.Host, hello.Host)
	}
	c.misfit = errors.Join(c.misfit, err)
	return err
}

// seat gives a rank its place.
func (c *Controller) seat(conn net.Conn, line Line, at int64) *peer {
	p, hello := c.peers[line.Rank], line.Hello
	p.local = hello.BootID != "" && hello.BootID == bootID() && hello.TimeNS != "" && hello.TimeNS == timeNamespace()
	p.conn, p.hello, p.joined, p.life, p.moved, p.next = conn, hello, at, at, at, line.Seq+1
	p.sent = 2 // the challenge and the welcome
	return p
}

func name(conn net.Conn) string {
	if text := conn.RemoteAddr().String(); text != "" && text != "@" {
		return text
	}
	return "a local process"
}

// meet dials the controller until both know each other. A connection that is cut off
// before is tried again: the controller may have had too many others to look at.
func (c *Client) meet(env func(string) string, hello HelloLine) error {
	until := time.Now().Add(dialWithin)
	for {
		again, err := c.greet(env(EnvController), env(EnvToken), hello)
		if err == nil || !again || time.Now().After(until) {
			return err
		}
		time.Sleep(dialWithin / 100)
	}
}

// greet tries once. Again says that another attempt may succeed.
func (c *Client) greet(address, token string, hello HelloLine) (again bool, err error) {
	conn, err := dial(address)
	if err != nil {
		// A socket file is there before anybody knows of it; its queue may be full.
		return !strings.HasPrefix(address, unixPrefix) || errors.Is(err, syscall.EAGAIN), err
	}
	_ = conn.SetDeadline(time.Now().Add(greetWithin))
	reader := bufio.NewReaderSize(conn, maxGreeting)
	challenge, err := readGreeting(reader)
	if err == nil && (challenge.T != Challenge || challenge.V != ProtocolVersion || !door.IsNonce(challenge.Nonce)) {
		conn.Close()
		return false, fmt.Errorf("whoever listens there sends no challenge of version %d of the worker protocol", ProtocolVersion)
	}
	line := Line{T: Hello, Run: c.run, Rank: c.Rank, Mono: Mono(), Nonce: door.Nonce(), Hello: &hello}
	line.Proof = door.Proof(token, words(asWorker, c.run, c.Rank, challenge.Nonce, line.Nonce)...)
	var welcome Line
	if err == nil {
		welcome, err = exchange(conn, reader, line)
	}
	switch {
	case err != nil:
		conn.Close()
		return true, err
	case welcome.T == ErrT:
		conn.Close()
		return false, fmt.Errorf("it turned rank %d away: %s", c.Rank, welcome.Text)
	case welcome.T != Welcome || !door.Proves(welcome.Proof, token, words(asController, c.run, c.Rank, challenge.Nonce, line.Nonce)...):
		conn.Close()
		return false, fmt.Errorf("whoever listens there is not the controller: %w", door.ErrStranger)
	}
	c.conn, c.reader = conn, reader
	// The rank's file gets the hello without what only this conversation needs.
	line.Nonce, line.Proof = "", ""
	data, err := encode(line)
	c.lines = 1
	c.note(data, true)
	return false, errors.Join(err, conn.SetDeadline(time.Time{}))
}

func exchange(conn net.Conn, reader *bufio.Reader, line Line) (Line, error) {
	data, err := encode(line)
	if err != nil {
		return Line{}, err
	}
	if _, err := conn.Write(data); err != nil {
		return Line{}, err
	}
	return readGreeting(reader)
}

const unixPrefix = "unix:"

func dial(address string) (net.Conn, error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return net.Dial("unix", path)
	}
	return net.DialTimeout("tcp", address, dialWithin)
}

// complete fills in what hello leaves empty of host, process and clock.
func (hello HelloLine) complete() HelloLine {
	fill := func(to *string, value string) {
		if *to == "" {
			*to = value
		}
	}
	host, _ := os.Hostname()
	fill(&hello.Host, host)
	fill(&hello.BootID, bootID())
	fill(&hello.TimeNS, timeNamespace())
	if hello.Affinity == nil {
		hello.Affinity = affinity()
	}
	hello.PID, hello.WallNS = int64(os.Getpid()), time.Now().UnixNano()
	return hello
}
