package verdicts

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/judge/pair"
	"assay/metric"
	"assay/report"
	"assay/report/page"
	"assay/spec"
	"assay/tests/fixture"
)

// A run is one side of the judgements.
type run struct {
	*judge.Judgement
	side compare.Side
}

func openRun(t *testing.T, dir string) *run {
	t.Helper()
	j, err := judge.Open(dir, judge.Options{Version: "test", Derive: true})
	if err != nil {
		t.Fatal(err)
	}
	side, err := compare.Open(j.Bundle, j.Estimates, "")
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Judgement: j, side: side}
	r.side.Against = func(result finding.Result) []string { return r.Against(result) }
	return r
}

const policyText = `apiVersion: assay.dev/v1alpha1
kind: GatePolicy
metadata: {name: any}
spec:
  grade: exploratory
  controlled: false
  metrics:
    - {metric: %s, statistic: %s, margin: 0.25}
`

func policies(t *testing.T) (list []spec.GatePolicy) {
	t.Helper()
	for _, asked := range [][2]string{{metric.TTFT.ID, "p50"}, {metric.E2E.ID, "p90"}, {metric.OutputThroughput.ID, "value"}} {
		doc, faults := spec.Parse("policy.yaml", []byte(fmt.Sprintf(policyText, asked[0], asked[1])))
		if !spec.Valid(faults) {
			t.Fatal(faults)
		}
		p, _ := spec.ResolvePolicy(*doc.Policy)
		list = append(list, p)
	}
	return list
}

