package collective

import "bytes"

// period is after how many elements a pattern repeats: a prime, so that blocks, whose
// sizes are round numbers, do not begin alike.
const period = 1021

// A Pattern fills the buffers of an operation with numbers that follow from rank and
// index, and knows the answer. The numbers are small and whole: sums of them are
// exact in every type and in every order.
type Pattern struct {
	kind  string
	t     Type
	rank  int
	block int // bytes of a rank's share
	own   []byte
	parts []expected
}

// An expected is a stretch of a receive buffer and what it should hold.
type expected struct {
	at, bytes int
	table     []byte // one period
	first     int    // element of the period that the stretch begins with
}

// NewPattern is the pattern of an operation in which a rank's share has so many
// elements.
func NewPattern(kind string, t Type, rank, ranks, count int) *Pattern {
	p := &Pattern{kind: kind, t: t, rank: rank, block: count * t.bytes, own: table(t, ranks, rank)}
	every := func(part func(from int) expected) {
		for from := range ranks {
			one := part(from)
			one.at, one.bytes = from*p.block, p.block
			p.parts = append(p.parts, one)
		}
	}
	whole := func(table []byte, first int) { p.parts = []expected{{0, p.block, table, first % period}} }
	switch kind {
	case Barrier:
	case AllReduce:
		whole(sums(t, ranks), 0)
	case ReduceScatter:
		whole(sums(t, ranks), rank*count)
	case Reduce:
		if rank == 0 {
			whole(sums(t, ranks), 0)
		}
	case Broadcast:
		whole(table(t, ranks, 0), 0)
	case Scatter:
		whole(table(t, ranks, 0), rank*count)
	case PointToPoint:
		whole(table(t, ranks, (rank+ranks-1)%ranks), 0)
	case AllToAll:
		every(func(from int) expected {
			return expected{table: table(t, ranks, from), first: rank * count % period}
		})
	case AllGather:
		every(func(from int) expected { return expected{table: table(t, ranks, from)} })
	case Gather:
		if rank == 0 {
			every(func(from int) expected { return expected{table: table(t, ranks, from)} })
		}
	}
	return p
}

// Fill spoils recv and fills send, in this order: they may be one.
func (p *Pattern) Fill(send, recv []byte) {
	if len(recv) > 0 {
		recv[0] = 0xa5
	}
	for done := 1; done < len(recv); done *= 2 { // as fast as memory, where a loop is not
		copy(recv[done:], recv[:done])
	}
	for len(send) > 0 {
		send = send[copy(send, p.own):]
	}
}

// Wrong counts the elements of a received buffer that are not the answer.
func (p *Pattern) Wrong(recv []byte) int64 {
	var wrong int64
	for _, part := range p.parts {
		got := recv[part.at : part.at+part.bytes]
		want := part.table[part.first*p.t.bytes:]
		for len(got) > 0 {
			n := min(len(got), len(want))
			if !bytes.Equal(got[:n], want[:n]) {
				wrong += p.differ(got[:n], want[:n])
			}
			got, want = got[n:], part.table
		}
	}
	return wrong
}

func (p *Pattern) differ(got, want []byte) int64 {
	var n int64
	for i := 0; i < len(got); i += p.t.bytes {
		if !bytes.Equal(got[i:i+p.t.bytes], want[i:i+p.t.bytes]) {
			n++
		}
	}
	return n
}

// value is the number of a rank at an index. bfloat16 has whole numbers up to 256, so
// sums stay below that.
func value(ranks, rank, index int) int {
	mixed := uint32(index*2654435761) ^ uint32(rank+1)*2246822519
	mixed = (mixed ^ mixed>>15) * 2654435761
	switch {
	case ranks <= 64:
		return int(mixed >> 30) // 0 to 3
	case rank < 256:
		return int(mixed >> 31)
	}
	return 0
}

func table(t Type, ranks, rank int) []byte {
	return fill(t, func(i int) int { return value(ranks, rank, i) })
}

func sums(t Type, ranks int) []byte {
	return fill(t, func(i int) int {
		sum := 0
		for rank := range ranks {
			sum += value(ranks, rank, i)
		}
		return sum
	})
}

func fill(t Type, at func(i int) int) []byte {
	b := make([]byte, period*t.bytes)
	for i := range period {
		t.put(b[i*t.bytes:], at(i))
	}
	return b
}
