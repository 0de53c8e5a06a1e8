package warehouse

import (
	"math"
	"runtime"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/accuracy/parity"
	"assay/analysis/diff"
	"assay/metric"
	"assay/stats"
)

// The states of a change.
const (
	Confirmed = "confirmed" // by the test over the whole series
	Suspected = "suspected" // the newest runs departed from the level: a confirmation run settles it
	Settled   = "accepted"  // somebody accepted a run at or after it
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
	// Alpha is the largest P of a change, over all series that are looked at together.
	// Zero means 0.001.
	Alpha float64

	// Recent is how many of the newest runs must depart from the level before a change is
	// suspected. Zero means 2.
	Recent int

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
	if d.Recent == 0 {
		d.Recent = 2
	}
	d.together = max(1, d.together)
	if d.Between == nil {
		d.Between = func() error { return nil }
	}
	return d
}

// method names what Changes does, with the processor, whose sums may differ in the last
// bit. Whoever has Changes give another answer for the same values raises the number:
// answers that are remembered from before are then never met again.
const method = "changes/2 " + runtime.GOARCH

// each is the share of alpha that one of the two tests of one series gets.
func (d Detection) each() float64 { return d.Alpha / 2 / float64(d.together) }

// Changes finds the places at which a series changed: those that E-divisive means with a
// permutation test finds, and a departure of the newest runs from the level that is left.
func (d Detection) Changes(xs []float64) ([]Change, error) {
	d = d.withDefaults()
	points, err := stats.ChangePoints(xs, stats.ChangePointOptions{Alpha: d.each(), Seed: d.Seed, Between: d.Between})
	if err != nil {
		return nil, err
	}
	list := []Change{}
	for _, p := range points {
		list = append(list, Change{At: p.At, State: Confirmed, P: p.P, Method: p.Method})
	}
	if c, departs := d.departure(xs, lastStart(list)); departs {
		list = append(list, c)
	}
	for i := range list {
		from, to := 0, len(xs)
		if i > 0 {
			from = list[i-1].At
		}
		if i+1 < len(list) {
			to = list[i+1].At
		}
		c := &list[i]
		c.Before, c.After = stat.Mean(xs[from:c.At], nil), stat.Mean(xs[c.At:to], nil)
		c.Relative = c.After/c.Before - 1
	}
	return list, nil
}

// lastStart is where the newest level begins.
func lastStart(list []Change) int {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].At
}

// departure tests the newest values against the level that began at from.
func (d Detection) departure(xs []float64, from int) (Change, bool) {
	at := len(xs) - d.Recent
	if at <= from {
		return Change{}, false
	}
	t, err := stats.Departure(xs[from:at], xs[at:])
	if err != nil { // too few values before it make no level
		return Change{}, false
	}
	return Change{At: at, State: Suspected, P: t.P, Method: t.Method}, t.P <= d.each()
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
	s.Changes = list
	s.Noise = d.noise(s.Values[lastStart(list):])
	return nil
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
	if len(xs) >= stats.FewestBefore {
		d = d.withDefaults()
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(xs) - 1)}
		far := t.Quantile(1-d.each()/2) + t.Quantile(.95)
		n.Detectable = positive(far * *n.RunCV * math.Sqrt(1/float64(len(xs))+1/float64(d.Recent)))
	}
	return n
}

func positive(v float64) *float64 { return &v }
