package target

import "bytes"

// events splits the body of a server-sent event stream and calls yield with the
// data of each event and the offset just past the line that dispatched it. It
// follows the event-stream grammar: LF, CR and CRLF end lines, several data
// lines join with a newline, one space after the colon belongs to the syntax,
// comments and unknown fields are skipped. A comment is reported with nil data,
// because it proves that the server lives.
//
// It works on the whole body after the stream has ended, so that the result
// cannot depend on how the bytes were cut into reads. An event that the body
// ends inside of is returned as rest: a half event is never output.
func events(body []byte, yield func(data []byte, end int)) (rest []byte) {
	at := 0
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		at = 3
	}
	var data []byte
	open, begin := false, at
	for at < len(body) {
		line, next, ended := cutLine(body, at)
		if !ended {
			return body[begin:]
		}
		at = next
		switch {
		case len(line) == 0:
			if open {
				yield(data, at)
			}
			data, open, begin = nil, false, at
		case line[0] == ':':
			yield(nil, at)
		default:
			if value, ok := field(line, "data"); ok {
				if open {
					data = append(append([]byte(nil), data...), '\n')
					data = append(data, value...)
				} else {
					data, open = value, true
				}
			}
		}
	}
	if open {
		return body[begin:]
	}
	return nil
}

// cutLine returns the line that starts at from, the offset after its line end,
// and whether it had one.
func cutLine(body []byte, from int) (line []byte, next int, ended bool) {
	// Two searches for one byte each take a fraction of the time of one for any of
	// two: only the processor's own instructions look at many bytes at once.
	rest := body[from:]
	i := bytes.IndexByte(rest, '\n')
	if i >= 0 {
		rest = rest[:i]
	}
	if carriage := bytes.IndexByte(rest, '\r'); carriage >= 0 {
		i = carriage
	}
	if i < 0 {
		return body[from:], len(body), false
	}
	end := from + i
	next = end + 1
	if body[end] == '\r' && next < len(body) && body[next] == '\n' {
		next++
	}
	return body[from:end], next, true
}

// field returns the value of a line "name: value", without the one space that
// the grammar allows after the colon.
func field(line []byte, name string) ([]byte, bool) {
	value, ok := bytes.CutPrefix(line, []byte(name))
	if !ok {
		return nil, false
	}
	if len(value) == 0 {
		return value, true
	}
	if value[0] != ':' {
		return nil, false
	}
	return bytes.TrimPrefix(value[1:], []byte(" ")), true
}
