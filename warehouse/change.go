package warehouse

import (
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/accuracy/parity"
	"assay/analysis/diff"
	"assay/metric"
	"assay/stats"
	"assay/suite/acts"
)

// The states of a change.
const (
	Confirmed = "confirmed"    // three runs or more lie on the level after it
	Suspected = "suspected"    // two runs left the level: a confirmation run settles it
	Recovered = "recovered"    // the newest three runs lay in the level before it again
	Hindsight = "in hindsight" // nobody could see it then: old history, tidied up
	Settled   = "accepted"     // somebody accepted a run at or after it
)

// A Change is a place at which a series changed.
type Change struct {
	At       int     `json:"at"` // of the first value after it
	State    string  `json:"state"`
	Before   float64 `json:"before"` // level of the values before it, up to the change before
	After    float64 `json:"after"`
	Relative float64 `json:"relative"`
	Worse    bool    `json:"worse"`
	P        float64 `json:"p"`
	Method   string  `json:"method"`
	Kind     string  `json:"kind"` // step, drift or modes

	// Level is what the series was like when the change was seen: what later runs are held
	// against. It is empty for one that was found in hindsight.
	Level stats.RememberedLevel `json:"level"`
	Seen  int                   `json:"-"` // the value that showed it first
	over  int                   // the value that showed that it is over; 0: none

	// Part says that it goes on with an earlier change, the same drift or the same two modes,
	// and raises no alert of its own as long as nobody has closed the one of that. Root is
	// the value at which the earlier one was, or its own.
	Part bool `json:"part,omitempty"`
	Root int  `json:"-"`

	// Alert is the state of the alert that it raised; empty where it raised none.
	Alert string `json:"alert,omitempty"`

	LastGood string `json:"lastGood"` // ids of the runs on either side
	FirstBad string `json:"firstBad"`

	// Differences is what changed between the two besides the result; Unknown says why
	// that cannot be said.
	Differences []diff.Change `json:"differences,omitempty"`
	Unknown     string        `json:"unknown,omitempty"`

	// Paired is the test by item, for scores whose runs both kept their grades.
	Paired []parity.Row `json:"paired,omitempty"`
}

// Noise is how much a series moves while nothing changes.
type Noise struct {
	Runs       int      `json:"runs"`       // of the newest level
	RunCV      *float64 `json:"runCV"`      // between runs of that level; null for fewer than three
	LaunchCV   *float64 `json:"launchCV"`   // between launches of a run, the root of the mean square
	Detectable *float64 `json:"detectable"` // the relative step that two runs show with a chance of 95 %
}

// Detection tunes the search for changes. The zero value is ready to use.
type Detection struct {
	// Alpha is how many false alarms a look at a stable series may raise. Zero means 0.001. In
	// hindsight, changes are found at half of it over all series that are looked at together.
	Alpha float64

	// Seed is that of the permutations.
	Seed int64

	// Between is called before everything that takes long: each arrangement of values whose
	// changes nobody remembers, and the reading of two bundles. It may let others go first,
	// and its error ends the search. Nil means that nobody is waited for.
	Between func() error

	// together is how many series are looked at.
	together int
}

func (d Detection) withDefaults() Detection {
	if d.Alpha == 0 {
		d.Alpha = .001
	}
	d.together = max(1, d.together)
	if d.Between == nil {
		d.Between = func() error { return nil }
	}
	return d
}

// method names what hindsight does, with the processor, whose sums may differ in the last
// bit. Whoever has it give another answer for the same values raises the number: answers
// that are remembered from before are then never met again.
const method = "hindsight/1 " + runtime.GOARCH

// each is the P of changes that are found in hindsight.
func (d Detection) each() float64 { return d.Alpha / 2 / float64(d.together) }

// alarmShare of alpha is the P at which a step of level is seen in a long series: many places
// are looked at after each run, and half of the steps are for the better. Young series get
// more of it: see stats.LevelStepP. What it costs is counted in docs/evidence/change-points.md.
const alarmShare = .1

// StepP is the P that is asked of a step with so many runs before and after it.
func (d Detection) StepP(before, after int) float64 {
	return stats.LevelStepP(float64(before), float64(after), d.withDefaults().Alpha*alarmShare)
}

// Steps are the changes that somebody who looked after every run has seen: what they saw once
// does not change with what comes later. Those for the worse raise alerts.
func (d Detection) Steps(xs []float64) []Change {
	d = d.withDefaults()
	list := []Change{}
	all := stats.LevelSteps(xs, d.Alpha*alarmShare)
	for i, s := range all {
		end := len(xs)
		if i+1 < len(all) {
			end = all[i+1].At
		}
		if s.Over > 0 {
			end = min(end, max(s.At+1, s.Over-stats.FewestBack))
		}
		c := Change{At: s.At, State: Confirmed, P: s.P, Method: stats.LevelStepMethod, Kind: s.Kind, Level: s.Before, Seen: s.Seen - 1, Root: all[s.Root].At, Part: s.Root != i, Before: s.Before.Centre, After: stat.Mean(xs[s.At:end], nil)}
		switch {
		case s.Over > 0:
			c.State, c.over = Recovered, s.Over-1
		case end-s.At <= stats.FewestAfter:
			c.State = Suspected
		}
		c.Relative = c.After/c.Before - 1
		if c.Part {
			list[s.Root].takes(c)
		}
		list = append(list, c)
	}
	return list
}

