package live

import (
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A look is how things are drawn. Colour only repeats what the words say.
type look struct {
	ascii bool // the terminal may know no other characters
}

// lookFor chooses by the locale: one that does not name UTF-8 gets ASCII.
func lookFor(environ []string) look {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(value(environ, name)); v != "" {
			return look{ascii: !strings.Contains(v, "UTF-8") && !strings.Contains(v, "UTF8")}
		}
	}
	return look{ascii: true}
}

// The marks of text, as every terminal since the VT100 knows them.
const (
	plainText = "\x1b[0m"
	boldText  = "\x1b[1m"
	reversed  = "\x1b[7m"
	redText   = "\x1b[1;31m"
	greenText = "\x1b[32m"
	amberText = "\x1b[33m"
	blueText  = "\x1b[36m"
)

func paint(mark, text string) string {
	if text == "" || mark == "" {
		return text
	}
	return mark + text + plainText
}

func label(text string) string { return paint(blueText, padded(text, labelWidth)) }

// labelWidth is the width of the first column.
const labelWidth = 10

// padded fills text up to width, or cuts it.
func padded(text string, width int) string {
	have := ansi.StringWidth(text)
	if have >= width {
		return ansi.Truncate(text, width, "")
	}
	return text + strings.Repeat(" ", width-have)
}

// spread sets left and right to the two ends of a line.
func spread(left, right string, width int) string {
	room := width - ansi.StringWidth(right)
	if room <= 0 {
		return ansi.Truncate(left, width, "")
	}
	return padded(left, room) + right
}

// bar draws a share of width.
func (l look) bar(share float64, width int) string {
	full, empty := "█", "░"
	if l.ascii {
		full, empty = "#", "."
	}
	n := 0
	if share > 0 { // NaN is not
		n = int(math.Round(min(1, share) * float64(width)))
	}
	return paint(blueText, strings.Repeat(full, n)) + strings.Repeat(empty, width-n)
}

var (
	blocks      = []rune("▁▂▃▄▅▆▇█")
	asciiBlocks = []rune("_.-~=+*#")
)

// blocks are what bars are drawn with, from low to high.
func (l look) blocks() []rune {
	if l.ascii {
		return asciiBlocks
	}
	return blocks
}

// lastValues are the newest values, as many as there is width for, and the largest of
// them that is a number; NaN where none is.
func lastValues(values []float64, width int) (last []float64, most float64) {
	last = values[max(0, len(values)-width):]
	most = math.NaN()
	for _, v := range last {
		if !math.IsNaN(v) && !(v <= most) {
			most = v
		}
	}
	return last, most
}

// spark draws the last values from zero to the largest; what is not a number is
// left out.
func (l look) spark(values []float64, width int) (drawn string, most float64) {
	values, most = lastValues(values, width)
	steps := l.blocks()
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", max(0, width-len(values)))) // the newest stand on the right
	for _, v := range values {
		switch {
		case math.IsNaN(v):
			b.WriteByte(' ')
		case most <= 0:
			b.WriteRune(steps[0])
		default:
			b.WriteRune(steps[min(len(steps)-1, int(v/most*float64(len(steps))))])
		}
	}
	return b.String(), most
}

// asciiFor replaces the few other characters that we use.
var asciiFor = strings.NewReplacer("µ", "u", "–", "-", "°", " ", "…", "...", "≤", "<", "·", "|", "×", "x")

// finish makes text what the terminal can show.
func (l look) finish(text string) string {
	if !l.ascii {
		return text
	}
	text = asciiFor.Replace(text)
	return strings.Map(func(r rune) rune {
		if r > 126 {
			return '?'
		}
		return r
	}, text)
}
