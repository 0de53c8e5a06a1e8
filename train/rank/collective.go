package rank

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"assay/collective"
	"assay/plan"
	"assay/record"
	"assay/worker"
)

// checkAll is up to which size every answer is looked at. Of larger buffers it is the
// first two and the last: looking takes longer than the call.
const checkAll = 256 << 20

// flushEvery is how many records wait in memory. Writing them takes some
// milliseconds, in which the peers wait at the barrier.
const flushEvery = 1 << 14

// A call is an operation that is prepared to be carried out many times.
type call struct {
	ops       []collective.Op // one, or the parts of a buffer that is cut
	pattern   *collective.Pattern
	send      []byte
	recv      []byte
	bytes     int64 // as nccl-tests counts them
	algorithm string
}

func (r *rank) collective(point plan.Point) error {
	c := *point.Collective
	call, err := r.prepare(c)
	if err != nil {
		return setupError{fmt.Errorf("%s: %w", point.Name, err)}
	}
	call.pattern.Fill(call.send, call.recv) // touches every page
	runtime.GC()                            // of the buffers of the point before, not while this one is timed
	if err := r.client.Barrier("ready"); err != nil {
		if errors.Is(err, worker.ErrSkip) {
			return nil
		}
		return err
	}
	for i := range c.Warmup + c.Iterations {
		phase := record.Measure
		if i < c.Warmup {
			phase = record.Warmup
		}
		last := i == c.Warmup+c.Iterations-1
		checked := call.bytes > 0 && (call.bytes <= checkAll || i < 2 || last)
		if checked || c.InPlace {
			call.pattern.Fill(call.send, call.recv)
		}
		it := r.begin() // before the barrier: who does not come is the one behind
		if err := r.align(); err != nil {
			return err
		}
		began := worker.Mono()
		err := call.do(r.group)
		ended := worker.Mono()
		if err != nil {
			return err
		}
		var wrong int64
		if checked {
			wrong = call.pattern.Wrong(call.recv)
		}
		r.client.Coll(worker.CollLine{
			Point: point.Index, It: it, Phase: phase, Op: c.Op, Algorithm: call.algorithm, Bytes: call.bytes, DataType: c.DataType,
			N: r.group.Ranks(), InPlace: c.InPlace, T0: began, T1: ended, Wrong: wrong, Checked: checked, Chunks: c.Chunks, Clock: "host",
		})
		if i%flushEvery == flushEvery-1 {
			r.client.Flush()
		}
	}
	return nil
}

func (c *call) do(g *collective.Group) error {
	for i := range c.ops {
		if err := g.Do(c.ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the buffers of a point.
func (r *rank) prepare(c plan.Collective) (*call, error) {
	kind, rank, ranks := c.Op, r.group.Rank(), r.group.Ranks()
	t, err := collective.TypeOf(c.DataType)
	if err != nil {
		return nil, err
	}
	count := collective.Count(kind, ranks, t, c.Bytes)
	block := count * t.Bytes()
	made := &call{pattern: collective.NewPattern(kind, t, rank, ranks, count), bytes: collective.Size(kind, ranks, block)}
	sendBytes, recvBytes := collective.Lengths(kind, rank, ranks, block)
	if c.InPlace {
		made.send, made.recv = collective.InPlace(kind, rank, make([]byte, made.bytes), block)
	} else {
		made.send, made.recv = make([]byte, sendBytes), make([]byte, recvBytes)
	}
	parts := max(1, c.Chunks)
	if parts > 1 && !slices.Contains(cuttable, kind) {
		return nil, fmt.Errorf("%s cannot be cut into chunks, only %v", kind, cuttable)
	}
	part := func(b []byte, i int) []byte {
		if parts == 1 || len(b) == 0 {
			return b
		}
		return b[count*i/parts*t.Bytes() : count*(i+1)/parts*t.Bytes()]
	}
	made.algorithm = r.group.Choose(kind, c.Algorithm, made.bytes/int64(parts))
	for i := range parts {
		made.ops = append(made.ops, collective.Op{Kind: kind, Algorithm: made.algorithm, Type: t, Send: part(made.send, i), Recv: part(made.recv, i)})
	}
	return made, nil
}

// cuttable are the operations that a part of the buffer can go through alone.
var cuttable = []string{collective.AllReduce, collective.Broadcast, collective.Reduce, collective.PointToPoint}
