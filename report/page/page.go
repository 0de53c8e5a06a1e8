// Package page writes reports, comparisons and gates as one HTML file that needs
// nothing beside it.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"

	"assay/report"
	"assay/stats"
)

//go:embed html
var files embed.FS

// The parts of the page's script, in the order in which they are needed.
var scripts = []string{"scale.js", "draw.js", "pointer.js", "chart.js", "boxes.js", "answers.js", "page.js"}

// HTML writes the report as one page that needs nothing beside it: tables that any
// browser shows, charts that JavaScript makes alive, and a policy that forbids the
// page every connection.
func HTML(w io.Writer, r report.Report) error {
	p := document{Title: strings.Join(r.Subject(), " · "), Kind: "Benchmark report " + r.RunID, Alarm: r.Alarm(), Badges: badges(r)}
	x := newExhibit(r)
	p.Parts = x.parts()
	return p.write(w)
}

// Alive is the part after which the script stands: the first with charts, so that
// those answer while a long page is still being read.
func (p document) Alive() int {
	for i, one := range p.Parts {
		if len(one.Charts) > 0 {
			return i
		}
	}
	return len(p.Parts) - 1
}

// A document is a page before it is written.
type document struct {
	Title  string
	Kind   string
	Alarm  string // said before anything else; empty when all is well
	Badges []badge
	Parts  []part
}

// A badge is one word about the whole, with what it means.
type badge struct {
	Name, Value string
	Class       string // good, bad or nothing; the words say the same
}

// A part is a piece of a page: everything in it may be missing.
type part struct {
	ID     string
	Title  string
	Class  string
	Fold   string // the line under which the part is folded; empty for one that is always seen
	Open   bool   // folded, and unfolded at first
	Folded bool   // a section of which only the heading is seen at first
	Lines  []string
	Points []string
	Pairs  [][2]string
	Head   []string
	Rows   [][]string
	Table  string // of a headline: fit is as wide as the page, and wide has intervals below their values too
	Tiles  []report.Tile
	Pre    string
	Charts []chart
	Bars   []bar
	Parts  []part

	Examples []example
}

// empty reports whether there is nothing to say.
func (p part) empty() bool {
	return len(p.Lines)+len(p.Points)+len(p.Pairs)+len(p.Rows)+len(p.Charts)+len(p.Parts)+len(p.Tiles)+len(p.Bars)+len(p.Examples) == 0 && p.Pre == ""
}

func (p *part) add(inner ...part) {
	for _, one := range inner {
		if !one.empty() {
			p.Parts = append(p.Parts, one)
		}
	}
}

func (p document) write(w io.Writer) error {
	style, script, err := assetsOf()
	if err != nil {
		return err
	}
	for i, one := range p.Parts {
		p.Parts[i] = one.fitted()
	}
	t, err := pageTemplate()
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		document
		Policy string
		Style  template.CSS
		Script template.JS
	}{p, policy(style, script), template.CSS(style), template.JS(script)})
}

func pageTemplate() (*template.Template, error) {
	return template.New("page.tmpl").Funcs(template.FuncMap{
		"data": chart.data, "drawing": drawing, "cell": splitCell, "kind": cellKind,
	}).ParseFS(files, "html/page.tmpl")
}

func assetsOf() (style, script string, err error) {
	css, err := files.ReadFile("html/style.css")
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	b.WriteString("\"use strict\";\n(() => {\n")
	for _, name := range scripts {
		js, err := files.ReadFile("html/" + name)
		if err != nil {
			return "", "", err
		}
		b.Write(js)
	}
	b.WriteString("})();\n")
	return string(css), b.String(), nil
}

// policy forbids the page everything but its own style and script, named by their
// digests: nothing is fetched, and text that came out of a target cannot run.
func policy(style, script string) string {
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", digest(style), digest(script))
}

// splitCell parts a value from its interval, which is set smaller.
func splitCell(text string) [2]string {
	if i := strings.Index(text, " ["); i > 0 && strings.HasSuffix(text, "]") {
		return [2]string{text[:i], text[i+1:]}
	}
	return [2]string{text, ""}
}

// cellKind tells cells that say why there is nothing to show, and cells of prose,
// from those of figures, which are never broken.
func cellKind(text string) string {
	const figure = 30 // letters of a value with its interval
	switch {
	case stats.IsTooFew(text), strings.HasSuffix(text, "[no interval]"):
		return "weak"
	case utf8.RuneCountInString(text) > figure:
		return "text"
	}
	return ""
}
