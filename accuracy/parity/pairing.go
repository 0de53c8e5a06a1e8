package parity

import (
	"slices"
	"strings"

	"assay/accuracy"
	"assay/stats/items"
)

// A key names the answers to one task at one point, by one grader.
type key struct {
	task, grader string
	point        int32
}

// answers are those of one side under one key, item by item in the order of their first
// appearance.
type answers struct {
	order []string
	of    map[string]*answer
}

// An answer is everything that one side said to one item: launches, samples and passes
// are all samples of it.
type answer struct {
	cluster string
	said    string // what the grader took out of the first answer
	scores  []float64
	stats   [][]float64
}

func (s Side) cells() map[key]*answers {
	cells := map[key]*answers{}
	for _, g := range s.Grades {
		if g.Score == nil {
			continue // no answer: neither right nor wrong
		}
		k := key{g.Task, g.Grader, g.Point}
		c := cells[k]
		if c == nil {
			c = &answers{of: map[string]*answer{}}
			cells[k] = c
		}
		one := c.of[g.Item]
		if one == nil {
			one = &answer{cluster: g.Cluster, said: g.Extracted}
			c.of[g.Item] = one
			c.order = append(c.order, g.Item)
		}
		one.scores = append(one.scores, *g.Score)
		if g.Stats != nil {
			one.stats = append(one.stats, g.Stats)
		}
	}
	return cells
}

// A place is a point of one side and the one of the other that belongs to it.
type place struct {
	name                string
	baseline, candidate int32
	graders             []string
	points              [2]accuracy.Point
}

// matched pairs the points of a task by name. Two sides of one point each are a pair
// whatever it is called.
func matched(a, b accuracy.Task) []place {
	var list []place
	several := len(a.Points) > 1 || len(b.Points) > 1
	for _, p := range a.Points {
		for _, q := range b.Points {
			if p.Name != q.Name && several {
				continue
			}
			list = append(list, placeOf(p, q))
		}
	}
	return list
}

// A Meeting is a load at which both sides answered: its name and its number in each.
type Meeting struct {
	Names  [2]string
	Points [2]int32
}

// Places lists the loads at which two sides meet, over all tasks.
func Places(a, b Side) (list []Meeting) {
	for _, t := range a.Tasks {
		other, both := b.task(t.Name)
		if !both {
			continue
		}
		for _, at := range matched(t, other) {
			m := Meeting{[2]string{at.points[0].Name, at.points[1].Name}, [2]int32{at.baseline, at.candidate}}
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	return list
}

// placeOf pairs two points, by the graders that both have.
func placeOf(p, q accuracy.Point) place {
	at := place{name: q.Name, baseline: p.Point, candidate: q.Point, points: [2]accuracy.Point{p, q}}
	for _, s := range p.Scores {
		for _, other := range q.Scores {
			if s.Grader == other.Grader {
				at.graders = append(at.graders, s.Grader)
			}
		}
	}
	return at
}

// paired is the items that both sides answered.
type paired struct {
	names        []string
	items        []items.Pair
	a, b         []*answer
	onlyA, onlyB int
}

func pairUp(a, b *answers) paired {
	var p paired
	if a == nil || b == nil {
		if a != nil {
			p.onlyA = len(a.order)
		}
		if b != nil {
			p.onlyB = len(b.order)
		}
		return p
	}
	for _, item := range a.order {
		one, other := a.of[item], b.of[item]
		if other == nil {
			p.onlyA++
			continue
		}
		p.names = append(p.names, item)
		p.items = append(p.items, items.Pair{Cluster: one.cluster, Group: stem(item), A: one.scores, B: other.scores})
		p.a, p.b = append(p.a, one), append(p.b, other)
	}
	p.onlyB = len(b.order) - len(p.items)
	return p
}

// stem is an id up to its last separator, passage-12 of passage-12/q3: whoever numbers the
// questions about one text does it so. Empty where there is none.
func stem(id string) string { return id[:max(0, strings.LastIndexAny(id, "/:#._-"))] }

// span is the largest difference that one item can make: 1 for shares, and for scores on
// another scale the largest difference from each other or from 0 that was seen.
func (p paired) span() float64 {
	least, most := 0.0, 0.0
	for _, pair := range p.items {
		for _, side := range [][]float64{pair.A, pair.B} {
			for _, v := range side {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	return max(1, most-least)
}

// negated is the pairs of scores of which less is better.
func (p paired) negated() []items.Pair {
	list := make([]items.Pair, len(p.items))
	for i, pair := range p.items {
		list[i] = items.Pair{Cluster: pair.Cluster, Group: pair.Group, A: negative(pair.A), B: negative(pair.B)}
	}
	return list
}

func negative(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = -v
	}
	return list
}
