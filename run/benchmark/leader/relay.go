package main

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// A relay stands between ranks and their leader and counts what passes. It is in the
// process of the ranks, so that it costs the leader nothing.
type relay struct {
	address  string
	listener net.Listener
	work     sync.WaitGroup
	in, out  atomic.Int64 // bytes to and from ranks

	marks []mark // of one rank: at the begin and at the end of each point
}

type mark struct{ in, out int64 }

func newRelay(leader string) (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{address: listener.Addr().String(), listener: listener}
	r.work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			r.work.Go(func() { r.pass(conn, leader) })
		}
	})
	return r, nil
}

// pass carries one connection until either side ends it.
func (r *relay) pass(rank net.Conn, leader string) {
	defer rank.Close()
	conn, err := net.Dial("tcp", leader)
	if err != nil {
		return
	}
	defer conn.Close()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(io.MultiWriter(rank, counting{&r.in}), conn) // its end is the rank's to notice
		rank.Close()
	})
	_, _ = io.Copy(io.MultiWriter(conn, counting{&r.out}), rank)
	conn.Close()
	back.Wait()
}

// counting adds up the bytes that are written to it.
type counting struct{ n *atomic.Int64 }

func (c counting) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// mark notes what has passed by now.
func (r *relay) mark() { r.marks = append(r.marks, mark{r.in.Load(), r.out.Load()}) }

// traffic is what passed in both points, and what announced the second to each rank.
func (r *relay) traffic(ranks int) (t traffic) {
	if len(r.marks) != 4 {
		return t
	}
	m := r.marks
	t.IdleIn, t.IdleOut = m[1].in-m[0].in, m[1].out-m[0].out
	t.FullIn, t.FullOut = m[3].in-m[2].in, m[3].out-m[2].out
	t.PlanLine = (m[2].in - m[1].in) / int64(ranks)
	return t
}

// close waits for every connection to end.
func (r *relay) close() {
	r.listener.Close()
	r.work.Wait()
}
