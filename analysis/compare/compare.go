// Package compare lays measured systems side by side. It says first whether the
// comparison is controlled, which package diff decides, and then for every
// statistic of every metric by which factor the candidate differs from the
// baseline, how sure that is, and whether it means better, worse, equivalent or
// nothing yet.
//
// It reads bundles and estimates only. The launch is the unit: no test ever sees
// a request. METHODOLOGY.md states the rule by its id.
package compare

import (
	"fmt"
	"math"
	"slices"

	"assay/accuracy/parity"
	"assay/analysis/diff"
	"assay/analysis/shift"
	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/stats"
	"assay/unit"
)

// Rule is the id of the rule of verdicts in METHODOLOGY.md.
const Rule = "compare.v1"

// Version is the version of the JSON form of a Report.
const Version = "1.4"

// DefaultMargin is the difference that matters where nobody declared one. It is
// below the five per cent at which the field acts and above the one per cent that
// a well kept machine repeats to, so that a difference of three per cent is told
// and noise of half a per cent is not.
const DefaultMargin = 0.02

// A Side is one measured system.
type Side struct {
	diff.Side

	Label     string           // as reports name it
	Digest    string           // of its bundle
	Estimates metric.Estimates // of this side alone

	// Quality is its graded answers; empty where nothing was graded.
	Quality parity.Side

	// Bundle holds the raw records, for distributions; nil leaves them out.
	Bundle *bundle.Bundle

	// Against says why a result of this side may not be used; nil where nobody judged it.
	Against func(finding.Result) []string

	// Past is what earlier runs teach about the results of this side; nil where nobody
	// keeps them.
	Past Past
}

// A Past says how much a result spreads, as earlier runs of the system show it, without the
// bundles of the digests; false where they are too few.
type Past func(r finding.Result, except ...string) (stats.Past, bool)

// Voids says why a result of the side may not be used; empty where it may.
func (s Side) Voids(r finding.Result) []string {
	if s.Against == nil {
		return nil
	}
	r.Side = s.Name
	return s.Against(r)
}

// Open reads the side called name of b; an empty name means the only one.
func Open(b *bundle.Bundle, estimates metric.Estimates, name string) (Side, error) {
	side, err := diff.Open(b, name)
	if err != nil {
		return Side{}, err
	}
	s := Side{Side: side, Label: b.Manifest.RunID, Digest: b.Manifest.Digest, Estimates: estimates.Of(name), Bundle: b}
	if name != "" {
		s.Label = name
	}
	return s, nil
}

// Grade gives the side the part of its run's graded answers that is its own.
func (s *Side) Grade(answers parity.Side) {
	s.Quality = answers.Of(s.Manifest, s.Plan, s.Name)
}

// Options say how a comparison is judged. The zero value is ready to use.
type Options struct {
	// Variable is the one that may differ. Empty means the one that the
	// candidate's own plan declares.
	Variable string

	// Margin is the relative difference that matters. Zero means what the
	// candidates' plans declare, the smallest where they differ, and DefaultMargin
	// where none does.
	Margin float64

	// Power is the chance to see an effect that Row.Detectable speaks of. Zero
	// means 0.8.
	Power float64

	// MostValues bounds the values read for distributions; a pair with more has
	// none, and says so. Zero means twenty million.
	MostValues int64

	// Quality says how answers are judged; its alpha and power are those of the rest.
	Quality parity.Options
}

func (o Options) withDefaults(candidates []Side) Options {
	if o.Margin == 0 {
		o.Margin = declaredMargin(candidates)
	}
	if o.Power == 0 {
		o.Power = 0.8
	}
	if o.MostValues == 0 {
		o.MostValues = 20_000_000
	}
	return o
}

// declaredMargin is the smallest margin that the plans of candidates declare, or
// DefaultMargin.
func declaredMargin(candidates []Side) float64 {
	margin := 0.0
	for _, c := range candidates {
		if declared := c.Plan.Comparison().Margin; declared > 0 && (margin == 0 || declared < margin) {
			margin = declared
		}
	}
	if margin == 0 {
		return DefaultMargin
	}
	return margin
}

// A Verdict is what a comparison says about one statistic.
type Verdict string

// The verdicts.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	Equivalent   Verdict = "equivalent"   // the difference is shown to lie within the margin
	Inconclusive Verdict = "inconclusive" // neither a difference nor equivalence is shown
	Void         Verdict = "void"         // a finding forbids to conclude anything from it
)

// A Party is a side as a report names it.
type Party struct {
	Label    string `json:"label"`
	RunID    string `json:"runID"`
	Side     string `json:"side,omitempty"`
	Digest   string `json:"digest"`
	Launches int    `json:"launches"` // completed ones
}

