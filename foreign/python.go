package foreign

import (
	"bytes"
	"io"
)

// A pythonReader gives JSON as Python writes it to a reader that keeps to the
// standard: Infinity and NaN, which Python's json module writes unless told not
// to, become strings, so that one in the place of a number is an error and not
// zero. Text inside of strings stays as it is.
type pythonReader struct {
	data   []byte
	quoted bool
	rest   []byte // of a replacement that did not fit
}

var noNumbers = [][]byte{[]byte("-Infinity"), []byte("Infinity"), []byte("NaN")}

// Read implements io.Reader.
func (r *pythonReader) Read(into []byte) (n int, err error) {
	for n < len(into) {
		if len(r.rest) > 0 {
			moved := copy(into[n:], r.rest)
			r.rest, n = r.rest[moved:], n+moved
			continue
		}
		if len(r.data) == 0 {
			break
		}
		if word := r.word(); word > 0 {
			r.rest = append(append([]byte{'"'}, r.data[:word]...), '"')
			r.data = r.data[word:]
			continue
		}
		c := r.data[0]
		into[n] = c
		r.data, n = r.data[1:], n+1
		switch {
		case c == '"':
			r.quoted = !r.quoted
		case c == '\\' && r.quoted && len(r.data) > 0: // what follows ends no string
			r.data, r.rest = r.data[1:], r.data[:1:1]
		}
	}
	if n == 0 && len(into) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// word is the length of the word that is no number here; 0 for none.
func (r *pythonReader) word() int {
	if c := r.data[0]; r.quoted || c != 'I' && c != 'N' && c != '-' {
		return 0
	}
	for _, word := range noNumbers {
		if bytes.HasPrefix(r.data, word) {
			return len(word)
		}
	}
	return 0
}
