package intake

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

const (
	// mostRatio is how many times its own size a packed file may have after
	// unpacking. JSON of machines packs 10 to 60 times, gzip can do 1032.
	mostRatio = 250

	// freeBytes is what every packed file may unpack to, whatever its ratio.
	freeBytes = 16 << 20
)

// Bounded reads r and fails, where io.LimitReader would pretend that the end was
// reached, when more than most bytes come.
func Bounded(name string, r io.Reader, most int64) io.Reader {
	return &bounded{name: name, r: r, left: most, most: most}
}

type bounded struct {
	name       string
	r          io.Reader
	left, most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more tells the end from the limit
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), 0
		return n, tooLarge(b.name, "is too large", b.most)
	}
	b.left -= int64(n)
	return n, err
}

// Unpack reads what gzip packed, or r as it is where it did not. What comes out is
// bounded by most and, where it was packed, by a multiple of what went in.
func Unpack(name string, r io.Reader, most int64) (*bufio.Reader, error) {
	in := &counter{r: r}
	plain := bufio.NewReaderSize(in, 1<<16)
	if head, _ := plain.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return bufio.NewReaderSize(Bounded(name, plain, most), 1<<16), nil
	}
	unpacked, err := gzip.NewReader(plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &unpacker{name: name, in: in, out: Bounded(name, unpacked, most)}
	return bufio.NewReaderSize(out, 1<<16), nil
}

// A counter counts what was read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// An unpacker watches the ratio of what comes out to what went in.
type unpacker struct {
	name string
	in   *counter
	out  io.Reader
	n    int64
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.out.Read(p)
	u.n += int64(n)
	if u.n > freeBytes && u.n > mostRatio*u.in.n {
		return n, &Error{Path: u.name, Got: fmt.Sprintf("unpacks to more than %d times its size", mostRatio), Want: "a file that somebody wrote"}
	}
	return n, err
}
