package assistant

import (
	"context"
	"slices"
	"strings"

	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/metric"
)

type reportAsk struct {
	Bundle string `json:"bundle" jsonschema:"run id, digest or the beginning of one, or a path in the server's folders"`
	Metric string `json:"metric,omitempty" jsonschema:"only metrics whose id or name begins so, such as ttft"`
	Point  string `json:"point,omitempty" jsonschema:"only this point"`
	Most   int    `json:"most,omitempty" jsonschema:"the most numbers; 40 unless told otherwise, at most 400"`
}

// A reported is what report answers.
type reported struct {
	Verdict
	Subject  []string          `json:"subject" jsonschema:"what was measured"`
	Numbers  []Number          `json:"numbers" jsonschema:"those that may be quoted first; none of a void run"`
	More     bool              `json:"more" jsonschema:"there are more numbers: narrow the question, or raise most"`
	Findings []finding.Finding `json:"findings" jsonschema:"void ones and cautions"`
	Next     string            `json:"next" jsonschema:"what to do with this"`
}

func (s *Server) report(ctx context.Context, ask reportAsk) (reported, error) {
	j, v, err := s.opened(ctx, ask.Bundle)
	if err != nil {
		return reported{}, err
	}
	return reportOf(j, v, ask), nil
}

// opened judges the bundle that is named.
func (s *Server) opened(ctx context.Context, name string) (*judge.Judgement, Verdict, error) {
	dir, err := s.access.bundle(ctx, name)
	if err != nil {
		return nil, Verdict{}, err
	}
	j, err := s.judgement(dir)
	if err != nil {
		return nil, Verdict{}, err
	}
	v, err := s.verdict(ctx, j)
	return j, v, err
}

func reportOf(j *judge.Judgement, v Verdict, ask reportAsk) reported {
	out := reported{Verdict: v, Subject: subjectOf(j), Numbers: []Number{}, Findings: serious(j.Audit.Findings)}
	switch {
	case len(v.Void) > 0:
		out.Next = "Say why the run is void. It has no numbers to repeat."
		return out
	case v.Quotable:
		out.Next = "Quote by the sentences in quote, whole. Numbers without one may be looked at, not quoted."
	default:
		out.Next = "Nothing of this run may be quoted: claim says why, and what would help."
	}
	most := ask.Most
	if most <= 0 {
		most = 40
	}
	list := numbersOf(j, ask)
	out.More = len(list) > min(most, 400)
	out.Numbers = append(out.Numbers, list[:min(len(list), most, 400)]...)
	return out
}

// subjectOf is what was measured, in a few lines.
func subjectOf(j *judge.Judgement) []string {
	list := []string{"class " + j.Claims.Asked, "workload " + j.Plan.WorkloadDigest}
	if t := j.Plan.Decided().Target; t != nil && t.Model != "" {
		list = append(list, "model "+t.Model)
	}
	for _, name := range []string{"server.engine", "server.version", "gpu.0.model", "host.name"} {
		if text, is := j.Bundle.Manifest.Environment[name].Value.(string); is && text != "" {
			list = append(list, name+" "+text)
		}
	}
	return list
}

func serious(list []finding.Finding) []finding.Finding {
	out := []finding.Finding{}
	for _, f := range list {
		if f.Severity != finding.Note {
			out = append(out, f)
		}
	}
	return out
}

// numbersOf are the results of a run, those that may be quoted first.
func numbersOf(j *judge.Judgement, ask reportAsk) []Number {
	wanted := func(id, point string) bool {
		return strings.HasPrefix(id, ask.Metric) && (ask.Point == "" || ask.Point == point)
	}
	var list []Number
	for _, c := range j.Claims.Claims {
		if wanted(c.Metric, c.Point) {
			list = append(list, quoted(c, j))
		}
	}
	for _, row := range j.Estimates.Rows {
		point := ""
		if p, ok := j.Plan.PointByIndex(row.Point); ok {
			point = p.Name
		}
		claimed := slices.ContainsFunc(j.Claims.Claims, func(c claim.Claim) bool { return isOf(c, row, point) })
		if claimed || !wanted(row.Metric, point) || len(j.Claims.Against(claim.OfRow(row, j.Plan))) > 0 {
			continue
		}
		list = append(list, Number{
			Metric: row.Metric, Statistic: row.Statistic, Point: point, Side: row.Side,
			Estimated: estimated(row.Estimate, row.Unit), Bundle: j.Bundle.Manifest.Digest,
		})
	}
	return list
}