// TestOneVerdict makes ten thousand judgements.
func TestOneVerdict(t *testing.T) {
	dir := t.TempDir()
	baseline := openRun(t, fixture.Run{ID: "baseline"}.Write(t, dir))
	candidate := openRun(t, fixture.Run{ID: "candidate", Seed: 7}.Write(t, dir))
	compared, err := compare.Compare(baseline.side, []compare.Side{candidate.side}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	point := baseline.Plan.Points[0].Name
	demands := policies(t)
	r := rand.New(rand.NewPCG(20261119, 1))
	const judgements = 10_000
	seen := map[string]int{}
	for i := range judgements {
		graded := r.IntN(2) == 0
		mine, theirs, ours := Findings(r, point), Findings(r, point), Findings(r, point)
		Found(baseline.Judgement, mine, graded)
		Found(candidate.Judgement, theirs, graded)
		claimsHold(t, baseline, mine, seen)
		claimsHold(t, candidate, theirs, seen)

		shown := again(compared)
		shown.Comparisons[0].Findings = ours
		shown.Forbid(0, pair.Against(baseline.side, candidate.side, ours))
		c := shown.Comparisons[0]
		all := slices.Concat(mine, theirs, ours)
		for _, row := range c.Rows {
			result := finding.Result{Subject: finding.Speed, Metric: row.Metric, Statistic: row.Statistic, Point: row.Point}
			if void := row.Verdict == compare.Void; void != Forbidden(all, result) || void != (len(row.Void) > 0) {
				t.Fatalf("%s %s at %q has the verdict %s; the findings are %+v", row.Statistic, row.Metric, row.Point, row.Verdict, all)
			} else if void {
				seen["void row"]++
			}
		}
		if i%20 == 0 {
			gateHolds(t, demands[i/20%len(demands)], baseline, candidate, mine, theirs, ours, seen)
		}
		if i%100 == 0 {
			facesHold(t, baseline, shown, mine, i%1000 == 0)
		}
		if i%200 == 0 {
			keptHolds(t, baseline, mine, seen)
		}
		if t.Failed() {
			t.Fatalf("after %d judgements", i+1)
		}
	}
	t.Logf("%d judgements: %v", judgements, seen)
	for _, kind := range []string{"claim", "refusal", "score", "void row", "gate passed", "gate stopped", "kept", "kept without a value"} {
		if seen[kind] < 10 {
			t.Errorf("%d of the kind %q: the judgements do not try it", seen[kind], kind)
		}
	}
}

// again is a comparison of its own: what it says may be taken back.
func again(r compare.Report) compare.Report {
	c := r.Comparisons[0]
	c.Rows = slices.Clone(c.Rows)
	r.Comparisons = []compare.Comparison{c}
	r.Engines = slices.Clone(r.Engines)
	for i := range r.Engines {
		r.Engines[i].Rows = slices.Clone(r.Engines[i].Rows)
		for j := range r.Engines[i].Rows {
			r.Engines[i].Rows[j].Cells = slices.Clone(r.Engines[i].Rows[j].Cells)
		}
	}
	return r
}

// claimsHold looks for a sentence about what is forbidden, and for a result that is refused
// though nothing forbids it.
func claimsHold(t *testing.T, r *run, list []finding.Finding, seen map[string]int) {
	t.Helper()
	for _, c := range r.Claims.Claims {
		result := finding.Result{Subject: finding.Speed, Metric: c.Metric, Statistic: c.Statistic, Point: c.Point, Side: c.Side}
		seen["claim"]++
		if !strings.Contains(c.Metric, ".v") || c.Metric == "score.v1" {
			result.Subject = finding.Accuracy
			seen["score"]++
		}
		if Forbidden(list, result) {
			t.Errorf("%q is claimed; the findings are %+v", c.Sentence, list)
		}
	}
	for _, row := range r.Estimates.Rows {
		result := claim.OfRow(row, r.Plan)
		if against := r.Claims.Against(result); (len(against) > 0) != Forbidden(list, result) {
			t.Errorf("%s %s: the claims say %v; the findings are %+v", row.Statistic, row.Metric, against, list)
		}
	}
	if len(r.Claims.Forbidden()) > 0 {
		seen["refusal"]++
		if len(r.Claims.Claims) > 0 {
			t.Errorf("nothing may be said, and %q is", r.Claims.Claims[0].Sentence)
		}
	}
}

// gateHolds looks for a gate that passes what may not be judged, or that stops for what
// nobody asked.
func gateHolds(t *testing.T, policy spec.GatePolicy, baseline, candidate *run, mine, theirs, ours []finding.Finding, seen map[string]int) {
	t.Helper()
	in := gate.Input{
		Policy: policy, Baseline: baseline.side, Candidate: candidate.side, Grade: func(compare.Side) (string, []string) { return string(claim.Realism), nil },
		Audits: []gate.Audit{{About: "baseline", Findings: mine}, {About: "candidate", Findings: theirs}, {About: gate.AboutPair, Findings: ours}},
	}
	result, err := gate.Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	asked := policy.Spec.Metrics[0]
	stop := false
	for _, point := range baseline.Plan.Points {
		stop = stop || Forbidden(slices.Concat(mine, theirs, ours), finding.Result{Subject: finding.Speed, Metric: asked.Metric, Statistic: asked.Statistic, Point: point.Name})
	}
	seen[map[bool]string{true: "gate passed", false: "gate stopped"}[result.Passed]]++
	if stop && result.Passed {
		t.Errorf("a gate on %s %s passes; the findings are %+v", asked.Statistic, asked.Metric, result.Findings)
	}
	for _, f := range result.Findings {
		if f.Stops && !Forbidden([]finding.Finding{f.Finding}, finding.Result{Subject: finding.Speed, Metric: asked.Metric, Statistic: asked.Statistic}) {
			t.Errorf("a gate on %s %s is stopped by %+v", asked.Statistic, asked.Metric, f)
		}
	}
	for _, d := range result.Metrics {
		if Forbidden(slices.Concat(mine, theirs, ours), finding.Result{Subject: finding.Speed, Metric: asked.Metric, Statistic: asked.Statistic, Point: baseline.Plan.Points[0].Name}) && d.Verdict != gate.Inconclusive {
			t.Errorf("%s is %s, and may not be judged", d.Key, d.Verdict)
		}
	}
}

// marksHold looks for a forbidden result that the tables, the page or the CSV show as any
// other.
func marksHold(t *testing.T, r *run, shown report.Report, list []finding.Finding) {
	t.Helper()
	var plain, html, table bytes.Buffer
	for _, face := range []struct {
		write report.Format
		to    *bytes.Buffer
	}{{report.Text, &plain}, {page.HTML, &html}, {report.CSV, &table}} {
		if err := face.write(face.to, shown); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, cells := range rows[1:] {
		result := finding.Result{Subject: finding.Speed, Metric: cells[column("metric")], Statistic: cells[column("statistic")], Point: cells[column("point")]}
		if result.Metric == "score.v1" {
			result.Subject = finding.Accuracy
		}
		if void := cells[column("void")] != ""; void != Forbidden(list, result) {
			t.Errorf("the CSV calls %v void: %v; the findings are %+v", result, void, list)
		}
	}
	allowed := map[string]bool{}
	for _, row := range r.Estimates.Rows {
		if !Forbidden(list, claim.OfRow(row, r.Plan)) {
			allowed[report.Value(row)] = true
		}
	}
	for _, row := range r.Estimates.Rows {
		text := report.Value(row)
		if allowed[text] || !strings.Contains(text, "[") {
			continue
		}
		value, interval, _ := strings.Cut(text, " [")
		for face, bare := range map[string][2]string{"text": {plain.String(), "  " + text}, "page": {html.String(), ">" + value + ` <span class="interval">[` + interval}} {
			for _, after := range strings.Split(bare[0], bare[1])[1:] {
				if !strings.HasPrefix(after, " †") {
					t.Errorf("the %s shows %s of %s %s without a mark (%.60q); the findings are %+v", face, text, row.Statistic, row.Metric, after, list)
				}
			}
		}
	}
}

// facesHold looks at what people read, and at every face where marks is true: the page takes
// its time.
func facesHold(t *testing.T, r *run, compared compare.Report, list []finding.Finding, marks bool) {
	t.Helper()
	shown := report.New(r.Judgement)
	var text, beside bytes.Buffer
	if err := report.Markdown(&text, shown); err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.Severity == finding.Void && !strings.Contains(text.String(), f.Message) {
			t.Errorf("the report is silent about %+v", f)
		}
	}
	if marks {
		marksHold(t, r, shown, list)
	}
	if err := report.CompareText(&beside, compared, false); err != nil {
		t.Fatal(err)
	}
	for _, row := range compared.Engines[0].Rows[1:] {
		for j, cell := range row.Cells {
			for _, other := range compared.Comparisons[0].Rows {
				if other.Verdict == compare.Void && cell.Estimate != nil && cell.Estimate.Value == other.Candidate.Value && cell.Estimate.Interval == other.Candidate.Interval && cell.Verdict != compare.Void {
					t.Errorf("the table of engines calls %s %s", compared.Engines[0].Columns[j], cell.Verdict)
				}
			}
		}
	}
	void := slices.ContainsFunc(compared.Comparisons[0].Rows, func(row compare.Row) bool { return row.Primary && row.Verdict == compare.Void })
	if void && !strings.Contains(beside.String(), "VOID") {
		t.Errorf("the comparison does not say that a primary result is void:\n%s", beside.String())
	}
}
