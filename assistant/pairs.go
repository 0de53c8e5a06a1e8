package assistant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/analysis/gate"
	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/judge/pair"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

type compareAsk struct {
	Bundles  []string `json:"bundles" jsonschema:"the baseline and the candidates, each a run id, digest or path, with @SIDE of a run of several sides; or one run with candidates"`
	Variable string   `json:"variable,omitempty" jsonschema:"the one variable that may differ; by default the one that the candidate declares"`
	Margin   float64  `json:"margin,omitempty" jsonschema:"the relative difference that matters, such as 0.02"`
	All      bool     `json:"all,omitempty" jsonschema:"every statistic; by default the primary ones and those that differ"`
}

// A compared is what compare answers.
type compared struct {
	Baseline   party        `json:"baseline"`
	Candidates []comparison `json:"candidates"`
}

type party struct {
	Label    string `json:"label"`
	RunID    string `json:"runID"`
	Side     string `json:"side,omitempty"`
	Bundle   string `json:"bundle" jsonschema:"digest"`
	Launches int    `json:"launches"`
}

func partyOf(p compare.Party) party { return party{p.Label, p.RunID, p.Side, p.Digest, p.Launches} }

type comparison struct {
	Candidate  party    `json:"candidate"`
	Controlled bool     `json:"controlled" jsonschema:"only the declared variable differs; otherwise the comparison is exploratory"`
	Declared   string   `json:"declared,omitempty" jsonschema:"the variable that may differ"`
	Others     []string `json:"others,omitempty" jsonschema:"what else differs"`
	Void       []string `json:"void,omitempty" jsonschema:"why there are no numbers; say these instead"`
	Cautions   []string `json:"cautions,omitempty" jsonschema:"that every statement about the comparison must carry"`
	Quotable   bool     `json:"quotable" jsonschema:"a controlled comparison of runs that are not void; quote verdict, ratio and interval together"`
	Rows       []ratio  `json:"rows"`
}

// A ratio is one statistic of both sides.
type ratio struct {
	Metric     string     `json:"metric"`
	Statistic  string     `json:"statistic"`
	Point      string     `json:"point,omitempty"`
	Primary    bool       `json:"primary,omitempty"`
	Verdict    string     `json:"verdict" jsonschema:"better, worse, equivalent or inconclusive"`
	Ratio      *Estimated `json:"ratio,omitempty" jsonschema:"candidate divided by baseline"`
	P          *float64   `json:"p,omitempty" jsonschema:"of no difference, corrected for the number of questions"`
	Detectable *float64   `json:"detectable,omitempty" jsonschema:"the smallest relative difference that these launches would show"`
	Baseline   Estimated  `json:"baseline"`
	Candidate  Estimated  `json:"candidate"`
}

func (s *Server) compare(ctx context.Context, ask compareAsk) (compared, error) {
	if ask.Variable != "" && !slices.Contains(spec.Vocabularies["variables"], ask.Variable) {
		return compared{}, fmt.Errorf("variable %q: want one of %s", shorten(ask.Variable), strings.Join(spec.Vocabularies["variables"], ", "))
	}
	if !(ask.Margin >= 0 && ask.Margin < 1) {
		return compared{}, fmt.Errorf("margin %v: want a share between 0 and 1", ask.Margin)
	}
	if len(ask.Bundles) == 0 {
		return compared{}, errors.New("bundles: want a baseline and a candidate, or one run with candidates")
	}
	args, err := s.sides(ctx, ask.Bundles)
	if err != nil {
		return compared{}, err
	}
	bundles := s.access.remembering(ctx, pair.NewReader(s.judgement))
	sides, err := bundles.Sides(args)
	if err != nil {
		return compared{}, err
	}
	r, err := bundles.Compare(sides, compare.Options{Variable: ask.Variable, Margin: ask.Margin})
	if err != nil {
		return compared{}, err
	}
	out := compared{Baseline: partyOf(r.Baseline), Candidates: []comparison{}}
	for i, c := range r.Comparisons {
		one, err := s.comparison(ctx, bundles, c, []compare.Side{sides[0], sides[i+1]}, ask.All)
		if err != nil {
			return out, err
		}
		out.Candidates = append(out.Candidates, one)
	}
	return out, nil
}

