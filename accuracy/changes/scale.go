package changes

import (
	"assay/accuracy"
	"assay/unit"
)

// A scale says what a higher mark means.
type scale struct {
	own   bool // it has no right and wrong, as perplexity and log-likelihood have none
	lower bool // less is better
}

// scaleOf is the scale of a grader: its own where it says so, or where a mark of either side
// is beyond 0 to 1, as those of scorers may be.
func scaleOf(grader string, sides ...[]accuracy.Grade) (s scale) {
	if g, err := accuracy.Find(grader); err == nil {
		s = scale{own: g.Unit != "" && g.Unit != unit.Share, lower: g.Lower}
	}
	for _, grades := range sides {
		for _, g := range grades {
			if g.Grader == grader && g.Score != nil && (*g.Score < 0 || *g.Score > 1) {
				s.own = true
			}
		}
	}
	return s
}

// kind is what became of a mark that differs.
func (s scale) kind(higher bool) Kind {
	switch {
	case s.own && higher:
		return Rose
	case s.own:
		return Fell
	case higher != s.lower:
		return Gained
	}
	return Lost
}
