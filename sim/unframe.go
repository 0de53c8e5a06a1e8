package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"strconv"
)

// An unframer takes the answers that this package writes as HTTP/1.1 apart
// again. It trusts their form, and nothing else writes to it.
type unframer struct {
	headed  bool
	chunked bool
	length  int64 // of a body without chunks; negative: until the close
	ended   bool
	rest    []byte // of a head, of a chunk's size line, or of a chunk's end
	left    int    // of a chunk, with the line break behind it
}

// untilClose reports whether the end of the connection is the end of the answer.
func (u *unframer) untilClose() bool { return u.headed && !u.chunked && u.length < 0 && !u.ended }

// feed calls head once and data for each piece of the body.
func (u *unframer) feed(b []byte, head func(status int, h http.Header, last bool), data func(b []byte, last bool)) error {
	if !u.headed {
		u.rest = append(u.rest, b...)
		end := bytes.Index(u.rest, []byte("\r\n\r\n"))
		if end < 0 {
			return nil
		}
		b = bytes.Clone(u.rest[end+4:])
		response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(u.rest[:end+4])), nil)
		if err != nil {
			return fmt.Errorf("sim: own answer: %w", err)
		}
		u.rest = u.rest[:0]
		if response.StatusCode < 200 {
			return u.feed(b, head, data)
		}
		u.headed, u.chunked, u.length = true, len(response.TransferEncoding) > 0, response.ContentLength
		u.ended = u.length == 0 && !u.chunked
		head(response.StatusCode, response.Header, u.ended)
	}
	switch {
	case u.chunked:
		return u.dechunk(b, data)
	case u.ended || len(b) == 0:
	case u.length < 0:
		data(b, false)
	default:
		u.length -= int64(len(b))
		u.ended = u.length <= 0
		data(b, u.ended)
	}
	return nil
}

func (u *unframer) dechunk(b []byte, data func([]byte, bool)) error {
	for len(b) > 0 && !u.ended {
		if u.left > 0 { // inside a chunk or its line break
			n := min(u.left, len(b))
			if body := min(n, u.left-2); body > 0 {
				data(b[:body], false)
			}
			u.left -= n
			b = b[n:]
			continue
		}
		end := bytes.IndexByte(b, '\n') + 1
		if end == 0 {
			u.rest = append(u.rest, b...)
			return nil
		}
		line := bytes.TrimSpace(append(u.rest, b[:end]...))
		u.rest, b = u.rest[:0], b[end:]
		size, err := strconv.ParseInt(string(line), 16, 32)
		if err != nil {
			return fmt.Errorf("sim: own chunk: %w", err)
		}
		u.left = int(size) + 2
		if size == 0 {
			u.ended = true
			data(nil, true)
		}
	}
	return nil
}
