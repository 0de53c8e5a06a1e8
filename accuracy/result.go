package accuracy

import (
	"cmp"
	"slices"

	"assay/accuracy/lexical"
	"assay/bundle"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/stats/items"
)

// A Report is what the answers of a bundle are worth.
type Report struct {
	// Method is the Method of the code that made it.
	Method string `json:"method"`

	Tasks []Task `json:"tasks"`
}

// statistics is the version of everything between marks and a Report. It is raised whenever
// the same marks would give another number, or a number that was not there before.
const statistics = "2"

// Method names how scores are made, marks and statistics together. A report with another one
// was made by other code and is made again from the answers.
const Method = "statistics " + statistics + ", tasks " + spec.TaskVersion

// A Task is one task's questions, how they were put, and how each point answered them.
type Task struct {
	Name     string  `json:"name"`
	Identity string  `json:"identity"` // what the score means: family, style, examples, data
	Margin   float64 `json:"margin"`
	MinScore float64 `json:"minScore,omitempty"`
	Points   []Point `json:"points"`
}

// A Point is the answers to a task at one point, over all launches.
type Point struct {
	Point    int32         `json:"point"`
	Side     string        `json:"side,omitempty"` // which system, in a run of several
	Name     string        `json:"name"`
	Items    int           `json:"items"`
	Asked    int           `json:"asked"` // answers that were to come, over launches, samples and passes
	States   map[State]int `json:"states"`
	Scores   []Score       `json:"scores"` // one for each grader, the task's score first
	Launches int           `json:"launches"`

	// BestOf is what choosing among several answers by a scorer is worth; none where each
	// question was asked once.
	BestOf []BestOf `json:"bestOf,omitempty"`
}

// A Score is what one grader says.
type Score struct {
	Grader   string         `json:"grader"`
	Estimate stats.Estimate `json:"estimate"` // over items; empty when Unavailable says why
	Right    int            `json:"right"`    // answers with a score of 1
	Graded   int            `json:"graded"`
	Unparsed int            `json:"unparsed"`
	Unscored int            `json:"unscored,omitempty"` // answers that came and that a scorer gave no score

	// OnTime is the score when an answer that took longer than the limit on E2E counts as
	// wrong; nil where spec.slo has none.
	OnTime *float64 `json:"onTime,omitempty"`

	// Bounds are the score had everything that failed been wrong, or right.
	Bounds stats.Interval `json:"bounds"`

	// PerLaunch are the scores of each launch, in order, and Groups of each group of the
	// task, by name.
	PerLaunch []float64 `json:"perLaunch,omitempty"`
	Groups    []Group   `json:"groups,omitempty"`

	// Turns are the scores of each turn, where questions come in conversations.
	Turns []TurnScore `json:"turns,omitempty"`

	// Noise is how much the system differs from itself; nil with fewer than two launches.
	Noise *items.Noise `json:"noise,omitempty"`

	Unavailable string `json:"unavailable,omitempty"`

	Lower     bool   `json:"lower,omitempty"`     // less is better
	Signature string `json:"signature,omitempty"` // how it was made, where the grader's name does not say it all

	// PassAt is the chance that one of k programs passes, for graders that run programs.
	PassAt []PassAt `json:"passAt,omitempty"`
}

// A PassAt is the chance that at least one of K drawn answers is right, estimated without
// bias from as many samples as there are (Chen et al., 2021).
type PassAt struct {
	K     int     `json:"k"`
	Value float64 `json:"value"`
}

// A Group is the score of a part of a task.
type Group struct {
	Name  string  `json:"name"`
	N     int     `json:"n"`
	Score float64 `json:"score"`
}

// Read grades the answers of b by the graders of its plan.
func Read(b *bundle.Bundle, p plan.Plan) (Report, []Grade, error) { return ReadBy(b, p, nil) }

// ReadBy grades the answers of b by other graders, the score first; none means those of its
// plan.
func ReadBy(b *bundle.Bundle, p plan.Plan, graders []string) (Report, []Grade, error) {
	e := p.Evaluation()
	if e == nil {
		return Report{}, nil, nil
	}
	if len(graders) > 0 {
		own := *e
		own.Tasks = slices.Clone(e.Tasks)
		for i := range own.Tasks {
			own.Tasks[i].Graders = graders
		}
		e = &own
	}
	answers, err := Answers(b)
	if err != nil {
		return Report{}, nil, err
	}
	scores, err := ReadScores(b, e)
	if err != nil {
		return Report{}, nil, err
	}
	return GradeAll(answers, p, e, scores)
}

