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
	lines := lineCutter{body: body}
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		lines.at = 3
	}
	var data dataLines
	begin := lines.at
	for lines.at < len(body) {
		line, ended := lines.next()
		if !ended {
			return body[begin:]
		}
		switch {
		case len(line) == 0:
			if data.open {
				yield(data.text, lines.at)
			}
			data, begin = dataLines{}, lines.at
		case line[0] == ':':
			yield(nil, lines.at)
		default:
			if value, ok := field(line, "data"); ok {
				data.add(value)
			}
		}
	}
	if data.open {
		return body[begin:]
	}
	return nil
}

// dataLines are the data of one event. Nearly every event has one line, which
// stays where it is in the body; more are joined in a buffer that grows by parts of
// its length, so that a million of them cost no more than their bytes.
type dataLines struct {
	text   []byte
	open   bool // there is a line, perhaps an empty one
	joined bool // text is our own buffer
}

func (d *dataLines) add(value []byte) {
	if !d.open {
		d.text, d.open = value, true
		return
	}
	if !d.joined {
		d.text, d.joined = bytes.Clone(d.text), true
	}
	d.text = append(append(d.text, '\n'), value...)
}

// A lineCutter cuts a body into lines. Two searches for one byte each take a
// fraction of the time of one for any of two: only the processor's own instructions
// look at many bytes at once. Where the next line feed is, is kept: lines that end
// with carriage returns alone would each search for it to the end of the body.
type lineCutter struct {
	body []byte
	at   int // where the next line begins
	fed  int // just past the first line feed from there on, or past the body when there is none; at most at when not known
}

// next returns the line that starts at c.at, and whether it had an end.
func (c *lineCutter) next() (line []byte, ended bool) {
	if c.fed <= c.at {
		c.fed = len(c.body) + 1
		if i := bytes.IndexByte(c.body[c.at:], '\n'); i >= 0 {
			c.fed = c.at + i + 1
		}
	}
	from, end := c.at, c.fed-1
	if i := bytes.IndexByte(c.body[from:end], '\r'); i >= 0 {
		end = from + i
	}
	c.at = end
	if end == len(c.body) {
		return c.body[from:], false
	}
	c.at++
	if c.body[end] == '\r' && c.at < len(c.body) && c.body[c.at] == '\n' {
		c.at++ // the two are one line end
	}
	return c.body[from:end], true
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
