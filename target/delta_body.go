package target

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A deltaBody is a body as its reads came, in pieces, each kept as its difference from
// the one before. The events of a stream differ in a word, so 250 bytes become about 20,
// and ten thousand open streams fit in memory. It costs two comparisons and one
// copy per piece, and no allocation once the buffers have grown.
type deltaBody struct {
	data []byte
	prev []byte // the piece before
	last int64  // its stamp

	size, pieces int // of the body, unpacked
}

// packets tell of a connection whether what the read under way brought came in one.
type packets interface{ sentTogether() bool }

// maxPrevious is the longest piece that the next one is compared with; beyond it
// the copy would cost more memory than the comparison saves.
const maxPrevious = 4096

func (p *deltaBody) reset() { *p = deltaBody{data: p.data[:0], prev: p.prev[:0]} }

// add keeps the bytes of one read, which came at the stamp at. Events that came
// together are kept one by one: a busy client reads many at a time, and each still
// differs from the one before in a word.
//
// Of pieces that came in one read those after the first say whether they were sent
// together with it.
func (p *deltaBody) add(b []byte, at int64, came packets) {
	for {
		end := bytes.Index(b, blankLine) + len(blankLine)
		if end < len(blankLine) || end == len(b) {
			break
		}
		p.piece(b[:end], at, came)
		b = b[end:]
	}
	p.piece(b, at, came)
}

// sameSegment stands in place of the time since the piece before, which is never less
// than nothing.
const sameSegment = -1

// blankLine ends an event of a stream, mostly.
var blankLine = []byte("\n\n")

func (p *deltaBody) piece(b []byte, at int64, came packets) {
	step := at - p.last
	if step == 0 && came != nil && came.sentTogether() {
		step = sameSegment
	}
	head := commonPrefix(p.prev, b)
	tail := commonSuffix(p.prev[head:], b[head:])
	middle := b[head : len(b)-tail]
	p.data = binary.AppendVarint(p.data, step)
	p.data = binary.AppendUvarint(p.data, uint64(head))
	p.data = binary.AppendUvarint(p.data, uint64(tail))
	p.data = binary.AppendUvarint(p.data, uint64(len(middle)))
	p.data = append(p.data, middle...)
	p.last = at
	p.size += len(b)
	p.pieces++
	if len(b) > maxPrevious {
		b = nil
	}
	p.prev = append(p.prev[:0], b...)
}

// unpack appends the body and its marks to r.
func (p *deltaBody) unpack(r *stampedBody) {
	r.body, r.marks = slices.Grow(r.body, p.size), slices.Grow(r.marks, p.pieces)
	data, at, previous := p.data, int64(0), 0 // where the piece before begins
	number := func() int {
		v, n := binary.Uvarint(data)
		data = data[n:]
		return int(v)
	}
	for len(data) > 0 {
		step, n := binary.Varint(data)
		data = data[n:]
		together := step == sameSegment
		if !together {
			at += step
		}
		head, tail, middle := number(), number(), number()
		begin := len(r.body)
		r.body = append(r.body, r.body[previous:previous+head]...)
		r.body = append(r.body, data[:middle]...)
		r.body = append(r.body, r.body[begin-tail:begin]...)
		data = data[middle:]
		previous = begin
		r.marks = append(r.marks, mark{len(r.body), at, together})
	}
}

func commonPrefix(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for ; i+8 <= n; i += 8 {
		if diff := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); diff != 0 {
			return i + bits.TrailingZeros64(diff)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for ; i+8 <= n; i += 8 {
		diff := binary.LittleEndian.Uint64(a[len(a)-i-8:]) ^ binary.LittleEndian.Uint64(b[len(b)-i-8:])
		if diff != 0 {
			return i + bits.LeadingZeros64(diff)/8
		}
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}
