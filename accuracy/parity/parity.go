// Package parity says whether one system still answers as well as another: it pairs the
// graded answers of two systems item by item and holds the difference to a margin that
// was declared beforehand. METHODOLOGY.md states the rule by its id.
//
// It reads grades and nothing else. Whether two systems may be compared at all is decided
// above it; that two tasks mean the same is checked here, for otherwise their items are
// not pairs.
package parity

import (
	"fmt"
	"slices"
	"strings"

	"assay/accuracy"
	"assay/stats"
	"assay/stats/items"
)

// Rule is the id of the rule of verdicts in METHODOLOGY.md.
const Rule = "quality.v1"

// Options say what is asked of a candidate. The zero value is ready to use.
type Options struct {
	// Margin is the largest loss that counts as none, as a share of the span of scores.
	// Zero means the one that the baseline's plan declares.
	Margin float64

	// Margins are those of a policy, in the unit of the score: only tasks and graders of
	// which it knows one are judged. Nil means all of them.
	Margins func(task, grader string) (margin float64, judged bool)

	Alpha float64 // the chance of a wrong verdict; zero means 0.05
	Power float64 // the chance of a verdict that Row.More plans for; zero means 0.8

	// Correction is how P values are corrected over the tasks, one of Corrections. Empty
	// means the first.
	Correction string
}

// A Correction of P values for the number of tests.
type Correction struct {
	Name    string
	correct func([]float64) []float64
}

// Corrections lists how P values may be corrected for the number of tasks: Holm where any
// false alarm counts, the others where many tasks are scanned and a share of false ones
// among the alarms is accepted.
var Corrections = []Correction{
	{"holm", stats.Holm},
	{"benjamini-hochberg", stats.BenjaminiHochberg},
	{"benjamini-yekutieli", stats.BenjaminiYekutieli},
}

func (o Options) withDefaults() Options {
	if o.Alpha == 0 {
		o.Alpha = .05
	}
	if o.Power == 0 {
		o.Power = .8
	}
	if o.Correction == "" {
		o.Correction = Corrections[0].Name
	}
	return o
}

func (o Options) report() Report {
	return Report{Rule: Rule, Alpha: o.Alpha, Power: o.Power, Correction: o.Correction, Rows: []Row{}}
}

// A Report is what the answers say about a candidate.
type Report struct {
	Rule       string    `json:"rule"`
	Alpha      float64   `json:"alpha"`
	Power      float64   `json:"power"`
	Correction string    `json:"correction"`
	Rows       []Row     `json:"rows"`
	Missing    []Missing `json:"missing,omitempty"`
}

// A Missing is a task that cannot be compared. It is never dropped in silence.
type Missing struct {
	Task string `json:"task"`
	Why  string `json:"why"`
}

// Void is the verdict about answers from which a finding forbids to conclude anything.
const Void items.Verdict = "void"

// A Row is one task at one point, by one grader.
type Row struct {
	Task    string `json:"task"`
	Grader  string `json:"grader"`
	Point   string `json:"point"`
	Primary bool   `json:"primary"` // by the task's own grader, its first
	Lower   bool   `json:"lowerIsBetter,omitempty"`

	// The scores over the items that both sides answered, and how many those are.
	Baseline  float64 `json:"baseline"`
	Candidate float64 `json:"candidate"`
	Items     int     `json:"items"`
	Clusters  int     `json:"clusters"`

	// Items that one side alone answered are left out, and counted.
	OnlyBaseline  int `json:"onlyBaseline"`
	OnlyCandidate int `json:"onlyCandidate"`

	// Difference is candidate − baseline. Bounds are what decides: each end holds with
	// confidence 1 − alpha.
	Difference stats.Estimate `json:"difference"`
	Bounds     stats.Interval `json:"bounds"`
	Margin     float64        `json:"margin"`

	// Test is that of the hypothesis that nothing differs, Adjusted its P corrected over
	// the tasks. Others are tests of the same that decide nothing.
	Test     stats.Test   `json:"test"`
	Adjusted float64      `json:"pAdjusted"`
	Others   []stats.Test `json:"otherTests,omitempty"`

	Verdict items.Verdict `json:"verdict"`

	// Void is why nothing may be concluded, where that is the verdict.
	Void []string `json:"void,omitempty"`
	More int      `json:"moreItems,omitempty"` // that would decide

	// Relative is the same as a share of the baseline's score; absent where that is not
	// above zero.
	Relative *stats.Estimate `json:"relative,omitempty"`

	// Reference says whether given shares of the baseline's score are reached, as MLPerf
	// asks.
	Reference []Share `json:"reference,omitempty"`

	// Detectable is the smallest difference that these items show with the power.
	Detectable float64 `json:"detectable,omitempty"`

	// Sampling is the share of the variance that answers to one and the same item explain:
	// more samples of each item take it away, and more items the rest. Absent where no item
	// was answered twice.
	Sampling *float64 `json:"samplingShare,omitempty"`

	// Floor is the difference that launches of one and the same system show by chance, 95
	// times of 100; absent where no side was launched twice.
	Floor *float64 `json:"floor,omitempty"`

	Flips   *items.Flips `json:"flips,omitempty"`
	Changed []Change     `json:"changed,omitempty"` // the items whose score changed, losses first

	Warnings []string `json:"warnings,omitempty"`

	demand    items.Demand
	judgement *items.Judgement // nil for scores of a whole corpus
	workers   [2]int
}

