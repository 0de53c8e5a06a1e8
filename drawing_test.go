package assay

import (
	"fmt"
	"html"
	"os"
	"strings"
	"testing"
)

const (
	drawingWidth = 1560.0
	floorHeight  = 96.0
	boxHeight    = 36.0
	topMargin    = 96.0
)

// TestDrawing keeps docs/architecture.svg equal to the imports. With -update it draws
// it again.
func TestDrawing(t *testing.T) {
	const path = "docs/architecture.svg"
	h := ours
	h.floors = h.floors[:len(h.floors)-1] // tests stand above everything
	tree := thisTree(t)
	got := h.draw(h.layout(tree, drawingWidth), firstSentences(tree))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s is not what the imports give (%v): run go test . -update", path, err)
	}
}

// draw writes the floors as SVG, the ground at the bottom.
func (h house) draw(rows [][]*mark, about map[string]string) string {
	var b strings.Builder
	height := topMargin + floorHeight*float64(len(rows))
	fmt.Fprintf(&b, drawingHead, drawingWidth, height, drawingWidth, height, drawingWidth/2)
	for floor := range rows {
		y := floorY(len(rows), floor)
		fmt.Fprintf(&b, `<line class="floor" x1="24" y1="%.0f" x2="%.0f" y2="%.0f"/><text class="number" x="6" y="%.0f">%d</text>`+"\n",
			y+boxHeight/2+10, drawingWidth-24, y+boxHeight/2+10, y+boxHeight/2+4, floor)
	}
	for _, row := range rows {
		for _, m := range row {
			if m.name != "" {
				drawArrows(&b, len(rows), m)
			}
		}
	}
	for _, row := range rows {
		for _, m := range row {
			if m.name != "" {
				h.drawBox(&b, len(rows), m, about[m.name])
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

const drawingHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="The packages of assay by floor; imports go down">
<style>
svg { background: #fff; font-family: system-ui, "DejaVu Sans", sans-serif }
.title { font-size: 20px; font-weight: 600; fill: #1c1c1e }
.legend { font-size: 14px; fill: #444 }
.floor { stroke: #ececf0; stroke-width: 1 }
.number { font-size: 11px; fill: #a0a0a8 }
.arrow { fill: none; stroke-width: 1.3; stroke-opacity: .5 }
rect { stroke-width: 1.3; rx: 8 }
.name { font-size: 15px; text-anchor: middle; fill: #1c1c1e }
rect.makers { fill: #e8f1fb; stroke: #3a78b5 } .arrow.makers { stroke: #3a78b5 }
rect.readers { fill: #fdf0e1; stroke: #c47f1e } .arrow.readers { stroke: #c47f1e }
rect.shared { fill: #f0e9f8; stroke: #7d55ad } .arrow.shared { stroke: #7d55ad }
rect.faces { fill: #eaf5ea; stroke: #4c8c4a } .arrow.faces { stroke: #4c8c4a }
rect.words { fill: #f4f4f6; stroke: #83838c } .arrow.words { stroke: #83838c }
</style>
<!-- made by go test . -update from floors_test.go and the imports -->
<text class="title" x="%.0f" y="36" text-anchor="middle">assay: imports go down; makers and readers never meet</text>
<g class="legend"><rect class="makers" x="392" y="52" width="16" height="16"/><text x="416" y="65">makers touch the world</text>
<rect class="readers" x="612" y="52" width="16" height="16"/><text x="636" y="65">readers touch a bundle</text>
<rect class="shared" x="830" y="52" width="16" height="16"/><text x="854" y="65">both use</text>
<rect class="faces" x="944" y="52" width="16" height="16"/><text x="968" y="65">faces</text>
<rect class="words" x="1040" y="52" width="16" height="16"/><text x="1064" y="65">words they share</text></g>
<text class="number" x="780" y="88" text-anchor="middle">An arrow that a longer way implies is not drawn.</text>
`

// floorY is the middle of a floor.
func floorY(floors, floor int) float64 {
	return topMargin + floorHeight*(float64(floors-1-floor)+0.5)
}

func (h house) drawBox(b *strings.Builder, floors int, m *mark, about string) {
	y := floorY(floors, m.floor)
	fmt.Fprintf(b, `<g><title>%s</title><rect class="%s" x="%.1f" y="%.1f" width="%.0f" height="%.0f"/><text class="name" x="%.1f" y="%.1f">%s</text></g>`+"\n",
		html.EscapeString(about), h.wings.name(m.name), m.x-m.width()/2, y-boxHeight/2, m.width(), boxHeight, m.x, y+5, m.name)
}

// name is the class of a room's wing.
func (w wings) name(room string) string {
	for name, wing := range map[string][]string{"makers": w.makers, "readers": w.readers, "shared": w.shared, "faces": w.faces} {
		for _, one := range wing {
			if one == room {
				return name
			}
		}
	}
	return "words"
}

// drawArrows draws what leaves a box, through its spots to the boxes below.
func drawArrows(b *strings.Builder, floors int, m *mark) {
	for _, next := range m.down {
		x, y := m.x, floorY(floors, m.floor)+boxHeight/2
		fmt.Fprintf(b, `<path class="arrow %s" d="M%.1f %.1f`, ours.wings.name(m.name), x, y)
		for at := next; ; at = at.down[0] {
			end := floorY(floors, at.floor)
			if at.name != "" {
				end -= boxHeight / 2
			}
			bend := (end - y) / 2
			fmt.Fprintf(b, " C%.1f %.1f %.1f %.1f %.1f %.1f", x, y+bend, at.x, end-bend, at.x, end)
			if x, y = at.x, end; at.name != "" {
				break
			}
		}
		b.WriteString("\"/>\n")
	}
}

// firstSentences is what each top-level package says that it is.
func firstSentences(tree []source) map[string]string {
	about := map[string]string{}
	for _, s := range tree {
		if s.file.Doc != nil && !s.test && s.dir == s.room() {
			sentence, _, _ := strings.Cut(strings.ReplaceAll(s.file.Doc.Text(), "\n", " "), ". ")
			about[s.dir] = strings.TrimSuffix(strings.TrimSpace(sentence), ".") + "."
		}
	}
	return about
}
