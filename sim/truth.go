package sim

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
)

// A rowKind says what an event of the truth log carried.
type rowKind uint8

const (
	rowContent rowKind = iota
	rowRole
	rowBlank
	rowUsage
	rowFinish
	rowError
	rowBad
	rowDone
	rowBody
)

var rowNames = [...]string{
	rowContent: "token", rowRole: "role", rowBlank: "blank", rowUsage: "usage", rowFinish: "finish",
	rowError: "error", rowBad: "bad", rowDone: "done", rowBody: "body",
}

// A row is one event as it was due and as it was sent.
type row struct {
	due, sent int64
	tokens    int32
	choice    int32
	kind      rowKind
}

// A truthLog writes the rows of ended streams from a goroutine of its own, so
// that no formatting and no disk stands between two tokens.
type truthLog struct {
	out  *bufio.Writer
	wake chan struct{}
	done chan struct{}

	mu     sync.Mutex
	queue  []*stream
	closed bool
	err    error
}

// truthHeader names the columns; docs/guides/simulator.md explains them.
const truthHeader = "request,client_id,arrival_ns,event,choice,kind,tokens,due_ns,sent_ns\n"

// newTruthLog returns nil for a nil writer; a nil log does nothing.
func newTruthLog(w io.Writer) *truthLog {
	if w == nil {
		return nil
	}
	t := &truthLog{out: bufio.NewWriterSize(w, 1<<16), wake: make(chan struct{}, 1), done: make(chan struct{})}
	_, _ = t.out.WriteString(truthHeader) // an error stays in the writer until Flush
	go t.run()                            // ends in close
	return t
}

// add queues a stream that has ended.
func (t *truthLog) add(s *stream) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.queue = append(t.queue, s)
	t.mu.Unlock()
	t.ring()
}

func (t *truthLog) ring() {
	select {
	case t.wake <- struct{}{}:
	default: // already rung
	}
}

func (t *truthLog) run() {
	defer close(t.done)
	var line []byte
	for range t.wake {
		t.mu.Lock()
		batch, closed := t.queue, t.closed
		t.queue = nil
		t.mu.Unlock()
		for _, s := range batch {
			line = s.appendTruth(line[:0])
			_, _ = t.out.Write(line)
		}
		if closed {
			t.err = t.out.Flush()
			return
		}
	}
}

// close writes everything out.
func (t *truthLog) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.ring()
	<-t.done
	if t.err != nil {
		return errors.Join(errors.New("sim: the truth log is incomplete"), t.err)
	}
	return nil
}

// appendTruth appends the stream's rows as CSV. Rows that were never sent, since
// the stream was cut, are left out.
func (s *stream) appendTruth(dst []byte) []byte {
	client := csvField(s.clientID)
	for i, r := range s.rows[:s.wire.stamped] {
		dst = append(dst, s.id...)
		dst = append(dst, ',')
		dst = append(dst, client...)
		for _, n := range [...]int64{s.arrival, int64(i), int64(r.choice)} {
			dst = append(dst, ',')
			dst = strconv.AppendInt(dst, n, 10)
		}
		dst = append(dst, ',')
		dst = append(dst, rowNames[r.kind]...)
		for _, n := range [...]int64{int64(r.tokens), r.due, r.sent} {
			dst = append(dst, ',')
			dst = strconv.AppendInt(dst, n, 10)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// csvField quotes text where CSV needs it.
func csvField(text string) string {
	if !strings.ContainsAny(text, ",\"\r\n") {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