// GradeAll grades answers of p by the graders of e, of which those of scorers read scores.
func GradeAll(answers []Answer, p plan.Plan, e *spec.Evaluation, scores map[string]Scores) (Report, []Grade, error) {
	byTask := map[string][]*Answer{}
	for i := range answers {
		byTask[answers[i].Task] = append(byTask[answers[i].Task], &answers[i])
	}
	r := Report{Method: Method}
	var grades []Grade
	for _, t := range e.Tasks {
		task := Task{Name: t.Name, Identity: Identity(t) + scoredIdentity(t, scores), Margin: e.Margin, MinScore: t.MinScore}
		graded, unavailable, err := gradeTask(t, byTask[t.Name], scores)
		if err != nil {
			return Report{}, nil, err
		}
		task.Points = pointsOf(t, p, byTask[t.Name], graded, unavailable, scores)
		grades = append(grades, graded...)
		r.Tasks = append(r.Tasks, task)
	}
	r.settleTurns()
	return r, grades, nil
}

// gradeTask marks every answer by every grader. A grader that this host cannot run leaves
// its reason in unavailable.
func gradeTask(t spec.Task, answers []*Answer, scores map[string]Scores) (grades []Grade, unavailable map[string]string, err error) {
	unavailable = map[string]string{}
	for _, name := range t.Graders {
		g, err := Find(name)
		if err != nil {
			return nil, nil, err
		}
		var rows []Grade
		if _, scored := spec.ParseScorerGrader(name); scored {
			rows, err = gradeScored(name, scores, answers)
		} else {
			rows, err = g.all(answers)
		}
		if reason := notHere(err); reason != "" {
			unavailable[name] = reason
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		grades = append(grades, rows...)
	}
	return grades, unavailable, nil
}

// A side is one point of one system.
type side struct {
	name  string
	point int32
}

// pointsOf sums the grades of a task point by point, each side for itself.
func pointsOf(t spec.Task, p plan.Plan, answers []*Answer, grades []Grade, unavailable map[string]string, scores map[string]Scores) []Point {
	at := map[side]*Point{}
	launches, asked := map[side]map[int]bool{}, map[side]map[string]bool{}
	for _, a := range answers {
		where := side{a.Side, a.Point}
		point := at[where]
		if point == nil {
			planned, _ := p.PointByIndex(int(a.Point))
			point = &Point{Point: a.Point, Side: a.Side, Name: planned.Name, States: map[State]int{}}
			at[where], launches[where], asked[where] = point, map[int]bool{}, map[string]bool{}
		}
		point.Asked++
		point.States[a.State]++
		launches[where][a.Launch], asked[where][a.Item] = true, true
	}
	byGrader := map[side]map[string][]Grade{}
	for _, row := range grades {
		where := side{row.Side, row.Point}
		if byGrader[where] == nil {
			byGrader[where] = map[string][]Grade{}
		}
		byGrader[where][row.Grader] = append(byGrader[where][row.Grader], row)
	}
	var list []Point
	for where, point := range at {
		point.Launches, point.Items = len(launches[where]), len(asked[where])
		for _, name := range t.Graders {
			g, _ := Find(name)
			score := scoreOf(g, byGrader[where][name], p.Trials().ConfidenceLevel)
			score.OnTime = onTime(g, byGrader[where][name], p.Objectives())
			score.Unavailable = cmp.Or(unavailable[name], score.Unavailable)
			score.Lower = g.Lower
			if g.Signature != nil {
				score.Signature = g.Signature(references(answers))
			}
			if scorer, ok := spec.ParseScorerGrader(name); ok {
				score.Signature, score.Unscored = scores[scorer.Scorer].signatureOf(t.Name), unscored(byGrader[where][name])
			}
			point.Scores = append(point.Scores, score)
		}
		point.BestOf = bestOf(t, byGrader[where], p.Trials().ConfidenceLevel)
		list = append(list, *point)
	}
	slices.SortFunc(list, func(a, b Point) int { return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Point, b.Point)) })
	return list
}

// references is how many each answer has; 0 where it varies.
func references(answers []*Answer) int {
	var all [][]string
	for _, a := range answers {
		all = append(all, a.Key.References)
	}
	return lexical.References(all)
}

// Signatures lists how the scores of t were made, where the grader's name does not say it
// all.
func (t Task) Signatures() (lines []string) {
	if len(t.Points) == 0 {
		return nil
	}
	for _, s := range t.Points[0].Scores {
		if s.Signature != "" {
			lines = append(lines, s.Grader+": "+s.Signature)
		}
	}
	return lines
}
