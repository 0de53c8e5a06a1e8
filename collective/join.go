package collective

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// A Group is a rank's connections to all others. One goroutine uses it at a time.
type Group struct {
	rank  int
	links []*link // by rank; that of the rank itself is nil

	scratch []byte // what was received and is to be added
	partial []byte // sums that are passed on
	slots   []byte // what every rank sent, of one piece
	marks   []int  // when a chunk has left

	mu   sync.Mutex
	err  error
	done sync.WaitGroup // the senders
}

// Rank is this process's place among its peers.
func (g *Group) Rank() int { return g.rank }

// Ranks is how many take part.
func (g *Group) Ranks() int { return len(g.links) }

// Join connects rank with all others: it dials those below itself and is dialled by
// those above, so peers[rank] must be where listener is reached. An operation in
// which nothing moves for timeout fails. The listener stays the caller's.
func Join(ctx context.Context, rank int, listener net.Listener, peers []string, timeout time.Duration) (*Group, error) {
	if rank < 0 || rank >= len(peers) {
		return nil, fmt.Errorf("got rank %d of %d peers", rank, len(peers))
	}
	if timeout <= 0 {
		return nil, fmt.Errorf("got a timeout of %v, want some time", timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conns := make([]*net.TCPConn, len(peers))
	greet := greeting{Ranks: uint32(len(peers)), Rank: uint32(rank), World: worldOf(peers)}

	var accepted, dialled error
	var both sync.WaitGroup
	both.Go(func() {
		if accepted = acceptAll(ctx, listener, greet, conns[rank+1:]); accepted != nil {
			cancel()
		}
	})
	both.Go(func() {
		if dialled = dialAll(ctx, listener, greet, peers[:rank], conns); dialled != nil {
			cancel()
		}
	})
	both.Wait()
	if err := firstOf(dialled, accepted); err != nil {
		for _, conn := range conns {
			if conn != nil {
				conn.Close()
			}
		}
		return nil, err
	}
	g := &Group{rank: rank, links: make([]*link, len(peers)), scratch: make([]byte, addPiece), marks: make([]int, len(peers))}
	for peer, conn := range conns {
		if conn != nil {
			l := newLink(peer, peers[peer], conn, timeout)
			g.links[peer] = l
			g.done.Go(func() { l.serve(g.fail) })
		}
	}
	return g, nil
}

// firstOf prefers the error that is not the other's consequence.
func firstOf(a, b error) error {
	if a != nil && (b == nil || !errors.Is(a, context.Canceled)) {
		return a
	}
	return b
}

// A greeting is what a rank that dials says first, and what it is answered.
type greeting struct {
	Magic uint32
	Ranks uint32
	Rank  uint32
	World uint64 // of the addresses of all: ranks of another world are sent away
}

const magic = 0xa55a_c011

func worldOf(peers []string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, strings.Join(peers, " "))
	return h.Sum64()
}

func (m greeting) write(c net.Conn) error {
	m.Magic = magic
	return binary.Write(c, binary.LittleEndian, m)
}

// read takes the other side's greeting, which must be of the same world.
func (m greeting) read(c net.Conn) (rank int, err error) {
	var other greeting
	if err := binary.Read(c, binary.LittleEndian, &other); err != nil {
		return 0, err
	}
	if other.Magic != magic || other.Ranks != m.Ranks || other.World != m.World {
		return 0, errors.New("it is no rank of this world")
	}
	return int(other.Rank), nil
}

// dialAll connects to the ranks below this one. They listen before anybody is told
// of them, but a packet that is lost or a host that is slow gets time.
func dialAll(ctx context.Context, listener net.Listener, greet greeting, peers []string, conns []*net.TCPConn) error {
	dialer := net.Dialer{}
	// Traffic leaves from the address that peers know, so that it takes the interface
	// that was asked for.
	if own, ok := listener.Addr().(*net.TCPAddr); ok && !own.IP.IsUnspecified() {
		dialer.LocalAddr = &net.TCPAddr{IP: own.IP, Zone: own.Zone}
	}
	for rank, addr := range peers {
		for {
			conn, err := dialOne(ctx, &dialer, greet, rank, addr)
			if err == nil {
				conns[rank] = conn
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("rank %d at %s cannot be reached: %w", rank, addr, err)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

func dialOne(ctx context.Context, dialer *net.Dialer, greet greeting, rank int, addr string) (*net.TCPConn, error) {
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	err = greet.write(conn)
	if err == nil {
		var other int
		if other, err = greet.read(conn); err == nil && other != rank {
			err = fmt.Errorf("rank %d answers there", other)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// acceptAll takes the connections of the ranks above this one, in any order, and
// sends strangers away.
func acceptAll(ctx context.Context, listener net.Listener, greet greeting, conns []*net.TCPConn) error {
	timed, ok := listener.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return fmt.Errorf("got a listener of type %T, want one of TCP", listener)
	}
	stop := context.AfterFunc(ctx, func() { timed.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		stop()
		timed.SetDeadline(time.Time{})
	}()
	for missing := len(conns); missing > 0; {
		conn, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("%s did not connect to this rank: %w", namesOf(conns, greet.Rank+1), firstOf(ctx.Err(), err))
		}
		conn.SetDeadline(time.Now().Add(2 * time.Second)) // a stranger that says nothing must not keep the others out
		rank, err := greet.read(conn)
		above := rank - int(greet.Rank) - 1
		if err != nil || above < 0 || above >= len(conns) || conns[above] != nil || greet.write(conn) != nil {
			conn.Close()
			continue
		}
		conn.SetDeadline(time.Time{})
		conns[above] = conn.(*net.TCPConn)
		missing--
	}
	return nil
}

func namesOf(conns []*net.TCPConn, first uint32) string {
	var names []string
	for i, conn := range conns {
		if conn == nil {
			names = append(names, fmt.Sprint(int(first)+i))
		}
	}
	return "rank " + strings.Join(names, ", ")
}

// fail ends the group: every operation, under way or later, returns the first error,
// and peers see their connections close.
func (g *Group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return
	}
	g.err = err
	for _, l := range g.links {
		if l != nil {
			l.close()
		}
	}
}

func (g *Group) failed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// Close disconnects. An operation under way, which another goroutine waits for,
// returns an error.
func (g *Group) Close() error {
	g.fail(errors.New("the group was closed"))
	g.done.Wait()
	return nil
}

// flush returns when all that was sent is with the kernel.
func (g *Group) flush() error {
	for _, l := range g.links {
		if l != nil {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// peer is the link to a rank counted round the ring.
func (g *Group) peer(rank int) *link {
	n := len(g.links)
	return g.links[((rank%n)+n)%n]
}

// room is a buffer of n bytes that is kept from call to call.
func room(keep *[]byte, n int) []byte {
	if cap(*keep) < n {
		*keep = make([]byte, n)
	}
	return (*keep)[:n]
}
