package secret

import (
	"cmp"
	"slices"
	"strings"
)

// A Finder finds known secrets in a text, in whatever spelling. It is safe for
// concurrent use; a nil Finder finds nothing.
//
// It looks through the text with a window as long as the shortest pattern and
// asks, by the last three bytes of the window, how far the next match must be
// (Wu and Manber, "A fast algorithm for multi-pattern searching", 1994). Text
// without secrets is passed in steps of several bytes, however many secrets are
// known.
type Finder struct {
	window   int               // length of the shortest pattern
	shift    []uint8           // by the hash of three bytes: how far the window may move
	patterns map[uint64][]form // by the hash of their first window bytes
	longest  int
	mixed    bool // a secret has what can be taken for an escape
}

// A form is one spelling of a secret, or of a part of it that gives it away.
type form struct {
	text  string // in lower case, unless exact
	exact bool   // upper and lower case differ
}

const hashBits = 16

// NewFinder knows values, but for those shorter than three bytes: no text is
// without them.
func NewFinder(values []string) *Finder {
	var forms []form
	mixed := false
	for _, value := range values {
		if len(value) < gram {
			continue
		}
		forms = append(forms, formsOf(value)...)
		mixed = mixed || strings.ContainsAny(value, `%\&`)
	}
	slices.SortFunc(forms, func(a, b form) int { return cmp.Compare(a.text, b.text) })
	forms = slices.Compact(forms)
	forms = slices.DeleteFunc(forms, func(f form) bool { return len(f.text) < gram })
	if len(forms) == 0 {
		return nil
	}
	f := &Finder{window: widest, shift: make([]uint8, 1<<hashBits), patterns: map[uint64][]form{}, mixed: mixed}
	for _, form := range forms {
		f.window, f.longest = min(f.window, len(form.text)), max(f.longest, len(form.text))
	}
	for i := range f.shift {
		f.shift[i] = uint8(f.window - gram + 1)
	}
	for _, form := range forms {
		head := lowered(form.text[:f.window])
		for end := gram; end <= f.window; end++ {
			h := gramHash(head[end-3], head[end-2], head[end-1])
			f.shift[h] = min(f.shift[h], uint8(f.window-end))
		}
		h := headHash(head)
		f.patterns[h] = append(f.patterns[h], form)
	}
	return f
}

const (
	gram   = 3  // bytes that decide how far the window moves
	widest = 64 // enough for every pattern to be passed in long steps
)

// A long text is looked through in blocks, which bounds the memory of its views.
// They overlap by what the longest form takes when every byte of it is escaped: as
// &#x0041; or, twice, as \\u0041.
const (
	blockSize   = 256 << 10
	mostPerByte = 8
)

// Longest is the length of the longest spelling that is looked for, before any
// character of it is escaped.
func (f *Finder) Longest() int {
	if f == nil {
		return 0
	}
	return f.longest
}

// Hide replaces every secret in text.
func (f *Finder) Hide(text string) string {
	spans := f.find(text)
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, s := range spans {
		out.WriteString(text[done:s.from])
		out.WriteString(Redacted)
		done = s.to
	}
	out.WriteString(text[done:])
	return out.String()
}

// A span is text[from:to].
type span struct{ from, to int }

// find lists where secrets stand, in order and apart from each other.
func (f *Finder) find(text string) []span {
	if f == nil || len(text) < f.window {
		return nil
	}
	var spans []span
	overlap := mostPerByte * f.longest
	size := max(blockSize, 4*overlap)
	for at := 0; ; at += size - overlap {
		block := text[at:min(len(text), at+size)]
		first := len(spans)
		spans = f.search(view{text: block}, spans)
		eachView(block, f.mixed, func(v view) { spans = f.search(v, spans) })
		for i := first; i < len(spans); i++ {
			spans[i].from, spans[i].to = spans[i].from+at, spans[i].to+at
		}
		if at+size >= len(text) {
			return merged(spans)
		}
	}
}

// search adds the spans of secrets in v, as they stand in the text itself.
func (f *Finder) search(v view, spans []span) []span {
	text := v.text
	for end := f.window; end <= len(text); {
		if step := f.shift[gramHash(lower[text[end-3]], lower[text[end-2]], lower[text[end-1]])]; step > 0 {
			end += int(step)
			continue
		}
		at := end - f.window
		for _, p := range f.patterns[headHash(text[at:end])] {
			if p.stands(text[at:]) {
				from, to := v.source(at, at+len(p.text))
				spans = append(spans, span{int(from), int(to)})
			}
		}
		end++
	}
	return spans
}

// stands reports whether text begins with the form.
func (p form) stands(text string) bool {
	if len(text) < len(p.text) {
		return false
	}
	for i := range len(p.text) {
		c := text[i]
		if !p.exact {
			c = lower[c]
		}
		if c != p.text[i] {
			return false
		}
	}
	return true
}

// merged joins spans that overlap or touch: parts of one secret.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// lower is the lower case of ASCII; every other byte is itself.
var lower = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			table[i] += 'a' - 'A'
		}
	}
	return table
}()

func lowered(text string) string {
	out := []byte(text)
	for i, c := range out {
		out[i] = lower[c]
	}
	return string(out)
}

func gramHash(a, b, c byte) uint32 {
	return (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 2654435761 >> (32 - hashBits)
}

// headHash is FNV-1a of text in lower case.
func headHash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(lower[text[i]])) * 1099511628211
	}
	return h
}