// A Comparison is one candidate beside the baseline.
type Comparison struct {
	Candidate Party `json:"candidate"`

	// Controlled says that everything that differs belongs to the declared
	// variable. Otherwise the comparison is exploratory, and Others is why.
	Controlled bool          `json:"controlled"`
	Declared   string        `json:"declared"`           // the variable that may differ
	Variable   string        `json:"variable,omitempty"` // the one that does; empty when nothing differs
	Changes    []diff.Change `json:"changes"`
	Others     []diff.Change `json:"others"`

	// Definitions are what two tools mean by the same words, where another tool
	// measured one of the sides.
	Definitions []Definition `json:"definitions,omitempty"`

	// OneSitting says that all launches were made within a day: the intervals are of it.
	OneSitting bool `json:"oneSitting,omitempty"`

	Paired        bool           `json:"paired"`
	PairedBy      string         `json:"pairedBy,omitempty"` // block or set
	Sets          []NodeSet      `json:"sets,omitempty"`     // the hosts of the launches, where there are several sets of them
	Rows          []Row          `json:"rows"`
	Missing       []Missing      `json:"missing"`
	Distributions []Distribution `json:"distributions,omitempty"`

	// Shifts say at every point where the change of its time comes from: compute,
	// communication, storage or orchestration. Absent where the time is not known in parts.
	Shifts []shift.PointShift `json:"shifts,omitempty"`

	Warnings []string `json:"warnings,omitempty"`

	// Quality says whether the answers are still as good; absent where they were not
	// graded on both sides.
	Quality *parity.Report `json:"quality,omitempty"`

	// Findings are what checks found in the pair: void ones and cautions. The
	// comparison makes none itself, since checks stand above it.
	Findings []finding.Finding `json:"findings,omitempty"`
}

// A Row is one statistic of one metric at one point, on both sides.
type Row struct {
	Metric    string           `json:"metric"` // definition id
	Name      string           `json:"name"`
	Statistic string           `json:"statistic"`
	Unit      unit.Unit        `json:"unit"`
	Better    metric.Direction `json:"better"`
	Point     string           `json:"point"`   // its name; empty for the launch as a whole
	Primary   bool             `json:"primary"` // declared as such in the plan

	Baseline  stats.Estimate `json:"baseline"`
	Candidate stats.Estimate `json:"candidate"`

	// Ratio is candidate ÷ baseline, and Shift the same by ranks; absent where a
	// value is not above zero. Difference is candidate − baseline.
	Ratio      *stats.Estimate `json:"ratio,omitempty"`
	Shift      *stats.Estimate `json:"shift,omitempty"`
	Difference *stats.Estimate `json:"difference,omitempty"`

	// P is that of "they do not differ", Equivalence that of "they differ by the
	// margin or more"; both come with their corrected value. Absent where the
	// launches have no test.
	P           *Tested `json:"p,omitempty"`
	Equivalence *Tested `json:"equivalence,omitempty"`

	// Ranks is the P of a rank test, for launches that are far from log-normal. It
	// decides nothing.
	Ranks *float64 `json:"ranksP,omitempty"`

	Verdict Verdict `json:"verdict"`

	// Void is why nothing may be concluded, where that is the verdict.
	Void []string `json:"void,omitempty"`

	// Differs says that an equivalent pair differs all the same, by less than the
	// margin.
	Differs bool `json:"differs,omitempty"`

	// SittingOnly says that the sides are equivalent in these two runs, and that runs on
	// other days may differ by more than the margin.
	SittingOnly bool `json:"sittingOnly,omitempty"`

	// Detectable is the smallest relative difference that these launches would
	// show; absent where it is infinite.
	Detectable *float64 `json:"detectable,omitempty"`

	// Cliff and HedgesG are effect sizes over the launches, Effect is Cliff's in a
	// word.
	Cliff   *float64 `json:"cliffDelta,omitempty"`
	Effect  string   `json:"effect,omitempty"`
	HedgesG *float64 `json:"hedgesG,omitempty"`

	// Sets are the statistic on every set of hosts that both sides were measured on, where
	// there are several.
	Sets []SetEffect `json:"sets,omitempty"`

	// Past is what earlier runs taught about the spread of the values; absent where the launches
	// alone decide.
	Past *stats.Past `json:"past,omitempty"`

	// Settle says what would turn an inconclusive verdict into another.
	Settle string `json:"settle,omitempty"`

	Warnings []string `json:"warnings,omitempty"`

	values      Values
	uncertified bool
	runSpread   float64 // by how much two runs of one system may differ beside what launches show
	ofLaunches  float64 // P of a difference by the launches alone
	offered     *offered
}

// Tested is the P of a test and what is left of it after the correction for the
// number of tests.
type Tested struct {
	P          float64 `json:"p"`
	Corrected  float64 `json:"corrected"`
	Correction string  `json:"correction"`
	Method     string  `json:"method"`
}

