// Package door is how assay's listeners treat whoever knocks: nobody is believed
// before both sides have shown that they know a secret, nobody who has yet to show
// it keeps others out, and the secret itself never travels.
//
// It knows connections, time limits and proofs. It does not know what is said once
// the door is open (packages worker, launch, collective, probe and target), nor where
// secrets come from. docs/design/0035-nobody-on-the-wire-is-believed.md says why it is
// built this way.
package door

import (
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Options are how a door is kept. The zero value is ready to use.
type Options struct {
	// Waiting is how many may be about to show who they are. Zero means 64: far more
	// than ranks that knock in the same moment, and little memory.
	Waiting int

	// Patience is how long each of them has. Zero means 10 s.
	Patience time.Duration
}

func (o Options) withDefaults() Options {
	if o.Waiting == 0 {
		o.Waiting = 64
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	return o
}

// Serve accepts connections until the listener fails or is closed, and returns its
// error when every call of meet has returned.
//
// Meet gets each connection in a goroutine of its own, with a deadline, and calls
// admit as soon as the other side has shown who it is: then the deadline is gone and
// the connection is meet's alone. When more wait than may, the one that has waited
// longest is cut off: whoever knows the secret shows it within a round trip, and those
// who say nothing must not keep it out.
func Serve(l net.Listener, o Options, meet func(conn net.Conn, admit func())) error {
	o = o.withDefaults()
	room := &room{most: o.Waiting}
	var meeting sync.WaitGroup
	defer meeting.Wait()
	defer room.clear()
	for {
		conn, err := l.Accept()
		if passing(err) {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		_ = conn.SetDeadline(time.Now().Add(o.Patience))
		room.enter(conn)
		meeting.Go(func() {
			defer room.leave(conn)
			meet(conn, func() {
				if room.leave(conn) {
					_ = conn.SetDeadline(time.Time{})
				}
			})
		})
	}
}

// passing says that accepting may work again: others will close their files.
func passing(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED)
}

// A room holds the connections that have yet to show who they are.
type room struct {
	most int

	mu      sync.Mutex
	waiting []net.Conn // the longest first
}

func (r *room) enter(conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == r.most {
		r.waiting[0].Close()
		r.waiting = slices.Delete(r.waiting, 0, 1)
	}
	r.waiting = append(r.waiting, conn)
}

// leave says whether the connection still waited.
func (r *room) leave(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.waiting, conn)
	if i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
	}
	return i >= 0
}

func (r *room) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.waiting {
		conn.Close()
	}
	r.waiting = nil
}
