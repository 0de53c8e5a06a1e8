// Package collective carries out collective operations between ranks over TCP, in
// plain Go: what assay measures when nothing else is installed, and what other
// libraries are held against.
//
// It knows algorithms, buffers and connections. It does not know clocks, plans or
// who started the ranks (package train). Buffers are bytes of one of the types;
// sizes are counted as nccl-tests counts them. Operations with a root have rank 0
// as theirs. docs/design/0028-native-collectives.md says why it is built this way.
//
// To add an algorithm, write its function and list it in algorithms.
package collective

import (
	"fmt"
	"unsafe"
)

// The operations.
const (
	AllReduce     = "all_reduce"
	AllGather     = "all_gather"
	ReduceScatter = "reduce_scatter"
	AllToAll      = "all_to_all"
	Broadcast     = "broadcast"
	Reduce        = "reduce"
	Gather        = "gather"
	Scatter       = "scatter"
	PointToPoint  = "point_to_point" // everybody sends to the next rank and receives from the one before
	Barrier       = "barrier"
)

// The algorithms. Auto is one of the others, chosen by Choose.
const (
	Auto            = "auto"
	Ring            = "ring"
	Tree            = "tree"
	HalvingDoubling = "halving_doubling"
	Direct          = "direct"
)

// An Op is one call. Every rank makes the same calls in the same order.
//
// Send and Recv have the lengths that Lengths gives. They are one buffer, or one
// lies in the other where nccl-tests puts it, in an operation in place; see
// InPlace. A buffer that the rank has no use for, such as the receive buffer of a
// reduce on another rank than the root, may be nil.
type Op struct {
	Kind       string
	Algorithm  string // empty means Auto
	Type       Type
	Send, Recv []byte
}

// A method carries an operation out on a group of at least two ranks.
type method func(*Group, Op) error

// algorithms lists, for every operation, how it can be carried out.
var algorithms = map[string]map[string]method{
	AllReduce:     {Ring: ringAllReduce, Tree: treeAllReduce, HalvingDoubling: halvingAllReduce, Direct: directAllReduce},
	AllGather:     {Ring: ringAllGather, Tree: treeAllGather, HalvingDoubling: doublingAllGather, Direct: directAllGather},
	ReduceScatter: {Ring: ringReduceScatter, Tree: treeReduceScatter, HalvingDoubling: halvingReduceScatter, Direct: directReduceScatter},
	Broadcast:     {Ring: ringBroadcast, Tree: treeBroadcast, HalvingDoubling: doublingBroadcast, Direct: directBroadcast},
	Reduce:        {Ring: ringReduce, Tree: treeReduce, HalvingDoubling: halvingReduce, Direct: directReduce},
	AllToAll:      {Ring: ringAllToAll, Direct: directAllToAll},
	Gather:        {Tree: treeGather, Direct: directGather},
	Scatter:       {Tree: treeScatter, Direct: directScatter},
	PointToPoint:  {Direct: neighbours},
	Barrier:       {Ring: ringBarrier, Tree: treeBarrier, HalvingDoubling: dissemination, Direct: directBarrier},
}

// Choose names the algorithm that Do takes for an operation of so many bytes, as
// nccl-tests counts them, when asked for one: that one where the operation has it.
func (g *Group) Choose(kind, algorithm string, bytes int64) string {
	if len(g.links) == 1 {
		return Direct // a copy
	}
	if _, ok := algorithms[kind][algorithm]; ok {
		return algorithm
	}
	return auto(kind, len(g.links), bytes)
}

// auto chooses by the number of rounds for small messages and by the bytes that
// cross a link for large ones. The limits are not sharp; docs/evidence/collective.md
// has the times around them.
func auto(kind string, ranks int, bytes int64) string {
	switch kind {
	case AllReduce:
		switch {
		case bytes*int64(ranks-1) <= 16<<10: // what each rank sends
			return Direct
		case bytes <= 64<<10:
			return HalvingDoubling
		}
		return Ring
	case AllGather, ReduceScatter:
		if bytes <= 256<<10 {
			return Direct
		}
		return Ring
	case Broadcast, Reduce:
		if bytes <= 256<<10 {
			return Tree
		}
		return Ring
	case Gather, Scatter:
		if bytes <= 16<<10 && ranks > 8 {
			return Tree
		}
		return Direct
	case Barrier:
		return HalvingDoubling
	}
	return Direct
}

// Do carries op out and returns when this rank's part of it is done: its answer is
// in Recv, and Send may be changed. After an error the group is of no more use.
func (g *Group) Do(op Op) error {
	send, recv := Lengths(op.Kind, g.rank, len(g.links), g.block(op))
	if _, known := algorithms[op.Kind]; !known {
		return fmt.Errorf("no operation is called %q", op.Kind)
	}
	if len(op.Send) < send || len(op.Recv) < recv {
		return fmt.Errorf("%s: got buffers of %d and %d bytes, want %d and %d", op.Kind, len(op.Send), len(op.Recv), send, recv)
	}
	if err := g.failed(); err != nil {
		return err
	}
	if len(g.links) == 1 {
		place(op.Recv, op.Send)
		return nil
	}
	if g.block(op) == 0 && op.Kind != Barrier {
		return nil
	}
	bytes := Size(op.Kind, len(g.links), g.block(op))
	do := algorithms[op.Kind][g.Choose(op.Kind, op.Algorithm, bytes)]
	err := do(g, op)
	if err == nil {
		err = g.flush()
	}
	if err != nil {
		g.fail(err)
		return g.failed() // the first one: what came after is its consequence
	}
	return nil
}

// block is the bytes of one rank's share of op, from whichever buffer is given.
func (g *Group) block(op Op) int {
	n := len(g.links)
	switch op.Kind {
	case Barrier:
		return 0
	case AllGather, Gather:
		return len(op.Send)
	case ReduceScatter, Scatter:
		return len(op.Recv)
	case AllToAll:
		return len(op.Send) / n
	case Broadcast:
		return len(op.Recv)
	}
	return len(op.Send)
}

// place puts from into to, unless it is there already.
func place(to, from []byte) {
	if !same(to, from) {
		copy(to, from)
	}
}

// same says that two buffers begin at the same byte.
func same(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && unsafe.SliceData(a) == unsafe.SliceData(b)
}