// takes makes a change what the later part of it shows: a drift, or two modes, which are not
// over because the runs are in the better one.
func (c *Change) takes(part Change) {
	c.Kind = part.Kind
	if c.Kind == stats.SwitchStep {
		c.State = Confirmed
	}
}

// hindsight finds the places at which a series changed, knowing all of it.
func (d Detection) hindsight(xs []float64) ([]Change, error) {
	points, err := stats.ChangePoints(xs, stats.ChangePointOptions{Alpha: d.each(), Seed: d.Seed, Between: d.Between})
	if err != nil {
		return nil, err
	}
	list := []Change{}
	for i, p := range points {
		from, to := 0, len(xs)
		if i > 0 {
			from = points[i-1].At
		}
		if i+1 < len(points) {
			to = points[i+1].At
		}
		c := Change{At: p.At, State: Hindsight, P: p.P, Method: p.Method, Before: stat.Mean(xs[from:p.At], nil), After: stat.Mean(xs[p.At:to], nil)}
		c.Relative = c.After/c.Before - 1
		list = append(list, c)
	}
	return list, nil
}

// withHindsight adds to what was seen what was not, in the order of time.
func withHindsight(seen, late []Change) []Change {
	for _, c := range late {
		if !slices.ContainsFunc(seen, func(s Change) bool {
			return abs(s.At-c.At) <= near || s.over > 0 && abs(s.over-stats.FewestBack+1-c.At) <= near
		}) {
			c.Kind = stats.PlainStep
			seen = append(seen, c)
		}
	}
	slices.SortStableFunc(seen, func(a, b Change) int { return a.At - b.At })
	return seen
}

func abs(n int) int { return max(n, -n) }

// lastStart is where the newest level begins.
func lastStart(list []Change) int {
	if len(list) == 0 {
		return 0
	}
	last := list[len(list)-1]
	return max(last.At, last.over-stats.FewestBack+1)
}

// Open reports whether a change got worse in a way that is not over and that nobody decided
// about.
func (c Change) Open() bool {
	switch c.Alert {
	case "":
		return c.Worse && !c.Part && (c.State == Confirmed || c.State == Suspected)
	case AlertOpen, acts.Acknowledged:
		return true
	}
	return false
}

// detect fills in what follows from the values of a series.
func (s *Series) detect(d Detection, changes func([]float64) ([]Change, error)) error {
	xs := make([]float64, len(s.Values))
	for i, v := range s.Values {
		xs[i] = v.Value
	}
	list, err := changes(xs)
	if err != nil {
		return err
	}
	for i := range list {
		c := &list[i]
		c.Worse = (c.After > c.Before) == (s.Better == string(metric.Lower))
		c.LastGood, c.FirstBad = s.Values[c.At-1].RunID, s.Values[c.At].RunID
		for _, v := range s.Values[c.At:] {
			if v.Accepted {
				c.State = Settled
			}
		}
	}
	s.Changes, s.Outliers = list, outliersOf(xs, list)
	s.Noise = d.noise(s.Values[lastStart(list):])
	return nil
}

// outliersOf are the places of values that lie apart from their level: one run alone is no
// change.
func outliersOf(xs []float64, list []Change) (places []int) {
	from := 0
	for i := range len(list) + 1 {
		to := len(xs)
		if i < len(list) {
			to = list[i].At
		}
		for _, at := range stats.LevelOutliers(xs[from:to]) {
			places = append(places, from+at)
		}
		from = to
	}
	return places
}

// noise is that of values on one level.
func (d Detection) noise(values []Value) Noise {
	n := Noise{Runs: len(values)}
	var xs, squares []float64
	for _, v := range values {
		xs = append(xs, v.Value)
		if v.CV != nil {
			squares = append(squares, *v.CV**v.CV)
		}
	}
	if len(squares) > 0 {
		n.LaunchCV = positive(math.Sqrt(stat.Mean(squares, nil)))
	}
	if len(xs) < 3 {
		return n
	}
	mean, sd := stat.MeanStdDev(xs, nil)
	if mean == 0 {
		return n
	}
	n.RunCV = positive(sd / math.Abs(mean))
	if len(xs) >= stats.FewestLevel {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(xs) - 1)}
		far := t.Quantile(1-d.StepP(len(xs), stats.FewestAfter)/2) + t.Quantile(.95)
		n.Detectable = positive(far * *n.RunCV * math.Sqrt(1/float64(len(xs))+1./stats.FewestAfter))
	}
	return n
}

func positive(v float64) *float64 { return &v }
