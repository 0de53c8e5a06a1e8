package intake

import "io"

// Values bounds each value of a file that holds many, where the file itself may be
// of any length: a decoder holds the value that it reads, and one that never ends
// would fill the memory.
type Values struct {
	name       string
	r          io.Reader
	left, most int64
}

// NewValues reads r, of which no value has more than most bytes.
func NewValues(name string, r io.Reader, most int64) *Values {
	return &Values{name: name, r: r, left: most, most: most}
}

// Next says that a value is complete. What a decoder has read ahead by then counts
// for the next one.
func (v *Values) Next() { v.left = v.most }

func (v *Values) Read(p []byte) (int, error) {
	if v.left <= 0 {
		return 0, &Error{Path: v.name, Got: "holds a value that is too large", Want: "at most " + size(v.most) + " for each"}
	}
	n, err := v.r.Read(p[:min(int64(len(p)), v.left)])
	v.left -= int64(n)
	return n, err
}
