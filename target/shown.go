package target

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/record"
)

// shown follows what a person sees of an answer: a space, a character without width or a lone
// dot of reasoning is output, and nobody sees it.
type shown struct {
	first, answer int64 // stamps; zero for none
	bytes, events int32
	letters       int32 // bytes of letters, of those
	stutter       stutter
	text          strings.Builder // what can be seen of all
	spaced        bool            // it ends with white space
}

// add takes output that came at the stamp at; zero where nothing was streamed.
func (s *shown) add(piece *Piece, at int64) {
	said := piece.Text
	seen := piece.Kind == record.Tool || piece.Kind == record.OtherOut && said == ""
	bytes := s.bytes
	for _, r := range said {
		if hidden(r) {
			continue
		}
		if unicode.IsSpace(r) {
			if !s.spaced { // more of them are no more words
				s.text.WriteRune(r)
			}
			s.spaced = true
			continue
		}
		s.spaced = false
		s.text.WriteRune(r)
		s.bytes += int32(utf8.RuneLen(r))
		if unicode.IsLetter(r) {
			s.letters += int32(utf8.RuneLen(r))
		}
		seen = seen || piece.Kind != record.Reasoning || !unicode.IsPunct(r)
	}
	if s.bytes > bytes {
		s.events++
		s.stutter.add(said)
	}
	if !seen {
		return
	}
	if s.first == 0 {
		s.first = at
	}
	if s.answer == 0 && piece.Kind != record.Reasoning {
		s.answer = at
	}
}

// hidden reports whether r takes no room on a screen.
func hidden(r rune) bool {
	if r <= unicode.MaxASCII {
		return r < ' ' && !unicode.IsSpace(r) || r == 0x7f
	}
	return !unicode.IsGraphic(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Variation_Selector, r) || strings.ContainsRune(blanks, r)
}

// blanks are the letters and symbols of Unicode that show nothing.
const blanks = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"

// keepText puts into the record what the text is, and the text itself where it is kept.
func (a *answer) keepText() {
	r, s := &a.request, &a.shown
	if a.client.cfg.KeepText {
		r.Text = a.text.String()
	}
	if a.text.Len() > 0 {
		if a.echoes() {
			a.flag("echoes_prompt")
		}
		r.AnswerHash, r.AnswerGist = promptHash(a.text.String()), gist(s.text.String())
		repeated := s.stutter.most()
		r.VisibleBytes, r.Letters, r.VisibleParts, r.Repeated = &s.bytes, &s.letters, &s.events, &repeated
	}
	if s.first > 0 {
		r.FirstVisible = &s.first
	}
	if s.answer > 0 {
		r.FirstAnswer = &s.answer
	}
	if a.client.cfg.CountText == nil || r.Result != record.OK || !a.client.cfg.counts(r.ID) || !a.allText() {
		return
	}
	if n, err := a.client.cfg.CountText(s.text.String()); err == nil {
		count := int32(n)
		r.OwnTokens = &count
	}
}

// allText reports whether all output is text; that of a tool call is not kept.
func (a *answer) allText() bool {
	for _, c := range a.chunks {
		if c.Kind.Output() && c.TextBytes == 0 {
			return false
		}
	}
	return a.text.Len() > 0
}

// model notes which model answers.
func (a *answer) model(name string) {
	if a.request.Model != "" && a.request.Model != name {
		a.flag("models_differ")
	}
	a.request.Model = a.word("the name of the model", name)
}

// named says which model the pieces of an event come from.
func named(pieces []Piece, model string) []Piece {
	pieces[0].Model = model
	return pieces
}

// saysError reports whether an event of a stream calls itself an error, whatever its data.
func saysError(wire []byte) bool {
	if bytes.HasPrefix(wire, []byte("data:")) && !bytes.Contains(wire, []byte("\nevent:")) {
		return false
	}
	lines := lineCutter{body: wire}
	for lines.at < len(wire) {
		line, _ := lines.next()
		if name, ok := field(line, "event"); ok && string(name) == "error" {
			return true
		}
	}
	return false
}

// failed records an event that calls itself an error. What the dialect reads in it says more
// than its data, where that is an error too.
func (a *answer) failed(data []byte, at int64, size int32, shared bool) {
	if pieces, err := a.pieces(data); err == nil {
		for i := range pieces {
			if pieces[i].Kind == record.ErrorObj {
				a.event(data, at, size, shared)
				return
			}
		}
	}
	a.fault(record.StreamErr, a.client.quoted(string(data)))
	a.chunk(&Piece{Kind: record.ErrorObj}, at, size, shared)
}

// late takes an event that came behind the end of the stream. Output is output all the same,
// and the answer ends with it.
func (a *answer) late(data []byte, at int64, size int32, shared bool) {
	a.flag("bytes_after_done")
	if data == nil {
		return
	}
	pieces, err := a.pieces(data)
	if err != nil {
		return
	}
	for i := range pieces {
		piece := &pieces[i]
		if a.news(piece); !piece.Kind.Output() {
			continue
		}
		a.flag("output_after_done")
		a.chunk(piece, at, size, shared)
		a.request.Done = max(a.request.Done, at)
	}
}
