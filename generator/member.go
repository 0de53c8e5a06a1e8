package generator

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"assay/record"
)

// A Member is a generator's side of the line to its leader.
type Member struct {
	line   *line
	orders chan Order
	gone   chan struct{} // closed when the leader is
	why    error         // of gone

	sending sync.Mutex // held from taking rows to having sent them

	mu    sync.Mutex
	rows  Rows
	bytes int           // about what rows hold
	free  *sync.Cond    // rows were sent
	fault error         // the first failure to send
	stop  chan struct{} // closed by Close
	work  sync.WaitGroup
}

// joinWithin is how long a generator tries to reach its leader, which listens before it
// starts any and may have a thousand others to greet.
const joinWithin = 2 * time.Minute

// Join reaches the leader and says who has come. The leader is who the credentials say,
// or Join fails.
func Join(ctx context.Context, c Credentials, hello Hello) (*Member, error) {
	config, err := c.joining()
	if err != nil {
		return nil, err
	}
	limit, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	dialer := tls.Dialer{NetDialer: &net.Dialer{}, Config: config}
	conn, err := dialer.DialContext(limit, "tcp", c.Address)
	if err != nil {
		return nil, fmt.Errorf("load generator %d: reach the leader at %s: %w", c.Number, c.Address, err)
	}
	m := &Member{line: newLine(conn, mostToGenerator), orders: make(chan Order), gone: make(chan struct{}), stop: make(chan struct{})}
	m.free = sync.NewCond(&m.mu)
	hello.Version = Version
	if err := m.line.sendJSON(frameHello, hello); err != nil {
		conn.Close()
		return nil, fmt.Errorf("load generator %d: greet the leader: %w", c.Number, err)
	}
	m.work.Go(m.listen)
	m.work.Go(m.flush)
	return m, nil
}

// Orders are what the leader wants, one after the other. It is closed when the leader is
// gone; Err says why.
func (m *Member) Orders() <-chan Order { return m.orders }

// Err is why the leader is gone.
func (m *Member) Err() error {
	<-m.gone
	return m.why
}

// Close ends the line.
func (m *Member) Close() error {
	close(m.stop)
	err := m.line.conn.Close()
	m.work.Wait()
	return err
}

// listen answers pings at once and passes orders on. It ends with the connection.
func (m *Member) listen() {
	defer close(m.gone)
	defer close(m.orders)
	for {
		k, body, at, err := m.line.receive()
		if err == nil {
			err = m.take(k, body, at)
		}
		if err != nil {
			m.why = fmt.Errorf("the leader is gone: %w", err)
			return
		}
	}
}

func (m *Member) take(k kind, body []byte, at int64) error {
	switch k {
	case framePing:
		asked, err := unstamp(body, 1)
		if err != nil {
			return err
		}
		m.line.mu.Lock() // what waits for the line must not pass for time on the way
		defer m.line.mu.Unlock()
		return m.line.write(framePong, stamps(asked[0], at, record.Mono()))
	case frameOrder:
		var order Order
		if err := json.Unmarshal(body, &order); err != nil {
			return fmt.Errorf("an order that cannot be read: %w", err)
		}
		select {
		case m.orders <- order:
			return nil
		case <-m.stop:
			return net.ErrClosed
		}
	}
	return fmt.Errorf("a frame of kind %d, which no leader sends", k)
}

// Report tells the leader how far the generator has got. Rows that were appended before
// it arrive before it.
func (m *Member) Report(r Report) error {
	if r.Stage != Counted {
		if err := m.send(); err != nil {
			return err
		}
	}
	return m.line.sendJSON(frameReport, r)
}

const (
	// flushEvery is how old rows get before they are sent: live views are drawn from
	// them, and a killed generator takes no more of its rows along.
	flushEvery = 100 * time.Millisecond

	// aliveEvery is how often a generator says that it is there, whatever it does.
	aliveEvery = time.Second

	// flushBytes is when they are sent in any case.
	flushBytes = 1 << 20

	// mostHeld is when whoever appends waits: the leader or the way to it is too slow.
	mostHeld = 8 << 20
)

// flush sends rows as they get old. It ends with Close, or when the line fails.
func (m *Member) flush() {
	tick, alive := time.NewTicker(flushEvery), time.NewTicker(aliveEvery)
	defer tick.Stop()
	defer alive.Stop()
	for {
		select {
		case <-tick.C:
			if m.send() != nil {
				return
			}
		case <-alive.C:
			if m.line.sendJSON(frameReport, Report{Stage: Alive}) != nil {
				return // whoever sends rows says so
			}
		case <-m.stop:
			m.fail(net.ErrClosed)
			return
		}
	}
}

// send sends the rows that there are. One that returns has sent those of whoever sent
// just before it too, so that nothing overtakes them.
func (m *Member) send() error {
	m.sending.Lock()
	defer m.sending.Unlock()
	m.mu.Lock()
	rows, fault := m.rows, m.fault
	m.rows, m.bytes = Rows{}, 0
	m.free.Broadcast()
	m.mu.Unlock()
	if fault != nil || len(rows.Requests)+len(rows.Chunks)+len(rows.Sessions)+len(rows.Events) == 0 {
		return fault
	}
	if err := m.line.send(frameRows, rows.encode()); err != nil {
		return m.fail(fmt.Errorf("send rows to the leader: %w", err))
	}
	return nil
}

// fail keeps the first failure and lets nobody wait any more.
func (m *Member) fail(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = errors.Join(m.fault, err)
	m.free.Broadcast()
	return err
}

// Request appends a request and its chunks, which stay together.
func (m *Member) Request(r record.Request, chunks []record.Chunk) error {
	const perRequest, perChunk = 400, 48
	return m.append(perRequest+len(r.Text)+len(r.Logprobs)+perChunk*len(chunks), func() {
		m.rows.Requests = append(m.rows.Requests, r)
		m.rows.Chunks = append(m.rows.Chunks, chunks...)
	})
}

// Step appends a step of a session.
func (m *Member) Step(row record.SessionStep) error {
	const perStep = 250
	return m.append(perStep, func() { m.rows.Sessions = append(m.rows.Sessions, row) })
}

// Event appends an event.
func (m *Member) Event(row record.Event) error {
	return m.append(len(row.Detail)+len(row.Name), func() { m.rows.Events = append(m.rows.Events, row) })
}

func (m *Member) append(bytes int, add func()) error {
	m.mu.Lock()
	for m.bytes > mostHeld && m.fault == nil {
		m.free.Wait()
	}
	if m.fault != nil {
		defer m.mu.Unlock()
		return m.fault
	}
	add()
	m.bytes += bytes
	full := m.bytes >= flushBytes
	m.mu.Unlock()
	if full {
		return m.send()
	}
	return nil
}
