package assay

import (
	"maps"
	"slices"
)

// A mark is a place in a drawing of the floors: a folder, or the spot where a long
// arrow passes a floor between its ends.
type mark struct {
	name  string // of the folder; empty for a spot
	side  int    // -1 makers, 1 readers, 0 neither
	floor int
	x     float64
	up    []*mark // arrows come from them
	down  []*mark // and go to them
}

func (m *mark) width() float64 {
	if m.name == "" {
		return 16
	}
	return 112
}

// layout places every folder on its floor, tests left out, such that few arrows
// cross, as Sugiyama and others do it: long arrows get a spot on each floor that they
// pass, and each floor is put in the order of what it is connected with, again and
// again.
func (h house) layout(tree []source, width float64) [][]*mark {
	rows := make([][]*mark, len(h.floors))
	marks := map[string]*mark{}
	for floor, rooms := range h.floors {
		for _, room := range rooms {
			marks[room] = &mark{name: room, side: h.wings.side(room), floor: floor}
			rows[floor] = append(rows[floor], marks[room])
		}
	}
	for _, row := range rows {
		for i, m := range row {
			m.x = width * (float64(i) + 0.5) / float64(len(row))
		}
	}
	arrows := needed(rooms(h.graph(tree)))
	for _, from := range slices.Sorted(maps.Keys(arrows)) {
		for _, to := range arrows[from] {
			connect(rows, marks[from], marks[to])
		}
	}
	for range 24 {
		for _, row := range rows {
			arrange(row, func(m *mark) []*mark { return m.down }, width)
		}
		for _, row := range slices.Backward(rows) {
			arrange(row, func(m *mark) []*mark { return m.up }, width)
		}
	}
	for _, row := range rows {
		arrange(row, func(m *mark) []*mark { return slices.Concat(m.up, m.down) }, width)
	}
	return rows
}

func (w wings) side(room string) int {
	switch {
	case slices.Contains(w.makers, room):
		return -1
	case slices.Contains(w.readers, room):
		return 1
	}
	return 0
}

// rooms is the graph of top-level folders; what tests and benchmarks import is no part
// of the architecture.
func rooms(graph map[string][]string) map[string][]string {
	out := map[string][]string{}
	for dir, list := range graph {
		if below(dir) == "benchmark" || roomOf(dir) == "tests" {
			continue
		}
		for _, imported := range list {
			from, to := roomOf(dir), roomOf(imported)
			if from != to && !slices.Contains(out[from], to) {
				out[from] = append(out[from], to)
			}
		}
	}
	return out
}

// needed leaves out the arrows that a longer way implies: what run reaches through
// load it need not be seen to reach by itself.
func needed(graph map[string][]string) map[string][]string {
	out := map[string][]string{}
	for from, list := range graph {
		for _, to := range list {
			implied := slices.ContainsFunc(list, func(by string) bool {
				return by != to && wayTo(graph, by, []string{to}) != nil
			})
			if !implied {
				out[from] = append(out[from], to)
			}
		}
		slices.Sort(out[from])
	}
	return out
}

// connect draws an arrow downwards, with a spot on every floor between.
func connect(rows [][]*mark, from, to *mark) {
	at := from
	for floor := from.floor - 1; floor > to.floor; floor-- {
		spot := &mark{side: from.side, floor: floor}
		if spot.side == 0 {
			spot.side = to.side
		}
		rows[floor] = append(rows[floor], spot)
		at.down, spot.up = append(at.down, spot), append(spot.up, at)
		at = spot
	}
	at.down, to.up = append(at.down, to), append(to.up, at)
}

const (
	between = 14.0 // two marks of a floor
	margin  = 40.0 // of the drawing, left and right
)

// arrange puts a floor in the order of its neighbours, makers left and readers right,
// and as near to them as there is room.
func arrange(row []*mark, neighbours func(*mark) []*mark, width float64) {
	wish := map[*mark]float64{}
	for _, m := range row {
		wish[m] = m.x
		if list := neighbours(m); len(list) > 0 {
			sum := 0.0
			for _, n := range list {
				sum += n.x
			}
			wish[m] = sum / float64(len(list))
		}
	}
	slices.SortStableFunc(row, func(a, b *mark) int {
		if a.side != b.side {
			return a.side - b.side
		}
		return sign(wish[a] - wish[b])
	})
	spread(row, wish, width)
}

// spread gives each mark of a row the place that it wishes for, as far as the others
// leave room: the mean of giving way to the right and of giving way to the left.
func spread(row []*mark, wish map[*mark]float64, width float64) {
	right, end := make([]float64, len(row)), margin
	for i, m := range row {
		right[i] = max(wish[m], end+m.width()/2)
		end = right[i] + m.width()/2 + between
	}
	start := width - margin
	for i, m := range slices.Backward(row) {
		left := min(wish[m], start-m.width()/2)
		start = left - m.width()/2 - between
		m.x = (left + right[i]) / 2
	}
	start = width - margin
	for _, m := range slices.Backward(row) { // the mean may stand out on the right
		m.x = min(m.x, start-m.width()/2)
		start = m.x - m.width()/2 - between
	}
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}
