package worker

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"assay/record"
)

// A peer is what the controller knows of one rank. Times are those of the launch's
// clock; 0 means never.
type peer struct {
	rank    int
	pid     int // as the launcher reported it; 0 means on another host
	started int64
	exit    *exit

	conn   net.Conn
	hello  *HelloLine
	local  bool // on this host, with the controller's clock
	joined int64
	sent   int64 // lines to it
	life   int64 // the last line from it, of any type
	moved  int64 // the last line that reported progress
	probed int64 // when it was asked whether it lives, in the silence under way

	next    int64 // number of the next line
	lost    int64 // lines that the numbers lack
	garbage int64 // lines that could not be read
	why     string

	phase   string
	step    int64
	seq     *int64 // the last collective begun
	barrier string // the phase at which it waits
	ready   int64  // when it first had joined its peers
	ended   bool   // with the point under way
	bye     *Line
	differs bool  // its file, from what its last line said
	said    *Line // its error
	saidAt  int64

	closed   bool // its connection
	closedAt int64
	broken   error // why, where it was no plain end

	pong  *record.Ping
	pings []record.Ping
}

type exit struct {
	at     int64
	code   int
	signal string
	asked  bool
}

// lose notes the end of a rank's connection.
func (p *peer) lose(at int64, err error) {
	p.closed, p.closedAt = true, at
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		p.broken = err
	}
}

// state is what the kernel says of the rank's process, or of the one that the
// launcher started for it.
func (p *peer) state() state {
	own := stateOf(p.pid)
	if own == unknown || own == stopped || p.hello == nil || !p.local {
		return own
	}
	if s := stateOf(int(p.hello.PID)); s == stopped {
		return s
	}
	return own
}

// send writes one line to the rank.
func (c *Controller) send(p *peer, line Line) error {
	line.Rank, line.Run, line.Seq, line.Mono = p.rank, c.o.Run, p.sent, Mono()
	data, err := encode(line)
	if err != nil {
		return err
	}
	return p.write(data, c.o.Hang)
}

func (p *peer) write(data []byte, within time.Duration) error {
	p.sent++
	_ = p.conn.SetWriteDeadline(time.Now().Add(within))
	if _, err := p.conn.Write(data); err != nil {
		// The reader of this connection, or silence, tells why in better words.
		return fmt.Errorf("write to rank %d: %w", p.rank, err)
	}
	return nil
}

// take notes one line from a rank.
func (c *Controller) take(p *peer, at int64, line Line, err error) {
	p.life, p.probed = at, 0
	if err != nil {
		p.garbage++
		if p.why == "" {
			p.why = err.Error()
		}
		return
	}
	if gap := line.Seq - p.next; gap > 0 {
		p.lost += gap
	}
	p.next = max(p.next, line.Seq+1)
	switch line.T {
	case PongT:
		p.pong = &record.Ping{Rank: int32(p.rank), T1: line.T1, T2: line.T2, T3: line.T3, T4: at}
		return
	case Beat:
		if line.Phase != p.phase || line.At != p.step || above(line.Coll0, p.seq) {
			p.moved = at
		}
		p.phase, p.step = line.Phase, line.At
		p.began(line.Coll0)
		return
	case Barrier:
		p.barrier, p.phase = line.Phase, line.Phase
		if p.ready == 0 {
			p.ready = at
		}
	case ErrT:
		if p.said == nil {
			p.said, p.saidAt = &line, at
		}
		p.began(line.Coll0)
	case End:
		if line.Phase == endBye {
			p.bye = &line
		} else {
			p.ended = true
		}
	case CollT:
		if line.Coll != nil {
			p.began(&line.Coll.It)
		}
		c.inbox = append(c.inbox, arrival{p, line})
	case StepT, BucketT, MemT, TrialT, CheckT, SysT, FileT, NoteT:
		c.inbox = append(c.inbox, arrival{p, line})
	}
	p.moved = at
}

// The phases of end.
const (
	endPoint = "point"
	endBye   = "bye"
)

func (p *peer) began(seq *int64) {
	if above(seq, p.seq) {
		p.seq = seq
	}
}

// above orders numbers of collectives; none is below all.
func above(a, b *int64) bool { return a != nil && (b == nil || *a > *b) }
