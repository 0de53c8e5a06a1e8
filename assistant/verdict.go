package assistant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/stats"
	"assay/unit"
	"assay/warehouse"
)

// A Verdict is what a bundle is worth, beside everything that is said of it.
type Verdict struct {
	Bundle    string   `json:"bundle" jsonschema:"digest of the sealed bundle that the numbers come from"`
	RunID     string   `json:"runID"`
	Name      string   `json:"name" jsonschema:"name of the document that was run"`
	Status    string   `json:"status" jsonschema:"completed, failed, aborted or partial"`
	Signature string   `json:"signature"`
	Grade     string   `json:"grade" jsonschema:"publication, realism or exploratory"`
	Quotable  bool     `json:"quotable" jsonschema:"whether anything of it may be quoted; only by the sentences that come as quote"`
	Void      []string `json:"void,omitempty" jsonschema:"why no number of it may leave; say these in place of numbers"`
	Cautions  []string `json:"cautions,omitempty" jsonschema:"findings that every statement about it must carry"`
}

// verdict is that of a judged bundle. A run that was retracted in the warehouse is void
// wherever its bundle lies.
func (s *Server) verdict(ctx context.Context, j *judge.Judgement) (Verdict, error) {
	m := j.Bundle.Manifest
	v := Verdict{
		Bundle: m.Digest, RunID: m.RunID, Name: j.Plan.Name, Status: string(m.Status),
		Signature: j.Signature(), Grade: string(j.Claims.Grade), Quotable: len(j.Claims.Claims) > 0,
	}
	for _, r := range j.Claims.Forbidden() {
		v.Void = append(v.Void, withCure(r.Reason, r.ToDo))
	}
	for _, f := range j.Audit.Findings {
		if f.Severity == finding.Caution || f.Severity == finding.Void && len(v.Void) == 0 { // one that forbids some results alone
			v.Cautions = append(v.Cautions, f.Check+": "+f.Message)
		}
	}
	kept, err := s.keptVerdicts(ctx, []string{m.Digest})
	if err == nil && len(kept) == 1 {
		v.Void = append(v.Void, kept[0].retracted...)
	}
	if len(v.Void) > 0 {
		v.Quotable = false
	}
	return v, err
}

func withCure(text, cure string) string {
	if cure == "" {
		return text
	}
	return strings.TrimSuffix(text, ".") + ". To do: " + cure
}

// A keptVerdict is that of a bundle as the catalogue has it.
type keptVerdict struct {
	Verdict
	retracted []string
}

var digestOf = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// keptVerdicts are those of the bundles of the warehouse that have these digests. What
// is no digest is left out, as is what the warehouse does not know.
func (s *Server) keptVerdicts(ctx context.Context, digests []string) (list []keptVerdict, err error) {
	var quoted []string
	for _, d := range digests {
		if text := "'" + d + "'"; digestOf.MatchString(d) && !slices.Contains(quoted, text) {
			quoted = append(quoted, text)
		}
	}
	if len(quoted) == 0 {
		return nil, nil
	}
	w, err := s.access.open(ctx)
	if errors.Is(err, warehouse.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	// The texts are digests, checked above, so that nothing else is in the statement.
	a, err := w.Query(ctx, `SELECT artifact_manifest_digest, run_id, name, status, signature, grade,
		(SELECT count(*) FROM claim_fact c WHERE c.artifact_manifest_digest = r.artifact_manifest_digest),
		(SELECT group_concat(check_id || ': ' || message, char(10)) FROM finding_fact f WHERE f.artifact_manifest_digest = r.artifact_manifest_digest AND severity = 'void' AND r.worst_finding = 'void'),
		(SELECT group_concat(check_id || ': ' || message, char(10)) FROM finding_fact f WHERE f.artifact_manifest_digest = r.artifact_manifest_digest AND (severity = 'caution' OR severity = 'void' AND r.worst_finding <> 'void')),
		(SELECT act || ': ' || why FROM act_fact a WHERE a.artifact_manifest_digest = r.artifact_manifest_digest
			AND act IN ('retracted', 'superseded', 'restored') ORDER BY number DESC LIMIT 1)
		FROM benchmark_run_fact r WHERE artifact_manifest_digest IN (`+strings.Join(quoted, ", ")+`) ORDER BY created_ns DESC, 1`, warehouse.Limit{})
	if err != nil {
		return nil, err
	}
	for _, row := range a.Rows {
		list = append(list, keptRow(row))
	}
	return list, nil
}

func keptRow(row []any) keptVerdict {
	text := func(i int) string {
		if row[i] == nil {
			return ""
		}
		return fmt.Sprint(row[i])
	}
	v := keptVerdict{Verdict: Verdict{Bundle: text(0), RunID: text(1), Name: text(2), Status: text(3), Signature: text(4), Grade: text(5), Quotable: text(6) != "0", Void: lines(text(7)), Cautions: lines(text(8))}}
	if v.Status != string(bundle.Completed) && len(v.Void) == 0 {
		v.Void = []string{"the run is " + v.Status + ": not every planned launch was made"}
	}
	if act := text(9); act != "" && !strings.HasPrefix(act, "restored") {
		v.retracted = []string{"the run was " + act}
	}
	v.Void = append(v.Void, v.retracted...)
	v.Quotable = v.Quotable && len(v.Void) == 0
	return v
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// A Number is one result with everything that it must not be parted from.
type Number struct {
	Metric    string `json:"metric" jsonschema:"id of its definition"`
	Statistic string `json:"statistic"`
	Point     string `json:"point,omitempty" jsonschema:"the load it was measured at"`
	Side      string `json:"side,omitempty"`
	Estimated
	Bundle string `json:"bundle" jsonschema:"digest of the sealed bundle that it comes from"`
	Quote  string `json:"quote,omitempty" jsonschema:"the sentence that may be quoted; absent where the number may be looked at and not quoted"`
}

// An Estimated is a value and how sure it is.
type Estimated struct {
	Value      *float64 `json:"value" jsonschema:"null where it is not finite"`
	Unit       string   `json:"unit"`
	Low        *float64 `json:"low" jsonschema:"lower end of the interval; null where there is no bound"`
	High       *float64 `json:"high" jsonschema:"upper end of the interval; null where there is no bound"`
	Confidence float64  `json:"confidence,omitempty" jsonschema:"of the interval, between 0 and 1; absent where the catalogue alone was asked"`
	N          int      `json:"n" jsonschema:"how many values it rests on; launches, unless it is a score"`
	Method     string   `json:"method,omitempty"`
	Text       string   `json:"text" jsonschema:"as a report prints it"`
	Warnings   []string `json:"warnings,omitempty"`
}

// estimated is an estimate in a unit.
func estimated(e stats.Estimate, u unit.Unit) Estimated {
	confidence := e.Confidence
	if !e.Interval.Bounded() || math.IsNaN(confidence) {
		confidence = 0
	}
	return Estimated{
		Value: finite(e.Value), Unit: string(u), Low: finite(e.Interval.Lo), High: finite(e.Interval.Hi), Confidence: confidence,
		N: e.N, Method: e.Method, Text: unit.FormatInterval(e.Value, e.Interval.Lo, e.Interval.Hi, u), Warnings: e.Warnings,
	}
}

// finite is a number that JSON has; nil for others.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
