package target

import (
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
)

// inflate undoes a content coding that was not asked for. The stamps of the
// result are those of the compressed bytes that completed it: the decompressor
// takes one byte at a time, so it is known how far it had to read.
//
// A body that breaks off or grows beyond limit gives what could be read, and the
// error. A coding that assay does not know gives nothing.
func inflate(coding string, from *stampedBody, limit int64) (*stampedBody, error) {
	source := &compressed{body: from.body}
	var plain io.Reader
	var err error
	switch strings.ToLower(coding) {
	case "gzip", "x-gzip":
		plain, err = gzip.NewReader(source)
	case "deflate":
		plain, err = zlib.NewReader(source)
	case "br":
		plain = brotli.NewReader(source)
	default:
		return nil, fmt.Errorf("the body is compressed (%s) though identity was asked; gzip, deflate and br can be read", coding)
	}
	if err != nil {
		return nil, fmt.Errorf("the body is not the %s that it claims to be: %w", coding, err)
	}
	to := &stampedBody{}
	marks := from.marks
	buffer := make([]byte, 32<<10)
	for {
		n, err := plain.Read(buffer)
		if n > 0 {
			for len(marks) > 1 && marks[0].end < source.at {
				marks = marks[1:]
			}
			to.body = append(to.body, buffer[:n]...)
			to.mark(marks[0].at)
			if int64(len(to.body)) > limit {
				return to, tooLarge("the unpacked body of the answer", limit)
			}
		}
		switch {
		case err == io.EOF && len(to.body) > 0:
			return to, nil
		case err != nil && len(to.body) > 0:
			return to, fmt.Errorf("the compressed body breaks off: %w", err)
		case err != nil:
			return nil, fmt.Errorf("the compressed body holds nothing: %w", err)
		}
	}
}

// mark says that the body up to here had come at the stamp at.
func (r *stampedBody) mark(at int64) {
	if n := len(r.marks); n > 0 && r.marks[n-1].at == at {
		r.marks[n-1].end = len(r.body)
		return
	}
	r.marks = append(r.marks, mark{end: len(r.body), at: at})
}

// compressed hands out a body byte by byte and knows how many were taken.
type compressed struct {
	body []byte
	at   int
}

func (c *compressed) ReadByte() (byte, error) {
	if c.at == len(c.body) {
		return 0, io.EOF
	}
	c.at++
	return c.body[c.at-1], nil
}

func (c *compressed) Read(p []byte) (int, error) {
	if c.at == len(c.body) {
		return 0, io.EOF
	}
	n := copy(p[:min(1, len(p))], c.body[c.at:])
	c.at += n
	return n, nil
}
