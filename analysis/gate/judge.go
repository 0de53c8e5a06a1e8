package gate

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/metric"
	"assay/spec"
)

// Version is the version of the JSON form of a Result.
const Version = "1.3"

// An Input is everything a gate looks at.
type Input struct {
	Policy              spec.GatePolicy // resolved
	Baseline, Candidate compare.Side

	// Confirmation is the candidate measured afresh: a regression stands only if
	// it shows there again. Nil means that there is none.
	Confirmation *compare.Side

	// ConfirmationBaseline is the baseline measured beside the confirmation, in
	// blocks, where both are sides of one run. Nil means that the first baseline
	// serves again.
	ConfirmationBaseline *compare.Side

	// Grade says what grade a side has earned, and why not a better one.
	Grade func(compare.Side) (grade string, why []string)

	// Accuracy holds differences in quality that were measured elsewhere. Those that it
	// lacks are judged by the answers of both sides.
	Accuracy []Delta

	// Audits are what checks found in each bundle, in the pair and in the history.
	Audits []Audit
}

// A Result is what a gate says.
type Result struct {
	Version string   `json:"version"`
	Rule    string   `json:"rule"`
	Policy  string   `json:"policy"` // its name
	Digest  string   `json:"policyDigest"`
	Alpha   float64  `json:"alpha"`
	Power   float64  `json:"power"`
	Passed  bool     `json:"passed"`
	Reasons []Reason `json:"reasons"` // why it did not pass

	// Advisory says that the verdict gates no release, and AdvisoryReasons why.
	// Passed then means that nothing speaks against the candidate.
	Advisory        bool     `json:"advisory"`
	AdvisoryReasons []string `json:"advisoryReasons"`

	Baseline  compare.Party `json:"baseline"`
	Candidate compare.Party `json:"candidate"`

	Controlled bool          `json:"controlled"`
	Declared   string        `json:"declared"`
	Same       bool          `json:"same,omitempty"` // nothing differs: a system and itself
	Changes    []diff.Change `json:"changes"`
	Others     []diff.Change `json:"others"`

	Grades  []Graded        `json:"grades"`
	Metrics []Decision      `json:"metrics"`
	Guards  []GuardDecision `json:"guards"`

	// NotGuarded is what the policy does not look at, and what its guards could not.
	NotGuarded []string `json:"notGuarded,omitempty"`

	Findings []Found            `json:"findings"` // void ones and cautions, the worst first
	Accuracy []AccuracyDecision `json:"accuracy,omitempty"`

	// Confirmation says what became of regressions; absent when no second
	// measurement was given.
	Confirmation *Confirmation `json:"confirmation,omitempty"`

	system string // the candidate's, for the history
}

// A Reason is one thing that keeps a candidate from passing.
type Reason struct {
	Kind  string `json:"kind"`  // metric, guard, accuracy, audit, grade, controlled or confirmation
	About string `json:"about"` // the key of a metric or guard, a check, or the label of a side
	Why   string `json:"why"`
}

// String is the reason as a line.
func (r Reason) String() string { return r.About + ": " + r.Why }

// Graded is the grade of one bundle.
type Graded struct {
	Label string   `json:"label"`
	Grade string   `json:"grade"`
	Why   []string `json:"why,omitempty"`
}

// A Confirmation is the second measurement of a candidate and what it said of the
// metrics that had regressed.
type Confirmation struct {
	Party   compare.Party `json:"party"`
	First   []Decision    `json:"first"`             // those that had regressed
	Second  []Decision    `json:"second"`            // the same ones again
	Refused string        `json:"refused,omitempty"` // why it confirms nothing; empty when it may
}

// Judge holds a candidate to a policy. It returns an error only where the policy
// asks for what does not exist.
func Judge(in Input) (Result, error) {
	s := in.Policy.Spec
	digest, err := spec.Digest(in.Policy)
	if err != nil {
		return Result{}, err
	}
	r := Result{
		Version: Version, Rule: Rule, Policy: in.Policy.Metadata.Name, Digest: digest, Alpha: s.Alpha, Power: s.Power,
		Baseline: in.Baseline.Party(), Candidate: in.Candidate.Party(), system: systemOf(in.Candidate),
		Reasons: []Reason{}, AdvisoryReasons: []string{}, Changes: []diff.Change{}, Others: []diff.Change{},
		Guards: []GuardDecision{}, Findings: []Found{},
	}
	if in.Candidate.Digest != "" && named(r.Candidate) == named(r.Baseline) {
		r.fail("controlled", in.Candidate.Label, "it is the baseline's own bundle: what is held beside itself shows nothing")
	}
	r.difference(in)
	r.grade(in)
	r.advise()
	r.audit(in)
	questions, missing, err := ask(in.Policy, in.Baseline, in.Candidate, r.Findings)
	if err != nil {
		return r, err
	}
	r.Metrics = append(answer(questions, Levels{s.Alpha, s.Power}), missing...)
	if err := r.confirm(in); err != nil {
		return r, err
	}
	r.Guards = append(r.Guards, watch(in.Policy, in.Baseline, in.Candidate, Levels{s.Alpha, s.Power})...)
	r.NotGuarded = notGuarded(in)
	if r.Accuracy, err = judgeAccuracy(in); err != nil {
		return r, err
	}
	r.conclude(s)
	return r, nil
}

