package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/accuracy"
	"assay/bundle"
	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
	"assay/spec"
	"assay/stats"
)

var (
	assets  = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`)
	digests = regexp.MustCompile(`sha256-[A-Za-z0-9+/=&#;]+`)
)

// staticPart is a page without the style and the script that every page shares:
// what is kept as a golden file.
func staticPart(page []byte) []byte {
	page = assets.ReplaceAll(page, []byte("<$1>…</$2>"))
	return digests.ReplaceAll(page, []byte("sha256-…"))
}

func htmlOf(t *testing.T, r report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostile has markup wherever a target or another tool puts text.
func hostile(t *testing.T) report.Report {
	t.Helper()
	const evil = reporttest.Evil
	r := reporttest.Example(t)
	r.RunID, r.Warnings = evil, []string{evil}
	r.Plan.Run.Spec.Target.Model = evil
	r.Plan.Points[0].Name = evil
	r.Findings = []finding.Finding{{Check: evil, Severity: finding.Void, Message: evil, Why: evil, Fix: evil, Evidence: []string{evil}}}
	r.Claims = &claim.Claims{Claims: []claim.Claim{{Sentence: evil, Conditions: []claim.Condition{{Name: evil, Value: evil}}}}}
	r.Source = &bundle.Source{Tool: evil, Unknown: []bundle.Gap{{ID: evil, Detail: evil}}, Notes: []string{evil}}
	r.Reported = []record.Reported{{Name: evil, Unit: evil, Wrong: evil}}
	r.Manifest.Environment = record.Environment{evil: {Value: evil}}
	r.Manifest.Files = []bundle.File{{Path: evil}}
	r.Pictures = reporttest.Pictures(r.Plan, 20)
	r.Pictures.Launches[0].Series[0].Name = evil
	graded := reporttest.Graded(t)
	r.Accuracy, r.Grades = graded.Accuracy, graded.Grades
	for i := range r.Grades {
		r.Grades[i].Extracted, r.Grades[i].Why = evil, evil
	}
	r.Accuracy.Tasks[0].Identity = evil
	r.Answers = func() ([]accuracy.Answer, error) {
		answers, err := graded.Answers()
		for i := range answers {
			answers[i].Prompt, answers[i].Text, answers[i].Group, answers[i].Error = evil, evil, evil, evil
			answers[i].Key = &record.AnswerKey{References: []string{evil}}
		}
		return answers, err
	}
	return r
}

// What comes from targets and other tools is text, wherever it stands.
func TestHTMLEscapes(t *testing.T) {
	page := htmlOf(t, hostile(t))
	for _, bad := range []string{"<img", "<script>alert", `onerror=alert(2)>"`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if n := strings.Count(page, "<script>"); n != 1 {
		t.Errorf("the page has %d scripts, want its own", n)
	}
	if !strings.Contains(page, "&lt;/script&gt;&lt;script&gt;alert(1)") {
		t.Error("the text itself is missing")
	}
}

// Claims that do not say their division have no badge for it.
func TestBadges(t *testing.T) {
	f := func(division string, want bool) {
		t.Helper()
		r := reporttest.Example(t)
		r.Claims = &claim.Claims{Grade: claim.Exploratory, Division: claim.Division{Label: division}}
		got := slices.ContainsFunc(badges(r), func(b badge) bool { return b.Name == "division" })
		if got != want {
			t.Errorf("division %q: a badge is %v, want %v", division, got, want)
		}
	}
	f("", false)
	f(claim.Open, true)
}

// The page may connect to nothing and run nothing but its own script.
func TestHTMLPolicy(t *testing.T) {
	page := htmlOf(t, reporttest.Example(t))
	if !strings.Contains(page, `content="default-src &#39;none&#39;; style-src &#39;sha256-`) {
		t.Error("no policy that forbids everything else")
	}
	for _, bad := range []string{"http-equiv=\"refresh\"", " src=", "<link", "@import", "url(http", "fetch(", "XMLHttpRequest", " style="} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}

func TestGolden(t *testing.T) {
	reporttest.Golden(t, "report.html", staticPart([]byte(htmlOf(t, reporttest.Example(t)))))
	f := func(name string, write func(io.Writer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, name, staticPart(b.Bytes()))
	}
	f("compare.html", func(w io.Writer) error { return CompareHTML(w, reporttest.Compared(), false) })
	f("gate.html", func(w io.Writer) error { return GateHTML(w, reporttest.Gated()) })
}

// Every section stands in the order in which a reviewer asks, and says so where
// it has nothing.
func TestHTMLOrder(t *testing.T) {
	r := reporttest.Example(t)
	r.Source = &bundle.Source{Tool: "a tool", Unknown: []bundle.Gap{{ID: "send-times", Detail: "it keeps none"}}}
	page, at := htmlOf(t, r), 0
	for _, id := range []string{"summary", "findings", "claims", "curves", "points", "question", "timeline", "errors", "economics", "variance", "client", "environment", "reported", "provenance", "files"} {
		i := strings.Index(page[at:], `<section id="`+id+`"`)
		if i < 0 {
			t.Fatalf("section %s is missing or too early", id)
		}
		at += i
	}
	for _, want := range []string{"too few requests (", "No timeline was made", "Not distinguished", "The bundle tells nothing of the machines", "nothing is known of its own error", judge.Unsigned} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestNums(t *testing.T) {
	f := func(v float64, want string) {
		t.Helper()
		if b, err := json.Marshal(nums{v}); err != nil || string(b) != "["+want+"]" {
			t.Errorf("%v is written %s, %v; want %s", v, b, err, want)
		}
	}
	f(0, "0")
	f(1.0/3, "0.33333")
	f(123456789, "1.2346e+08")
	f(100000, "1e+05")
	f(-2.5, "-2.5")
	f(math.Inf(1), "null")
	f(math.NaN(), "null")
}

// Points lie on one curve where only the load differs.
func TestCurves(t *testing.T) {
	f := func(want string, change func(i int, p *plan.Point)) {
		t.Helper()
		r := reporttest.Sweep(t, []string{""}, []int{1, 1, 1, 1})
		for i := range r.Plan.Points {
			change(i, &r.Plan.Points[i])
		}
		x := newExhibit(r)
		var got []string
		for _, c := range x.curvesOf() {
			var loads []float64
			for _, p := range c.points {
				loads = append(loads, turnedUp(x.measuredPoints()).of(p))
			}
			got = append(got, fmt.Sprint(c.name, loads))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
	f("[1 2 3 4]", func(i int, p *plan.Point) { p.Concurrency = 4 - i })
	f("D(1,1)[1 2] D(2,2)[1 2]", func(i int, p *plan.Point) {
		p.Concurrency, p.Scenario = 1+i%2, []string{"D(1,1)", "D(2,2)"}[i/2]
	})
	f("[8 16 24 32]", func(i int, p *plan.Point) { p.BatchSize = 8 * (i + 1) })
	f("batch 8[1 2] batch 16[1 2]", func(i int, p *plan.Point) { p.Concurrency, p.BatchSize = 1+i%2, 8*(1+i/2) })
	f("[0.5 1 1.5 2]", func(i int, p *plan.Point) { p.Concurrency, p.Rate = 0, .5*float64(i+1) })
}

// The first tile is the result that was chosen before the run.
func TestTilesFollowHeadline(t *testing.T) {
	r := reporttest.Sweep(t, []string{""}, []int{1, 4})
	f := func(headline, want string) {
		t.Helper()
		r.Plan.Run.Spec.Intent.Headline = headline
		if tiles := r.Tiles(); len(tiles) < 3 || tiles[0].Name != want {
			t.Errorf("headline %q: tiles %+v, want %s first", headline, tiles, want)
		}
	}
	f("", "output throughput")
	f(spec.HeadlineThroughput, "output throughput")
	f(spec.HeadlineLatency, "TTFT p50")
	r.Claims = &claim.Claims{Claims: []claim.Claim{
		{Metric: metric.OutputThroughput.ID, Value: 9, Point: "concurrency=4"},
		{Metric: metric.TTFT.ID, Statistic: "p50", Point: "concurrency=1", Headline: true},
	}}
	f(spec.HeadlineLatency, "TTFT p50, lowest load")
}

// A figure that the table shows as a dash is no tile either.
func TestTilesAreCertified(t *testing.T) {
	r := reporttest.Sweep(t, []string{""}, []int{1, 4})
	named := func() (names []string) {
		for _, one := range r.Tiles() {
			names = append(names, one.Name)
		}
		return names
	}
	const lowest = "TTFT p50, lowest load"
	if !slices.Contains(named(), lowest) {
		t.Fatalf("tiles %q, want %q among them", named(), lowest)
	}
	for i, row := range r.Estimates.Rows {
		if row.Metric == metric.TTFT.ID && row.Statistic == "p50" && row.Point == 0 {
			r.Estimates.Rows[i].Warnings = []string{stats.TooFew("requests", 4, .5, .95)}
		}
	}
	if slices.Contains(named(), lowest) {
		t.Errorf("tiles %q hold a figure of too few requests", named())
	}
}

// The trade between throughput per GPU and speed per user is drawn where the number of
// GPUs is known, and only there.
func TestPerGPUCurve(t *testing.T) {
	r := reporttest.Sweep(t, []string{""}, []int{1, 4, 16})
	const title = "Tokens per second per GPU against tokens per second per user (GPUs: 8)"
	if strings.Contains(htmlOf(t, r), "Tokens per second per GPU") {
		t.Error("drawn without a number of GPUs")
	}
	r.Plan.Run.Spec.Cost = &spec.Cost{GPUCount: 8}
	if !strings.Contains(htmlOf(t, r), title) {
		t.Errorf("no %q", title)
	}
}
