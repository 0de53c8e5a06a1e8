package generator

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"assay/record"
)

// A frame is four bytes of length, one byte of kind, and a body. TLS below it sees to it
// that no byte is altered, dropped or said again.

// A kind says what the body of a frame is.
type kind byte

const (
	frameHello  kind = iota + 1 // Hello
	frameOrder                  // Order
	frameReport                 // Report
	frameRows                   // Rows
	framePing                   // t1
	framePong                   // t1, t2, t3
)

// The longest frames: a plan of the largest search has a megabyte, and rows are sent
// before they are a quarter of this.
const (
	mostToGenerator = 64 << 20
	mostToLeader    = 16 << 20
)

// writeWithin is how long the other side may leave a frame unread.
const writeWithin = 60 * time.Second

// A line carries frames between two sides that know each other.
type line struct {
	conn net.Conn
	in   *bufio.Reader
	most uint32 // bytes of a frame that is read

	mu  sync.Mutex // held to write a frame
	out *bufio.Writer

	received, sent atomic.Int64 // bytes of frames
}

func newLine(conn net.Conn, most uint32) *line {
	return &line{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), out: bufio.NewWriterSize(conn, 64<<10), most: most}
}

const headBytes = 5

// send writes one frame.
func (l *line) send(k kind, body []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(k, body)
}

func (l *line) write(k kind, body []byte) error {
	var head [headBytes]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(body)+1))
	head[4] = byte(k)
	_ = l.conn.SetWriteDeadline(time.Now().Add(writeWithin))
	l.sent.Add(int64(headBytes + len(body)))
	if _, err := l.out.Write(head[:]); err != nil {
		return err
	}
	if _, err := l.out.Write(body); err != nil {
		return err
	}
	return l.out.Flush()
}

// sendJSON writes one frame that holds v.
func (l *line) sendJSON(k kind, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.send(k, body)
}

// receive reads one frame, and when it was there. The body is the caller's.
func (l *line) receive() (k kind, body []byte, at int64, err error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return 0, nil, 0, err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length < 1 || length > l.most {
		return 0, nil, 0, fmt.Errorf("a frame of %d bytes, want 1 to %d", length, l.most)
	}
	body, err = readBody(l.in, int(length-1))
	l.received.Add(int64(headBytes + len(body)))
	return kind(head[4]), body, record.Mono(), err
}

// readBody takes memory as bytes arrive, not as a length promises them.
func readBody(r io.Reader, length int) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, 0, min(length, step))
	for len(body) < length {
		from := len(body)
		body = append(body, make([]byte, min(step, length-from))...)
		if _, err := io.ReadFull(r, body[from:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// stamps packs stamps as the body of a ping or a pong.
func stamps(list ...int64) []byte {
	var body []byte
	for _, s := range list {
		body = binary.BigEndian.AppendUint64(body, uint64(s))
	}
	return body
}

// unstamp unpacks so many stamps.
func unstamp(body []byte, n int) ([]int64, error) {
	if len(body) != 8*n {
		return nil, fmt.Errorf("%d bytes of stamps, want %d", len(body), 8*n)
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(binary.BigEndian.Uint64(body[8*i:]))
	}
	return list, nil
}
