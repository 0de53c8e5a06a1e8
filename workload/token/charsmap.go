package token

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A charsmap says how SentencePiece rewrites characters: a double-array trie
// (darts-clone) whose values are places in a pool of texts.
type charsmap struct {
	units []uint32
	pool  []byte
}

func newCharsmap(blob []byte) (*charsmap, error) {
	if len(blob) == 0 {
		return &charsmap{}, nil
	}
	if len(blob) < 4 {
		return nil, errors.New("the map of characters is cut short")
	}
	size := uint64(binary.LittleEndian.Uint32(blob))
	if size%4 != 0 || size > uint64(len(blob)-4) {
		return nil, errors.New("the map of characters is cut short")
	}
	c := &charsmap{pool: blob[4+size:]}
	for i := uint64(4); i < 4+size; i += 4 {
		c.units = append(c.units, binary.LittleEndian.Uint32(blob[i:]))
	}
	return c, nil
}

// replace returns what an opening of s is rewritten to, and its length; 0 when
// none is known. It takes the longest such opening, or else the shortest.
func (c *charsmap) replace(s string, longest bool) (text string, n int) {
	if len(c.units) == 0 {
		return "", 0
	}
	node := dartsOffset(c.units[0])
	for i := range len(s) {
		node ^= uint32(s[i])
		if node >= uint32(len(c.units)) {
			break
		}
		unit := c.units[node]
		if unit&(1<<31|0xFF) != uint32(s[i]) {
			break
		}
		node ^= dartsOffset(unit)
		if unit>>8&1 == 1 && node < uint32(len(c.units)) {
			if text, n = c.at(c.units[node]&(1<<31-1)), i+1; !longest {
				break
			}
		}
	}
	return text, n
}

// precompiled is how Hugging Face's library reads the same map: by what a
// reader sees as one character, where that is short, and else character by
// character. What a match leaves over of a short one is dropped, as there.
func (c *charsmap) precompiled(s string) string {
	const short = 6
	var b strings.Builder
	b.Grow(len(s))
	state := -1
	for s != "" {
		var seen string
		seen, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if len(seen) < short {
			if text, n := c.replace(seen, false); n > 0 {
				b.WriteString(text)
				continue
			}
		}
		for _, r := range seen {
			if text, n := c.replace(string(r), false); n > 0 {
				b.WriteString(text)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

func dartsOffset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

func (c *charsmap) at(place uint32) string {
	if place >= uint32(len(c.pool)) {
		return ""
	}
	text, _, _ := bytes.Cut(c.pool[place:], []byte{0})
	return string(text)
}

// spNormalizer prepares text as SentencePiece does.
type spNormalizer struct {
	chars  *charsmap
	user   *addedFinder // pieces that are never rewritten
	trim   bool
	prefix bool
}

// next returns what the opening of s is rewritten to, and its length.
func (n *spNormalizer) next(s string) (string, int) {
	for _, a := range n.user.byFirst[s[0]] {
		if strings.HasPrefix(s, a.Content) {
			return a.Content, len(a.Content)
		}
	}
	if text, used := n.chars.replace(s, true); used > 0 {
		return text, used
	}
	_, width := utf8.DecodeRuneInString(s)
	return s[:width], width
}

func (n *spNormalizer) normalize(s string) string {
	for n.trim && s != "" {
		text, used := n.next(s)
		if text != " " {
			break
		}
		s = s[used:]
	}
	if s == "" {
		return ""
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/4 + 4)
	if n.prefix {
		b.WriteByte(' ')
	}
	blank := n.trim // the last character written is a blank that swallows more
	for s != "" {
		text, used := n.next(s)
		s = s[used:]
		if blank {
			text = strings.TrimLeft(text, " ")
		}
		if text != "" {
			b.WriteString(text)
			blank = n.trim && strings.HasSuffix(text, " ")
		}
	}
	out := b.String()
	if n.trim {
		out = strings.TrimRight(out, " ")
	}
	return strings.ReplaceAll(out, " ", meta)
}
