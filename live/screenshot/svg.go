package main

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The size of a character cell, and the margin around the screen.
const (
	cellWidth, cellHeight = 9.0, 19.0
	margin                = 14.0
)

// The colours of the screen: a dark one, on which all of them can be read.
const (
	background = "#16181d"
	foreground = "#d7dae0"
)

// palette are the eight colours of a terminal.
var palette = []string{"#16181d", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76d9e6", "#d7dae0"}

// A pen is how text is written.
type pen struct {
	colour        string
	bold, reverse bool
}

// picture draws a screen that tmux has captured with its colours.
func picture(screen string, columns, rows int, about string) []byte {
	var b bytes.Buffer
	width, height := float64(columns)*cellWidth+2*margin, float64(rows)*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n", width, height, width, height, about)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	fmt.Fprintf(&b, `<g font-family="'DejaVu Sans Mono','Menlo','Consolas',monospace" font-size="15" shape-rendering="crispEdges">`+"\n")
	now := pen{colour: foreground}
	for row, line := range strings.Split(strings.TrimSuffix(screen, "\n"), "\n") {
		column := 0
		for len(line) > 0 {
			if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
				end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' })
				if end < 0 {
					break
				}
				if rest[end] == 'm' {
					now.mark(rest[:end])
				}
				line = rest[end+1:]
				continue
			}
			text, rest := line, ""
			if at := strings.IndexByte(line, '\x1b'); at >= 0 {
				text, rest = line[:at], line[at:]
			}
			now.write(&b, text, row, column)
			column += utf8.RuneCountInString(text)
			line = rest
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// mark takes in the numbers of a sequence that changes how text looks.
func (p *pen) mark(numbers string) {
	for _, field := range strings.Split(numbers, ";") {
		n, _ := strconv.Atoi(field) // an empty one is zero
		switch {
		case n == 0:
			*p = pen{colour: foreground}
		case n == 1:
			p.bold = true
		case n == 7:
			p.reverse = true
		case n == 22:
			p.bold = false
		case n == 27:
			p.reverse = false
		case n >= 30 && n <= 37:
			p.colour = palette[n-30]
		case n == 39:
			p.colour = foreground
		}
	}
}

// write draws text at its cells. Blocks are drawn as what they are, so that bars
// have no gaps whatever the font.
func (p *pen) write(b *bytes.Buffer, text string, row, column int) {
	ink := p.colour
	x, y := margin+float64(column)*cellWidth, margin+float64(row)*cellHeight
	if p.reverse {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, float64(utf8.RuneCountInString(text))*cellWidth, cellHeight, ink)
		ink = background
	}
	var letters strings.Builder
	at := 0
	for _, r := range text {
		if block(b, r, x+float64(at)*cellWidth, y, ink) {
			r = ' '
		}
		letters.WriteRune(r)
		at++
	}
	weight := ""
	if p.bold {
		weight = ` font-weight="bold"`
	}
	// Word by word: a browser makes one blank of several.
	words := []rune(letters.String())
	for begin := 0; begin < len(words); begin++ {
		if words[begin] == ' ' {
			continue
		}
		end := begin
		for end < len(words) && words[end] != ' ' {
			end++
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"%s>%s</text>`+"\n", x+float64(begin)*cellWidth, y+cellHeight*.76,
			float64(end-begin)*cellWidth, ink, weight, html.EscapeString(string(words[begin:end])))
		begin = end
	}
}

// block draws the characters of bars and sparklines; false for any other.
func block(b *bytes.Buffer, r rune, x, y float64, ink string) bool {
	share, opacity := 1.0, 1.0
	switch {
	case r >= '▁' && r <= '█':
		share = float64(r-'▁'+1) / 8
	case r == '░':
		opacity = .2
	default:
		return false
	}
	tall := share * (cellHeight - 4)
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="%.1f"/>`+"\n", x, y+cellHeight-2-tall, cellWidth, tall, ink, opacity)
	return true
}
