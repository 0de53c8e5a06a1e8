package rank

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"

	"assay/collective"
	"assay/plan"
	"assay/record"
	"assay/worker"
)

// The operations between two ranks, as the table of collectives names them. The time
// of the first is a whole round trip, that of the second ends with the receiver's
// word that all has come.
const (
	opLatency   = "pair_latency"
	opBandwidth = "pair_bandwidth"
)

const (
	latencyBytes = 8 // messages up to this size show latency
	ackBytes     = 4
)

// A pair is one rank's part in measuring two ranks.
type pair struct {
	message []byte
	got     []byte
	answer  []byte
	word    []byte // the receiver waits
	wrong   []int64
}

// pairs measures every two ranks in both directions, one after the other, while all
// others wait.
func (r *rank) pairs(point plan.Point) error {
	c := *point.Collective
	op, answer := opBandwidth, ackBytes
	if c.Bytes <= latencyBytes {
		op, answer = opLatency, int(c.Bytes)
	}
	p := &pair{
		message: make([]byte, c.Bytes), got: make([]byte, c.Bytes), answer: make([]byte, answer),
		word: make([]byte, ackBytes), wrong: make([]int64, c.Warmup+c.Iterations),
	}
	for i := range p.message {
		p.message[i] = byte(i % 251)
	}
	runtime.GC()
	if err := r.client.Barrier("ready"); err != nil {
		if errors.Is(err, worker.ErrSkip) {
			return nil
		}
		return err
	}
	for from := range r.group.Ranks() {
		for to := range r.group.Ranks() {
			if from == to {
				continue
			}
			if err := r.direction(point, p, op, from, to); err != nil {
				return err
			}
		}
		r.client.Flush()
	}
	return nil
}

// direction measures one pair in one direction. The sender keeps the records.
func (r *rank) direction(point plan.Point, p *pair, op string, from, to int) error {
	c := *point.Collective
	var rows []worker.CollLine
	for i := range c.Warmup + c.Iterations {
		it := r.begin()
		// Round trips follow each other at once; transfers can take so long that those who
		// wait must hear of the others now and then.
		if i == 0 || op == opBandwidth {
			if err := r.align(); err != nil {
				return err
			}
		}
		switch r.group.Rank() {
		case to:
			if err := p.receive(r.group, from, i); err != nil {
				return err
			}
		case from:
			phase := record.Measure
			if i < c.Warmup {
				phase = record.Warmup
			}
			began, ended, err := p.send(r.group, to)
			if err != nil {
				return err
			}
			rows = append(rows, worker.CollLine{
				Point: point.Index, It: it, Phase: phase, Op: op, Algorithm: collective.Direct, Bytes: c.Bytes, DataType: "uint8",
				N: 2, T0: began, T1: ended, Checked: true, Peer: &to, Clock: "host",
			})
		}
	}
	return r.tell(p, rows, from, to)
}

// send measures one transfer. It begins when the receiver waits for it.
func (p *pair) send(g *collective.Group, to int) (began, ended int64, err error) {
	if err := g.Recv(to, p.word); err != nil {
		return 0, 0, err
	}
	began = worker.Mono()
	if err := g.Send(to, p.message); err != nil {
		return 0, 0, err
	}
	err = g.Recv(to, p.answer)
	return began, worker.Mono(), err
}

func (p *pair) receive(g *collective.Group, from, i int) error {
	clear(p.got)
	if err := g.Send(from, p.word); err != nil {
		return err
	}
	if err := g.Recv(from, p.got); err != nil {
		return err
	}
	if err := g.Send(from, p.answer); err != nil {
		return err
	}
	p.wrong[i] = 0
	if !bytes.Equal(p.got, p.message) {
		for k := range p.got {
			if p.got[k] != p.message[k] {
				p.wrong[i]++
			}
		}
	}
	return nil
}

// tell brings what the receiver found wrong to the sender's records.
func (r *rank) tell(p *pair, rows []worker.CollLine, from, to int) error {
	told := make([]byte, 8*len(p.wrong))
	switch r.group.Rank() {
	case to:
		for i, n := range p.wrong {
			binary.LittleEndian.PutUint64(told[8*i:], uint64(n))
		}
		return r.group.Send(from, told)
	case from:
		if err := r.group.Recv(to, told); err != nil {
			return err
		}
		for i := range rows {
			rows[i].Wrong = int64(binary.LittleEndian.Uint64(told[8*i:]))
			r.client.Coll(rows[i])
		}
	}
	return nil
}