// A Missing is something that one side has and the other has not, or that was
// declared and is nowhere. It is never dropped in silence.
type Missing struct {
	What string `json:"what"` // a point, or a metric at a point
	Side string `json:"side"` // the label of the side that lacks it
	Why  string `json:"why,omitempty"`
}

// A Report is everything a comparison says.
type Report struct {
	Version     string       `json:"version"`
	Rule        string       `json:"rule"`
	Baseline    Party        `json:"baseline"`
	Margin      float64      `json:"margin"`
	Alpha       float64      `json:"alpha"`
	Power       float64      `json:"power"`
	Comparisons []Comparison `json:"comparisons"`
	Engines     []Engines    `json:"engines,omitempty"` // the figures that people choose by, one table for each point that has any
}

// Compare lays every candidate beside the baseline.
func Compare(baseline Side, candidates []Side, options Options) (Report, error) {
	o := options.withDefaults(candidates)
	if len(candidates) == 0 {
		return Report{}, fmt.Errorf("compare %s: want one candidate at least", baseline.Label)
	}
	confidence := baseline.Plan.Trials().ConfidenceLevel
	if confidence == 0 {
		confidence = 0.95
	}
	r := Report{
		Version: Version, Rule: Rule, Baseline: baseline.Party(),
		Margin: o.Margin, Alpha: math.Round(1e9*(1-confidence)) / 1e9, Power: o.Power, // 1 − 0.95 is not quite 0.05
	}
	for _, candidate := range candidates {
		c, err := r.one(baseline, candidate, confidence, o)
		if err != nil {
			return Report{}, fmt.Errorf("%s beside %s: %w", candidate.Label, baseline.Label, err)
		}
		r.Comparisons = append(r.Comparisons, c)
	}
	r.judge()
	r.Engines = engines(r, baseline)
	return r, nil
}

// one measures how far one candidate is from the baseline; verdicts come later,
// when the number of tests is known.
func (r Report) one(baseline, candidate Side, confidence float64, o Options) (Comparison, error) {
	c := Comparison{Candidate: candidate.Party(), Declared: o.Variable, Others: []diff.Change{}, Rows: []Row{}, Missing: []Missing{}}
	if c.Declared == "" {
		c.Declared = candidate.Plan.Comparison().VariableUnderTest
	}
	c.OneSitting = bundle.OneSitting(slices.Concat(baseline.Manifest.Launches, candidate.Manifest.Launches)...)
	c.Changes = diff.Bundles(baseline.Side, candidate.Side)
	variable, rest, ok := diff.Controlled(c.Changes, c.Declared)
	c.Variable, c.Controlled = variable, ok
	c.Others = append(c.Others, rest...)
	c.Definitions = differences(baseline.Manifest, candidate.Manifest)
	if c.Changes == nil {
		c.Changes = []diff.Change{}
	}
	if err := c.match(baseline, candidate, confidence); err != nil {
		return c, err
	}
	var err error
	if c.Shifts, err = shift.Points(shift.Side{Plan: baseline.Plan, Estimates: baseline.Estimates}, shift.Side{Plan: candidate.Plan, Estimates: candidate.Estimates}, confidence); err != nil {
		return c, err
	}
	for _, s := range []Side{baseline, candidate} {
		c.Warnings = append(c.Warnings, s.warnings()...)
	}
	distributions, warning, err := distributions(baseline, candidate, o.MostValues)
	if warning != "" {
		c.Warnings = append(c.Warnings, warning)
	}
	c.Distributions = distributions
	if err != nil {
		return c, err
	}
	c.Quality, err = r.quality(baseline, candidate, o)
	return c, err
}

// Party is the side as reports name it.
func (s Side) Party() Party {
	return Party{Label: s.Label, RunID: s.Manifest.RunID, Side: s.Name, Digest: s.Digest, Launches: s.launches()}
}

// launches counts the completed launches of the side.
func (s Side) launches() int {
	n := 0
	for _, l := range s.Manifest.Launches {
		if l.Outcome == bundle.LaunchCompleted && l.Side == s.Name {
			n++
		}
	}
	return n
}

// warnings say what the side's figures do not rest on.
func (s Side) warnings() []string {
	var list []string
	if s.Bundle != nil {
		for _, text := range s.Bundle.Warnings {
			list = append(list, s.Label+": "+text)
		}
	}
	for _, left := range s.Estimates.LeftOut {
		mine := slices.ContainsFunc(s.Manifest.Launches, func(l bundle.LaunchInfo) bool { return l.Index == left.Launch && l.Side == s.Name })
		if mine {
			list = append(list, fmt.Sprintf("%s: launch %d is left out: %s", s.Label, left.Launch+1, left.Reason))
		}
	}
	return list
}

// sameRun reports whether both are sides of one run, whose launches were made in
// blocks.
func sameRun(a, b Side) bool {
	return a.Digest == b.Digest && a.Manifest.RunID == b.Manifest.RunID && a.Name != b.Name
}
