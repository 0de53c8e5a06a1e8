package sim

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// lineEnds frames events with other line ends than LF, in turn.
func lineEnds(ends ...string) func(dst, payload []byte, seq int) []byte {
	return func(dst, payload []byte, seq int) []byte {
		end := ends[seq%len(ends)]
		dst = append(dst, "data: "...)
		dst = append(dst, payload...)
		return append(dst, end+end...)
	}
}

// fieldName frames events with another spelling of "data: ".
func fieldName(name string) func(dst, payload []byte, seq int) []byte {
	return func(dst, payload []byte, _ int) []byte {
		dst = append(dst, name...)
		dst = append(dst, payload...)
		return append(dst, "\n\n"...)
	}
}

// twoLines puts a line break after the first comma, where JSON allows white
// space.
func twoLines(dst, payload []byte, _ int) []byte {
	dst = append(dst, "data: "...)
	if at := bytes.IndexByte(payload, ','); at >= 0 {
		dst = append(dst, payload[:at+1]...)
		dst = append(dst, "\ndata: "...)
		payload = payload[at+1:]
	}
	dst = append(dst, payload...)
	return append(dst, "\n\n"...)
}

// otherFields adds the fields of server-sent events that carry no data.
func otherFields(dst, payload []byte, seq int) []byte {
	dst = fmt.Appendf(dst, "event: message\nid: %d\nretry: 1000\n", seq)
	return plainFrame(dst, payload, seq)
}

// everyBytes cuts after every n bytes, the end left out.
func everyBytes(n int) func([]byte) []int {
	return func(event []byte) []int {
		var cuts []int
		for at := n; at < len(event); at += n {
			cuts = append(cuts, at)
		}
		return cuts
	}
}

// insideRune cuts after the first byte of every character of several.
func insideRune(event []byte) []int {
	var cuts []int
	for at := 0; at < len(event); {
		_, size := utf8.DecodeRune(event[at:])
		if size > 1 {
			cuts = append(cuts, at+1)
		}
		at += size
	}
	return cuts
}