// answer decides, and says of a gate that could not see its own threshold what
// it takes.
func answer(questions []Question, l Levels) []Decision {
	list := Decide(questions, l)
	for i, q := range questions {
		if list[i].Verdict == Inconclusive && list[i].blind {
			list[i].Reason += "; " + q.takes(l, len(questions))
		}
	}
	return list
}

// difference says whether the pair is controlled.
func (r *Result) difference(in Input) {
	s := in.Policy.Spec
	r.Declared = s.Variable
	if r.Declared == "" {
		r.Declared = in.Candidate.Plan.Comparison().VariableUnderTest
	}
	r.Changes = append(r.Changes, diff.Bundles(in.Baseline.Side, in.Candidate.Side)...)
	_, rest, ok := diff.Controlled(r.Changes, r.Declared)
	r.Controlled, r.Same = ok, len(r.Changes) == 0
	r.Others = append(r.Others, rest...)
	if *s.Controlled && !ok {
		r.fail("controlled", in.Candidate.Label, "not controlled: besides %s these differ: %s", r.Declared, strings.Join(paths(rest), ", "))
	}
}

func paths(changes []diff.Change) []string {
	var list []string
	for _, c := range changes {
		list = append(list, c.Path)
	}
	return list
}

func (r *Result) fail(kind, about, format string, args ...any) {
	r.Reasons = append(r.Reasons, Reason{kind, about, fmt.Sprintf(format, args...)})
}

// grades from the weakest to the strongest.
var grades = []string{"exploratory", "realism", "publication"}

// grade holds every bundle to the least grade.
func (r *Result) grade(in Input) {
	sides := []compare.Side{in.Baseline, in.Candidate}
	if in.Confirmation != nil {
		sides = append(sides, *in.Confirmation)
	}
	for _, side := range sides {
		grade, why := in.Grade(side)
		r.Grades = append(r.Grades, Graded{side.Label, grade, why})
		if slices.Index(grades, grade) < slices.Index(grades, in.Policy.Spec.Grade) {
			r.fail("grade", side.Label, "of %s grade, and the policy wants %s: %s", grade, in.Policy.Spec.Grade, strings.Join(why, "; "))
		}
	}
}

// conclude gathers why the candidate does not pass.
func (r *Result) conclude(s spec.GateDemands) {
	judge := func(kind, about string, verdict Verdict, reason string) {
		switch {
		case verdict == NotWorse, verdict == Inconclusive && s.Inconclusive == "pass":
		default:
			r.fail(kind, about, "%s: %s", verdict, reason)
		}
	}
	for _, d := range r.Metrics {
		if d.unsettled { // the launches show a loss: whether the day made it is no matter of inconclusive: pass
			r.fail("metric", d.Key, "%s: %s", d.Verdict, d.Reason)
			continue
		}
		judge("metric", d.Key, d.Verdict, d.Reason)
	}
	for _, d := range r.Guards {
		if d.Verdict != NotWorse && d.Verdict != Off { // a guard that trips is no matter of inconclusive: pass
			r.fail("guard", d.Key, "%s: %s", d.Verdict, d.Reason)
		}
	}
	for _, d := range r.Accuracy {
		judge("accuracy", d.Metric, d.Verdict, d.Reason)
	}
	r.Passed = len(r.Reasons) == 0
}

// Entry is the result as a history remembers it.
func (r Result) Entry() Entry {
	e := Entry{
		Rule: r.Rule, Policy: r.Digest, Alpha: r.Alpha, Baseline: named(r.Baseline), Candidate: named(r.Candidate), System: r.system,
		Passed: r.Passed, Advisory: r.Advisory, Same: r.Same, Verdicts: map[string]Verdict{}, Alerts: []string{},
	}
	for _, f := range r.Findings {
		if f.Stops && !slices.Contains(e.Void, f.Check) {
			e.Void = append(e.Void, f.Check)
		}
	}
	first := r.Metrics
	if c := r.Confirmation; c != nil {
		e.Confirmation = named(c.Party)
		first = append(slices.Clone(first), c.First...)
	}
	for _, d := range r.Metrics {
		e.Verdicts[d.Key] = d.Verdict
	}
	for _, d := range first {
		if d.Verdict == Regressed && !slices.Contains(e.Alerts, d.Key) {
			e.Alerts = append(e.Alerts, d.Key)
		}
	}
	for _, d := range r.Accuracy {
		e.Verdicts["accuracy "+d.Metric] = d.Verdict
		if d.Verdict == Regressed {
			e.Alerts = append(e.Alerts, "accuracy "+d.Metric)
		}
	}
	return e
}

// named is the digest of a bundle, with the side where it has several.
func named(p compare.Party) string {
	if p.Side == "" {
		return p.Digest
	}
	return p.Digest + "@" + p.Side
}

// known returns the metric with the given definition id.
func known(id string) (metric.Metric, error) {
	if m, ok := metric.ByID(id); ok {
		return m, nil
	}
	name, _, _ := strings.Cut(id, ".")
	var near []string
	for _, m := range metric.All {
		if strings.HasPrefix(m.ID, name) || strings.Contains(m.ID, name) {
			near = append(near, m.ID)
		}
	}
	if len(near) == 0 {
		return metric.Metric{}, fmt.Errorf("spec.metrics: got metric %q, want an id of assay list metrics, such as ttft.v2", id)
	}
	return metric.Metric{}, fmt.Errorf("spec.metrics: got metric %q, want an id of assay list metrics; near it: %s", id, strings.Join(near, ", "))
}