// sides are names of bundles, with @SIDE behind them or not, as paths.
func (s *Server) sides(ctx context.Context, names []string) (args []string, err error) {
	for _, name := range names {
		dir, err := s.access.bundle(ctx, name)
		if at := strings.LastIndex(name, "@"); err != nil && at > 0 {
			if dir, err = s.access.bundle(ctx, name[:at]); err == nil {
				dir += name[at:]
			}
		}
		if err != nil {
			return nil, err
		}
		args = append(args, dir)
	}
	return args, nil
}

func (s *Server) comparison(ctx context.Context, bundles pair.Reader, c compare.Comparison, sides []compare.Side, all bool) (comparison, error) {
	out := comparison{Candidate: partyOf(c.Candidate), Controlled: c.Controlled, Declared: c.Declared, Others: changes(c.Others), Rows: []ratio{}}
	void, err := s.voids(ctx, bundles, sides)
	if err != nil {
		return out, err
	}
	out.Void = void
	for _, f := range c.Findings {
		if f.Severity == finding.Void && f.Scope.Broad() {
			out.Void = append(out.Void, withCure(f.Check+": "+f.Message, f.Fix))
		} else {
			out.Cautions = append(out.Cautions, f.Check+": "+f.Message)
		}
	}
	if len(out.Void) > 0 {
		return out, nil
	}
	out.Quotable = quotable(c)
	for _, row := range c.Rows {
		if row.Verdict == compare.Void {
			for _, why := range row.Void {
				if why = "no number of what this touches: " + why; !slices.Contains(out.Cautions, why) {
					out.Cautions = append(out.Cautions, why)
				}
			}
			continue
		}
		if !all && !row.Primary && row.Verdict != compare.Better && row.Verdict != compare.Worse {
			continue
		}
		one := ratio{
			Metric: row.Metric, Statistic: row.Statistic, Point: row.Point, Primary: row.Primary, Verdict: string(row.Verdict),
			Ratio: optional(row.Ratio), Detectable: row.Detectable, Baseline: estimated(row.Baseline, row.Unit), Candidate: estimated(row.Candidate, row.Unit),
		}
		if row.P != nil {
			one.P = finite(row.P.Corrected)
		}
		out.Rows = append(out.Rows, one)
	}
	return out, nil
}

// quotable reports whether a comparison says anything that may be repeated: it is controlled, says
// something of a result that was declared, and nothing forbids one of those.
func quotable(c compare.Comparison) bool {
	says := false
	for _, row := range c.Rows {
		if row.Primary && row.Verdict == compare.Void {
			return false
		}
		says = says || row.Primary && row.Verdict != compare.Inconclusive
	}
	return c.Controlled && says
}

func optional(e *stats.Estimate) *Estimated {
	if e == nil {
		return nil
	}
	one := estimated(*e, unit.Ratio)
	return &one
}

func changes(list []diff.Change) (out []string) {
	for _, c := range list {
		out = append(out, c.String())
	}
	return out
}

// voids is why the sides have no numbers, each bundle once.
func (s *Server) voids(ctx context.Context, bundles pair.Reader, sides []compare.Side) (list []string, err error) {
	seen := map[string]bool{}
	for _, side := range sides {
		if seen[side.Digest] {
			continue
		}
		seen[side.Digest] = true
		j, err := bundles.Judgement(side.Bundle.Dir)
		if err != nil {
			return nil, err
		}
		v, err := s.verdict(ctx, j)
		if err != nil {
			return nil, err
		}
		for _, why := range v.Void {
			list = append(list, v.RunID+": "+why)
		}
	}
	return list, nil
}

type gateAsk struct {
	Baseline  string `json:"baseline" jsonschema:"run id, digest or path, with @SIDE of a run of several sides"`
	Candidate string `json:"candidate"`
	Confirm   string `json:"confirm,omitempty" jsonschema:"the candidate measured afresh: a regression stands only if it shows here again"`
	Policy    string `json:"policy,omitempty" jsonschema:"the GatePolicy document itself"`
	File      string `json:"file,omitempty" jsonschema:"file of the GatePolicy in one of the server's folders, in place of policy"`
}

