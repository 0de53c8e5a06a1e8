package intake

import (
	"bytes"
	"fmt"
	"io"
)

// Text reads r, which must be text, and fails at the first byte that no text holds:
// a disk image or a file of holes has lines as long as itself.
func Text(name string, r io.Reader) io.Reader { return &text{name: name, r: r} }

type text struct {
	name string
	r    io.Reader
	at   int64
}

func (t *text) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if i := bytes.IndexByte(p[:n], 0); i >= 0 {
		return i, &Error{Path: t.name, Got: fmt.Sprintf("is a binary file, with a zero at byte %d", t.at+int64(i)), Want: "text"}
	}
	t.at += int64(n)
	return n, err
}