// A Share is a policy such as "99 % of the reference".
type Share struct {
	Target  float64       `json:"target"`
	Verdict items.Reached `json:"verdict"`

	// Above says on which side the score itself lies, without regard to chance.
	Above bool `json:"above"`
}

// Name is the task and grader as policies write them, with the point where there is one.
func (r Row) Name() string {
	name := r.Task + "." + r.Grader
	if r.Point != "" {
		name += " at " + r.Point
	}
	return name
}

// Holds reports whether the candidate is shown to be no worse than the margin allows.
func (r Row) Holds() bool {
	return r.Verdict == items.Equivalent || r.Verdict == items.NotInferior || r.Verdict == items.Better
}

// Loss is by how much the candidate scores worse; negative where it scores better.
func (r Row) Loss() float64 {
	if r.Lower {
		return r.Difference.Value
	}
	return -r.Difference.Value
}

// Change is the difference with its bounds, as printed.
func (r Row) Change() string {
	return accuracy.DifferenceText(r.Grader, r.Difference.Value, r.Bounds.Lo, r.Bounds.Hi)
}

// Why says the verdict in a sentence, with the numbers that made it.
func (r Row) Why() string {
	text := fmt.Sprintf("%s on %d items", r.Change(), r.Items)
	if r.Flips != nil {
		text += fmt.Sprintf(" (%d lost, %d gained)", r.Flips.Lost, r.Flips.Gained)
	}
	text += ", margin " + accuracy.MarginText(r.Grader, r.Margin)
	if r.Verdict == Void {
		return text + ": " + strings.Join(r.Void, "; ")
	}
	if r.Verdict == items.Undecided {
		if r.More > 0 {
			return text + fmt.Sprintf(": about %d more items would decide", r.More)
		}
		return text + ": these items cannot decide"
	}
	return text
}

// Judge holds a candidate to a baseline, task by task and point by point.
func Judge(baseline, candidate Side, options Options) (Report, error) {
	o := options.withDefaults()
	r := o.report()
	candidate, notes := candidate.Aligned(baseline)
	a, b := baseline.cells(), candidate.cells()
	for _, t := range baseline.Tasks {
		other, there := candidate.task(t.Name)
		switch {
		case notes[t.Name] != "" && (!there || other.Identity != t.Identity):
			r.Missing = append(r.Missing, Missing{t.Name, notes[t.Name]})
			continue
		case !there:
			r.Missing = append(r.Missing, Missing{t.Name, candidate.Label + " was not asked it"})
			continue
		case other.Identity != t.Identity:
			r.Missing = append(r.Missing, Missing{t.Name, fmt.Sprintf("it is not the same task: %s; %s", t.Identity, other.Identity)})
			continue
		}
		first := len(r.Rows)
		for _, at := range matched(t, other) {
			if len(at.graders) == 0 {
				r.Missing = append(r.Missing, Missing{t.Name, "no grader is the same on both sides: assay grade BUNDLE --grader shows the answers by others, and --grader of assay eval asks for them"})
				continue
			}
			if err := r.add(t, at, baseline, candidate, a, b, o); err != nil {
				return Report{}, fmt.Errorf("task %s: %w", t.Name, err)
			}
		}
		for i := range r.Rows[first:] {
			if note := notes[t.Name]; note != "" {
				r.Rows[first+i].Warnings = append(r.Rows[first+i].Warnings, note)
			}
		}
	}
	for _, t := range candidate.Tasks {
		if _, there := baseline.task(t.Name); !there {
			r.Missing = append(r.Missing, Missing{t.Name, baseline.Label + " was not asked it"})
		}
	}
	return r, r.settle()
}

// add judges every grader of a task at one point.
func (r *Report) add(t accuracy.Task, at place, baseline, candidate Side, a, b map[key]*answers, o Options) error {
	for i, grader := range at.graders {
		row := Row{Task: t.Name, Grader: grader, Point: at.name, Primary: i == 0}
		if o.Margins != nil {
			var judged bool
			if row.Margin, judged = o.Margins(t.Name, grader); !judged {
				continue
			}
		}
		p := pairUp(a[key{t.Name, grader, at.baseline}], b[key{t.Name, grader, at.candidate}])
		if len(p.items) == 0 {
			r.Missing = append(r.Missing, Missing{row.Name(), "no item was answered and graded on both sides"})
			continue
		}
		if err := row.judge(p, t, o); err != nil {
			return err
		}
		row.noise(at)
		row.workers = [2]int{baseline.Workers, candidate.Workers}
		r.Rows = append(r.Rows, row)
	}
	return nil
}

// settle corrects the tests over the tasks' own graders, and over the others, and
// decides.
func (r *Report) settle() error {
	at := slices.IndexFunc(Corrections, func(c Correction) bool { return c.Name == r.Correction })
	if at < 0 {
		return fmt.Errorf("correction %q: want %s, %s or %s", r.Correction, Corrections[0].Name, Corrections[1].Name, Corrections[2].Name)
	}
	for _, primary := range []bool{true, false} {
		var family []*Row
		var p []float64
		for i := range r.Rows {
			if r.Rows[i].Primary == primary {
				family, p = append(family, &r.Rows[i]), append(p, r.Rows[i].Test.P)
			}
		}
		for i, adjusted := range Corrections[at].correct(p) {
			family[i].decide(adjusted)
			family[i].warn()
		}
	}
	return nil
}
