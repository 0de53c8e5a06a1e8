package collective

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay/door"
)

// A member is a rank that is about to meet the others of its world.
type member struct {
	rank   int
	peers  []string // the addresses of all
	secret string
}

// wire names what is spoken; it is part of every proof.
const wire = "assay-collective/2"

// A greeting is what a rank that dials says first; the one that accepts it says its
// own when the other has proved that it belongs here.
type greeting struct {
	Magic uint32
	Ranks uint32
	Rank  uint32
}

const magic = 0xa55a_c012

func (m member) say(to io.Writer) error {
	return binary.Write(to, binary.LittleEndian, greeting{magic, uint32(len(m.peers)), uint32(m.rank)})
}

var errOtherWorld = errors.New("it is no rank of this world")

// hear is the rank that greets, which nobody has to believe yet.
func (m member) hear(from io.Reader) (rank int, err error) {
	var other greeting
	if err := binary.Read(from, binary.LittleEndian, &other); err != nil {
		return 0, err
	}
	if other.Magic != magic || int(other.Ranks) != len(m.peers) || int(other.Rank) >= len(m.peers) {
		return 0, errOtherWorld
	}
	return int(other.Rank), nil
}

// words are what both sides of a connection must mean the same by: the addresses of
// all, so that ranks of another world with the same secret are no ranks of this one,
// and which two ranks these are.
func (m member) words(dialling, accepting int) []string {
	return []string{wire, strings.Join(m.peers, " "), strconv.Itoa(dialling), strconv.Itoa(accepting)}
}

// dialAll connects to the ranks below this one. They listen before anybody is told
// of them, but a packet that is lost or a host that is slow gets time.
func (m member) dialAll(ctx context.Context, listener net.Listener, conns []*net.TCPConn) error {
	dialer := net.Dialer{}
	// Traffic leaves from the address that peers know, so that it takes the interface
	// that was asked for.
	if own, ok := listener.Addr().(*net.TCPAddr); ok && !own.IP.IsUnspecified() {
		dialer.LocalAddr = &net.TCPAddr{IP: own.IP, Zone: own.Zone}
	}
	for rank, addr := range m.peers[:m.rank] {
		for {
			conn, err := m.dial(ctx, &dialer, rank, addr)
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

func (m member) dial(ctx context.Context, dialer *net.Dialer, rank int, addr string) (*net.TCPConn, error) {
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(greetWithin))
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err = m.meet(conn, rank)
	if !stop() {
		err = firstOf(err, context.Cause(ctx))
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn.(*net.TCPConn), conn.SetDeadline(time.Time{})
}

// meet is the side that dialled.
func (m member) meet(conn net.Conn, rank int) error {
	if err := m.say(conn); err != nil {
		return err
	}
	if err := door.Greet(conn, m.secret, m.words(m.rank, rank)...); err != nil {
		return err
	}
	other, err := m.hear(conn)
	if err == nil && other != rank {
		err = fmt.Errorf("rank %d answers there", other)
	}
	return err
}

// receive is the side that was dialled. The one who dialled waits for this side's
// greeting still.
func (m member) receive(conn net.Conn) (rank int, err error) {
	if rank, err = m.hear(conn); err != nil {
		return 0, err
	}
	if rank <= m.rank {
		return 0, fmt.Errorf("rank %d is dialled by this one", rank)
	}
	return rank, door.Receive(conn, m.secret, m.words(rank, m.rank)...)
}

// greetWithin is how long two ranks take at most to know each other; the one that
// dials tries again.
const greetWithin = 10 * time.Second

// A guest is a rank that has proved that it is one.
type guest struct {
	rank int
	conn *net.TCPConn
}

// acceptAll takes the connections of the ranks above this one, in any order, and
// sends strangers away.
func (m member) acceptAll(ctx context.Context, listener net.Listener, conns []*net.TCPConn) error {
	timed, ok := listener.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return fmt.Errorf("got a listener of type %T, want one of TCP", listener)
	}
	if len(conns) == 0 {
		return nil
	}
	ctx, done := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { timed.SetDeadline(time.Unix(1, 0)) })
	guests, shut := make(chan guest), make(chan error, 1) // the one error of the one door
	var doorman sync.WaitGroup
	defer func() {
		done()
		doorman.Wait()
		stop()
		timed.SetDeadline(time.Time{})
	}()
	doorman.Go(func() {
		shut <- door.Serve(listener, door.Options{Patience: greetWithin}, func(conn net.Conn, admit func()) {
			rank, err := m.receive(conn)
			if err != nil {
				conn.Close()
				return
			}
			admit()
			select {
			case guests <- guest{rank, conn.(*net.TCPConn)}:
			case <-ctx.Done():
				conn.Close()
			}
		})
	})
	for missing := len(conns); missing > 0; {
		select {
		case g := <-guests:
			place := &conns[g.rank-m.rank-1]
			if *place != nil || m.say(g.conn) != nil {
				g.conn.Close() // it came twice, or went away
				continue
			}
			*place = g.conn
			missing--
		case err := <-shut:
			return fmt.Errorf("%s did not connect to this rank: %w", namesOf(conns, m.rank+1), firstOf(ctx.Err(), err))
		}
	}
	return nil
}

func namesOf(conns []*net.TCPConn, first int) string {
	var names []string
	for i, conn := range conns {
		if conn == nil {
			names = append(names, strconv.Itoa(first+i))
		}
	}
	return "rank " + strings.Join(names, ", ")
}