func isOf(c claim.Claim, row metric.Row, point string) bool {
	return c.Metric == row.Metric && c.Statistic == row.Statistic && c.Point == point && c.Side == row.Side
}

// quoted is the number of a claim.
func quoted(c claim.Claim, j *judge.Judgement) Number {
	n := Number{Metric: c.Metric, Statistic: c.Statistic, Point: c.Point, Side: c.Side, Bundle: j.Bundle.Manifest.Digest, Quote: c.Sentence}
	for _, row := range j.Estimates.Rows {
		if p, _ := j.Plan.PointByIndex(row.Point); isOf(c, row, p.Name) {
			n.Estimated = estimated(row.Estimate, row.Unit)
		}
	}
	// The claim's own value counts: of a score there is no row.
	n.Value, n.Unit, n.Low, n.High, n.Confidence = finite(c.Value), string(c.Unit), finite(c.Interval.Lo), finite(c.Interval.Hi), c.Confidence
	if n.N == 0 {
		n.N, n.Text = max(c.Launches, c.Requests), c.Sentence
	}
	return n
}

type bundleAsk struct {
	Bundle string `json:"bundle" jsonschema:"run id, digest or the beginning of one, or a path in the server's folders"`
}

// A claimed is what claim answers.
type claimed struct {
	Verdict
	Asked    string          `json:"asked" jsonschema:"the class that the document declares"`
	Why      []string        `json:"downgrades,omitempty" jsonschema:"why the grade is not the one asked for"`
	Division string          `json:"division"`
	Claims   []Number        `json:"claims" jsonschema:"quote is the sentence that may be quoted"`
	Refused  []claim.Refusal `json:"refused" jsonschema:"what may not be claimed, why, and what would help"`
}

func (s *Server) claim(ctx context.Context, ask bundleAsk) (claimed, error) {
	j, v, err := s.opened(ctx, ask.Bundle)
	if err != nil {
		return claimed{}, err
	}
	c := j.Claims
	out := claimed{Verdict: v, Asked: c.Asked, Why: c.Downgrades, Division: c.Division.String(), Claims: []Number{}, Refused: append([]claim.Refusal{}, c.Refused...)}
	if len(v.Void) > 0 {
		return out, nil // a run that was retracted has claims, which count no more
	}
	for _, one := range c.Claims {
		out.Claims = append(out.Claims, quoted(one, j))
	}
	return out, nil
}

type lintAsk struct {
	Bundle   string `json:"bundle" jsonschema:"run id, digest or the beginning of one, or a path in the server's folders"`
	Baseline string `json:"baseline,omitempty" jsonschema:"bundle that it is held against"`
	All      bool   `json:"all,omitempty" jsonschema:"also list the checks that passed, were not made or do not apply"`
}

// A linted is what lint answers.
type linted struct {
	Verdict
	Counts   lint.Counts       `json:"counts"`
	Worst    string            `json:"worst" jsonschema:"void, caution, note or empty"`
	Findings []finding.Finding `json:"findings" jsonschema:"worst first, each with why it matters and what to do"`
	Checks   []lint.Result     `json:"checks,omitempty"`
}

func (s *Server) lint(ctx context.Context, ask lintAsk) (linted, error) {
	j, v, err := s.opened(ctx, ask.Bundle)
	if err != nil {
		return linted{}, err
	}
	f, err := j.Facts()
	if err != nil {
		return linted{}, err
	}
	if ask.Baseline != "" {
		base, _, err := s.opened(ctx, ask.Baseline)
		if err != nil {
			return linted{}, err
		}
		against, err := base.Facts()
		if err != nil {
			return linted{}, err
		}
		f.Hold(against)
	}
	audit := lint.Run(f)
	out := linted{Verdict: v, Counts: audit.Counts(), Worst: string(finding.Worst(audit.Findings)), Findings: append([]finding.Finding{}, audit.Findings...)}
	if ask.All {
		out.Checks = audit.Results
	}
	return out, nil
}
