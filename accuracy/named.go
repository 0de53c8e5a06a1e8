package accuracy

import (
	"cmp"
	"fmt"
	"slices"

	"assay/spec"
)

// namedGraders mark each answer as its own row says.
var namedGraders = []Grader{{
	Name: "named", Doc: "The grader that the row or turn itself names; " + spec.DefaultNamedGrader + " where it names none.", grade: gradeNamed,
}}

// gradeNamed looks among the graders that a row may name; the table All would hold itself.
func gradeNamed(a *Answer) (Mark, error) {
	name := cmp.Or(a.Key.Grader, spec.DefaultNamedGrader)
	for _, list := range [][]Grader{textGraders, squad2Graders, helmGraders, inspectGraders, gsm8kGraders, choiceGraders} {
		if i := slices.IndexFunc(list, func(g Grader) bool { return g.Name == name }); i >= 0 && list[i].grade != nil {
			mark, err := list[i].grade(a)
			if a.Key.Grader != "" {
				mark.Why = cmp.Or(mark.Why, "by "+name)
			}
			return mark, err
		}
	}
	return Mark{}, fmt.Errorf("the row names the grader %q: want one of %v", name, spec.NamedGraders())
}
