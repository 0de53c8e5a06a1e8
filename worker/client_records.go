package worker

import (
	"encoding/hex"
	"errors"
	"time"

	"assay/record"
)

// Began notes the number of the collective that begins, for the signs of life.
func (c *Client) Began(seq int64) { c.seq.Store(seq) }

// Coll keeps a record of a collective until Flush.
func (c *Client) Coll(line CollLine) {
	if len(c.colls) >= maxBuffer {
		c.drop()
		return
	}
	c.colls = append(c.colls, line)
}

// Trial keeps a replicate of a probe until Flush.
func (c *Client) Trial(t record.Trial) {
	if len(c.rest) >= maxBuffer {
		c.drop()
		return
	}
	c.rest = append(c.rest, Line{T: TrialT, Trial: &TrialLine{
		Point: int(t.Point), Phase: t.Phase, Probe: t.Probe, Variant: t.Variant, It: t.Seq, T0: t.Start, T1: t.End, Loops: t.Loops,
		Bytes: t.Bytes, FLOP: t.FLOP, Operations: t.Operations, Threads: int(t.Threads), Size: t.Size, Scope: t.Scope, Clock: t.Clock, Wrong: t.Wrong,
	}})
}

// Note keeps what a person should know until Flush.
func (c *Client) Note(text string) { c.rest = append(c.rest, Line{T: NoteT, Text: text}) }

func (c *Client) drop() {
	c.mu.Lock()
	c.dropped++
	c.mu.Unlock()
}

// Flush writes all records. It is not called while anything is timed.
func (c *Client) Flush() {
	send := func(line Line) {
		c.mu.Lock() // for one line at a time: a ping may want to be answered
		c.put(line, false)
		c.mu.Unlock()
	}
	for i := range c.colls {
		send(Line{T: CollT, Coll: &c.colls[i]})
	}
	for _, line := range c.rest {
		send(line)
	}
	c.mu.Lock()
	if c.file != nil {
		_ = c.copy.Flush()
	}
	c.mu.Unlock()
	clear(c.rest)
	c.colls, c.rest = c.colls[:0], c.rest[:0]
}

// EndPoint flushes and tells that the point is measured.
func (c *Client) EndPoint() {
	c.Flush()
	c.mu.Lock()
	c.phase = "idle"
	c.put(Line{T: End, Phase: endPoint}, true)
	c.mu.Unlock()
}

// Fail tells why the rank cannot go on and ends the conversation. The process then
// ends with code 1.
func (c *Client) Fail(kind string, err error) {
	c.Flush()
	c.mu.Lock()
	c.put(Line{T: ErrT, Kind: kind, Text: err.Error(), Coll0: c.begun()}, true)
	c.mu.Unlock()
	_ = c.hangUp()
}

// Bye sends the last line, waits until it is on its way and ends the conversation.
func (c *Client) Bye() error {
	c.Flush()
	c.mu.Lock()
	c.put(Line{T: End, Phase: endBye, SHA256: hex.EncodeToString(c.sum.Sum(nil))}, true)
	c.mu.Unlock()
	return c.hangUp()
}

// lastWords is how long a client that ends waits for the controller to take what is
// queued.
const lastWords = 5 * time.Second

// hangUp sends what is queued and waits for the goroutines of the client.
func (c *Client) hangUp() error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(lastWords))
	close(c.stop)
	<-c.sent
	err := c.conn.Close()
	c.crew.Wait()
	return errors.Join(err, c.closeFile())
}

func (c *Client) closeFile() error {
	if c.file == nil {
		return nil
	}
	return errors.Join(c.copy.Flush(), c.file.Close())
}