// A gated is what gate answers.
type gated struct {
	Passed    bool       `json:"passed"`
	Advisory  bool       `json:"advisory" jsonschema:"the verdict gates no release; advisoryReasons says why"`
	Reasons   []string   `json:"reasons" jsonschema:"why it did not pass"`
	Advice    []string   `json:"advisoryReasons,omitempty"`
	Baseline  party      `json:"baseline"`
	Candidate party      `json:"candidate"`
	Policy    string     `json:"policyDigest"`
	Void      []string   `json:"void,omitempty" jsonschema:"why there are no numbers; say these instead"`
	Decisions []decision `json:"decisions"`
	Findings  []string   `json:"findings"`
}

type decision struct {
	Metric     string     `json:"metric"`
	Verdict    string     `json:"verdict"`
	Reason     string     `json:"reason"`
	Margin     float64    `json:"margin,omitempty"`
	Ratio      *Estimated `json:"ratio,omitempty" jsonschema:"candidate divided by baseline"`
	Detectable *float64   `json:"detectable,omitempty"`
}

func (s *Server) gate(ctx context.Context, ask gateAsk) (gated, error) {
	policy, err := s.readPolicy(ask)
	if err != nil {
		return gated{}, err
	}
	names := []string{ask.Baseline, ask.Candidate}
	if ask.Confirm != "" {
		names = append(names, ask.Confirm)
	}
	args, err := s.sides(ctx, names)
	if err != nil {
		return gated{}, err
	}
	about := pair.GateAsk{Policy: policy, Baseline: args[0], Candidate: args[1]}
	if ask.Confirm != "" {
		about.Confirm = args[2]
	}
	bundles := pair.NewReader(func(dir string) (*judge.Judgement, error) {
		return judge.Open(dir, judge.Options{Trust: s.trusting(policy.Spec.TrustedKeys), Version: s.opts.Version, Derive: true})
	})
	in, err := s.access.remembering(ctx, bundles, policy.Spec.TrustedKeys...).Gate(about)
	if err != nil {
		return gated{}, err
	}
	r, err := gate.Judge(in)
	if err != nil {
		return gated{}, fmt.Errorf("policy: %w", err)
	}
	void, err := s.voids(ctx, bundles, []compare.Side{in.Baseline, in.Candidate})
	return gatedOf(r, void), err
}

func gatedOf(r gate.Result, void []string) gated {
	out := gated{
		Passed: r.Passed && len(void) == 0, Advisory: r.Advisory, Reasons: []string{}, Advice: r.AdvisoryReasons, Baseline: partyOf(r.Baseline), Candidate: partyOf(r.Candidate),
		Policy: r.Digest, Void: void, Decisions: []decision{}, Findings: []string{},
	}
	for _, why := range r.Reasons {
		out.Reasons = append(out.Reasons, why.String())
	}
	for _, d := range r.Metrics {
		one := decision{Metric: d.Key, Verdict: string(d.Verdict), Reason: d.Reason, Margin: d.Margin}
		if len(void) == 0 {
			one.Ratio, one.Detectable = optional(d.Ratio), d.Detectable
		}
		out.Decisions = append(out.Decisions, one)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, fmt.Sprintf("%s: %s: %s", f.About, f.Check, f.Message))
	}
	return out
}

// trusting is the trust of the server and of a policy that names keys.
func (s *Server) trusting(ids []string) bundle.Trust {
	trust := s.opts.Trust
	trust.Required = slices.Clone(trust.Required)
	for _, id := range ids {
		trust.Required = append(trust.Required, bundle.PublicKey{ID: id})
	}
	return trust
}

// readPolicy reads the GatePolicy of a call.
func (s *Server) readPolicy(ask gateAsk) (spec.GatePolicy, error) {
	name, text, err := documentAsk{ask.Policy, ask.File}.read(s.access)
	if err != nil {
		return spec.GatePolicy{}, fmt.Errorf("policy: %w", err)
	}
	doc, faults := spec.Parse(name, text)
	switch {
	case !spec.Valid(faults):
		return spec.GatePolicy{}, fmt.Errorf("the policy is not valid, the first fault being %w: validate lists them all", faults[0])
	case doc.Policy == nil:
		return spec.GatePolicy{}, fmt.Errorf("the policy is a %s, want a GatePolicy", doc.Kind)
	}
	policy, _ := spec.ResolvePolicy(*doc.Policy)
	return policy, nil
}
