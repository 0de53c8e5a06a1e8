package workbook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"assay/analysis/scene"
	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/metric"
	"assay/record"
	"assay/report"
	"assay/report/reporttest"
	"assay/stats"
)

// bookSweep is the report of a real bundle: three launches of three points, judged from
// its records, with texts that a spreadsheet could take for formulas.
func bookSweep(t *testing.T) report.Report {
	t.Helper()
	b, err := scene.Run{
		Dir: filepath.Join(t.TempDir(), "bundle"), ID: "20260102_030405__run__sweep",
		Document: `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: sweep},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:8000"}, load: {concurrency: [1, 2, 8]}, trials: {minReplicates: 3}}}`,
		Environment: record.Environment{"cpu.model": {Value: "=HYPERLINK(\"http://127.0.0.1\")"}, "gpu.count": {Unavailable: "no driver"}},
		Launches:    []scene.Launch{{Slow: 1, Failed: 2}, {Slow: 1.03}, {Slow: .98}},
	}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.Of(b, judge.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r := report.New(j)
	r.Signature, r.Claims, r.Checks, r.Pictures = judge.Unsigned, nil, nil, nil
	r.Estimates = j.Estimates // without claims nothing forbids them
	r.Findings = []finding.Finding{{Check: "=1+1", Severity: finding.Note, Message: "+cmd|' /C calc'!A0", Fix: "@SUM(A1)", Why: "-2"}}
	return r
}

// What the cells hold is compared: the file itself is a packed archive.
func TestGolden(t *testing.T) {
	r := reporttest.Example(t)
	var out bytes.Buffer
	if err := XLSX(&out, r); err != nil {
		t.Fatal(err)
	}
	text, err := workbookText(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "report.xlsx", []byte(text))
	if !strings.Contains(text, judge.Unsigned) {
		t.Errorf("the workbook does not say %s", judge.Unsigned)
	}
}

// A bundle that does not verify says so in the first cell.
func TestNotVerified(t *testing.T) {
	r := reporttest.Example(t)
	r.NotVerified = []string{"plan.json: changed after sealing"}
	if cell, err := workbookOf(t, Options{}, r).GetCellValue("Summary", "A1"); err != nil || cell != r.Alarm() {
		t.Errorf("A1 is %q, %v", cell, err)
	}
}

// workbookOf writes a report and opens it again.
func workbookOf(t *testing.T, o Options, r report.Report) *excelize.File {
	t.Helper()
	var out bytes.Buffer
	if err := o.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// workbookText is what the cells of a workbook hold, for golden files.
func workbookText(data []byte) (string, error) {
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	defer f.Close()
	var out strings.Builder
	for _, name := range f.GetSheetList() {
		rows, err := f.GetRows(name, excelize.Options{RawCellValue: true})
		if err != nil {
			return "", err
		}
		panes, err := f.GetPanes(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "== %s, frozen %v\n", name, panes.Freeze)
		for _, row := range rows {
			out.WriteString(strings.TrimRight(strings.Join(row, " | "), " |") + "\n")
		}
	}
	charts := 0
	f.Pkg.Range(func(path, _ any) bool {
		if strings.HasPrefix(path.(string), "xl/charts/chart") {
			charts++
		}
		return true
	})
	fmt.Fprintf(&out, "== %d charts\n", charts)
	return out.String(), nil
}

// cellsBy reads a sheet as rows by the head of its columns; the head is the row that
// begins with first.
func cellsBy(t *testing.T, f *excelize.File, sheet, first string) []map[string]string {
	t.Helper()
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	var heads []string
	var list []map[string]string
	for _, row := range rows {
		switch {
		case len(row) > 0 && row[0] == first:
			heads = row
		case heads != nil:
			cells := map[string]string{}
			for i, cell := range row {
				if _, taken := cells[heads[i]]; !taken {
					cells[heads[i]] = cell
				}
			}
			list = append(list, cells)
		}
	}
	if heads == nil {
		t.Fatalf("%s has no head %q", sheet, first)
	}
	return list
}

// jsonRows are the estimates as the JSON report tells them.
func jsonRows(t *testing.T, r report.Report) []metric.Row {
	t.Helper()
	var text bytes.Buffer
	if err := report.JSON(&text, r); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Estimates struct{ Rows []metric.Row }
	}
	if err := json.Unmarshal(text.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	return read.Estimates.Rows
}

// Every number of the JSON report is in a cell, to the last bit, in its unit.
func TestWorkbookEqualsJSON(t *testing.T) {
	r := bookSweep(t)
	r.Plan.Points[0].Scenario, r.Plan.Points[1].Scenario, r.Plan.Points[2].Scenario = "D(100,100)", "N(480,240)/(300,150)", "D(100,100)"
	sheets := map[string]string{"D(100,100)": "D(100,100)", "N(480,240)/(300,150)": "N(480,240)-(300,150)"}
	for name, factor := range map[string]float64{"": 1e3, "s": 1, "us": 1e6} {
		f := workbookOf(t, Options{TimeUnit: name}, r)
		found := map[string]map[string]string{}
		for _, sheet := range sheets {
			for _, cells := range cellsBy(t, f, sheet, "point") {
				found[cells["point"]+cells["definition"]+cells["statistic"]] = cells
			}
		}
		numbers := 0
		for _, row := range jsonRows(t, r) {
			cells := found[r.PointName(row.Point)+row.Metric+row.Statistic]
			if cells == nil {
				t.Fatalf("%s %s of point %d is missing", row.Metric, row.Statistic, row.Point)
			}
			by := 1.0
			if row.Unit == "s" {
				by = factor
			}
			if text, is := cellUncertified(row); is {
				if cells["value"] != text || cells["low"]+cells["high"] != "" {
					t.Errorf("%s %s: %q [%q, %q], want %q alone", row.Metric, row.Statistic, cells["value"], cells["low"], cells["high"], text)
				}
				continue
			}
			for head, want := range map[string]float64{"value": row.Value * by, "low": row.Interval.Lo * by, "high": row.Interval.Hi * by, "launches (1)": float64(row.N)} {
				if math.IsInf(want, 0) {
					if cells[head] != "" {
						t.Errorf("%s %s: %s is %q, want an empty cell", row.Metric, row.Statistic, head, cells[head])
					}
					continue
				}
				got, err := strconv.ParseFloat(cells[head], 64)
				if err != nil || got != want {
					t.Errorf("%s %s: %s is %v (%v), want %v", row.Metric, row.Statistic, head, got, err, want)
				}
				numbers++
			}
		}
		if numbers < 300 {
			t.Errorf("compared %d numbers only", numbers)
		}
	}
}

// The first sheet opens as the page does: what was measured, the numbers to take away,
// one row for each point with every percentile in milliseconds, findings, and a sentence
// for each point.
func TestWorkbookSummary(t *testing.T) {
	r := bookSweep(t)
	r.Claims = &claim.Claims{Grade: claim.Realism, Claims: []claim.Claim{
		{Point: "concurrency=1", Sentence: "one"}, {Point: "concurrency=1", Sentence: "one more"}, {Point: "concurrency=2", Sentence: "two"},
	}}
	f := workbookOf(t, Options{}, r)
	rows, err := f.GetRows("Summary", excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	for _, row := range rows {
		first = append(first, strings.Join(row, " | "))
	}
	text := strings.Join(first, "\n")
	for _, want := range []string{strings.Join(r.Subject(), " · "), "output throughput (tok/s)", "mean | ", "low | ", "at | concurrency=1", "users | ", "Findings", "note | =1+1: +cmd", "Quotable results", "concurrency=1 | one", "concurrency=2 | two"} {
		_, rest, found := strings.Cut(text, want)
		if !found {
			t.Fatalf("no %q, or too early:\n%s", want, strings.Join(first, "\n"))
		}
		text = rest
	}
	if strings.Contains(strings.Join(first, "\n"), "one more") {
		t.Error("a point has two sentences")
	}
	table := cellsBy(t, f, "Summary", "users")
	for i, point := range r.Plan.Points {
		for _, m := range []metric.Metric{metric.TTFT, metric.TPOT, metric.E2E} {
			for _, statistic := range []string{"p50", "p90", "p95", "p99", "mean"} {
				cell := table[i][m.Name+" "+statistic+" (ms)"]
				want, _ := r.Estimates.Find(m.ID, statistic, point.Index)
				if _, few := cellUncertified(want); few {
					if cell != "–" {
						t.Errorf("%s %s of too few requests is %q", m.Name, statistic, cell)
					}
				} else if got, err := strconv.ParseFloat(cell, 64); err != nil || got != 1e3*want.Value {
					t.Errorf("%s: %s %s is %q, want %v", point.Name, m.Name, statistic, cell, 1e3*want.Value)
				}
			}
		}
		if table[i]["users"] != fmt.Sprint(point.Concurrency) || table[i]["requests (req)"] == "" || table[i]["errors (req)"] == "" {
			t.Errorf("row %d: %v", i, table[i])
		}
	}
}

// Intervals are a sheet of their own: one row for each point, with the chosen
// percentile and units in every head.
func TestWorkbookIntervals(t *testing.T) {
	r := bookSweep(t)
	f := workbookOf(t, Options{Percentile: "p90", TimeUnit: "ms"}, r)
	rows := cellsBy(t, f, "Intervals", "point")
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3: %v", len(rows), rows)
	}
	for i, row := range rows {
		want, _ := r.Estimates.Find(metric.TTFT.ID, "p90", i)
		if got, err := strconv.ParseFloat(row["TTFT p90 high (ms)"], 64); err != nil || got != 1e3*want.Interval.Hi {
			t.Errorf("row %d: TTFT p90 goes up to %v (%v), want %v", i, got, err, 1e3*want.Interval.Hi)
		}
		if row["requests, ok (req)"] != "120" || row["requests, others (req)"] != "2" {
			t.Errorf("row %d: %q ok and %q others, want 120 and 2", i, row["requests, ok (req)"], row["requests, others (req)"])
		}
		for head := range row {
			if !strings.HasSuffix(head, ")") && head != "point" && head != "scenario" {
				t.Errorf("head %q has no unit", head)
			}
		}
	}
}

// No cell is a formula, whatever texts begin with.
func TestWorkbookHasNoFormulas(t *testing.T) {
	r := bookSweep(t)
	f := workbookOf(t, Options{}, r)
	want := map[string]bool{"=1+1": false, "+cmd|' /C calc'!A0": false, "@SUM(A1)": false, "-2": false, "=HYPERLINK(\"http://127.0.0.1\")": false}
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			for j, cell := range row {
				at, _ := excelize.CoordinatesToCellName(j+1, i+1)
				if formula, err := f.GetCellFormula(sheet, at); err != nil || formula != "" {
					t.Errorf("%s!%s is a formula: %q, %v", sheet, at, formula, err)
				}
				if _, ok := want[cell]; ok {
					kind, err := f.GetCellType(sheet, at)
					want[cell] = kind == excelize.CellTypeSharedString && err == nil
				}
			}
		}
	}
	for text, ok := range want {
		if !ok {
			t.Errorf("%q is not in a cell of text", text)
		}
	}
}

// The appendix shows every point of every launch, says how many are left out, and
// has the times of the records.
func TestWorkbookRequests(t *testing.T) {
	r := bookSweep(t)
	f := workbookOf(t, Options{Requests: 45}, r)
	rows := cellsBy(t, f, "Requests", "launch (1)")
	each := map[string]int{}
	for _, row := range rows {
		each[row["launch (1)"]+" "+row["point"]]++
	}
	if len(rows) != 45 || len(each) != 9 || each["1 concurrency=2"] != 5 {
		t.Errorf("%d rows over %v, want 45 over 9 points of launches", len(rows), each)
	}
	head, err := f.GetCellValue("Requests", "A1")
	if want := "45 of 366 requests"; err != nil || !strings.HasPrefix(head, want) || !strings.Contains(head, "321 are left out") {
		t.Errorf("the sheet begins with %q, %v; want %q", head, err, want)
	}
	all := cellsBy(t, workbookOf(t, Options{TimeUnit: "s"}, r), "Requests", "launch (1)")
	if len(all) != 366 {
		t.Fatalf("%d rows, want all 366", len(all))
	}
	launch, err := metric.ReadLaunch(r.Bundle, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, request := range launch.Points[0].Requests {
		got := all[i]
		if request.Result != record.OK {
			if got["TTFT (s)"] != "" || got["error"] != request.Error {
				t.Errorf("request %d failed, and its TTFT is %q and its error %q", i, got["TTFT (s)"], got["error"])
			}
			continue
		}
		if ttft, err := strconv.ParseFloat(got["TTFT (s)"], 64); err != nil || ttft != metric.TTFT.Each(request)[0] {
			t.Errorf("request %d: TTFT %q, want %v", i, got["TTFT (s)"], metric.TTFT.Each(request)[0])
		}
	}
}

// Series without any certified point say so, and every series has its error bars.
func TestWorkbookCharts(t *testing.T) {
	r := bookSweep(t)
	for i, row := range r.Estimates.Rows {
		if row.Metric == metric.TTFT.ID && row.Statistic == "p99" {
			r.Estimates.Rows[i].Interval, r.Estimates.Rows[i].Warnings = stats.Unbounded, []string{stats.TooFew("requests", 40, .99, .95) + ", in the smallest launch"}
		}
	}
	f := workbookOf(t, Options{}, r)
	names := regexp.MustCompile(`<ser>.*?<tx><v>(.*?)</v></tx>`)
	var series []string
	for i := 1; ; i++ {
		chart, ok := f.Pkg.Load(fmt.Sprintf("xl/charts/chart%d.xml", i))
		if !ok {
			break
		}
		found := names.FindAllSubmatch(chart.([]byte), -1)
		for _, one := range found {
			series = append(series, fmt.Sprintf("%d %s", i, one[1]))
		}
		if bars := bytes.Count(chart.([]byte), []byte("<errBars>")); bars != len(found) || bars == 0 {
			t.Errorf("chart %d has %d series and %d error bars", i, len(found), bars)
		}
	}
	want := "1 TTFT p50, 1 TTFT p99 (too few requests), 1 E2E p50, 1 E2E p99 (too few requests), 2 TTFT p50, 2 TTFT p99 (too few requests), 3 E2E p50, 3 E2E p99 (too few requests), 4 output throughput"
	if got := strings.Join(series, ", "); got != want {
		t.Errorf("series %s\nwant   %s", got, want)
	}
}

func TestSheetNames(t *testing.T) {
	taken := map[string]bool{"summary": true, "d(100,100)": true, strings.Repeat("x", 31): true}
	f := func(wish, want string) {
		t.Helper()
		got := bookSheetName(wish, taken)
		if got != want || len(utf16.Encode([]rune(got))) > 31 {
			t.Errorf("bookSheetName(%q) = %q, want %q", wish, got, want)
		}
	}
	f("N(480,240)/(300,150)", "N(480,240)-(300,150)")
	f("Summary", "Summary 2")
	f("D(100,100)", "D(100,100) 2")
	f(`a[b]c:d*e?f/g\h`, "a-b-c-d-e-f-g-h")
	f("'quoted'", "quoted")
	f("history", "history 2")
	f("", "sheet")
	f("  ", "sheet")
	f("two\nlines", "two lines")
	f(strings.Repeat("x", 40), strings.Repeat("x", 29)+" 2")
	f(strings.Repeat("é", 40), strings.Repeat("é", 31))
	f(strings.Repeat("😀", 20), strings.Repeat("😀", 15))
}

func TestWorkbookOptions(t *testing.T) {
	f := func(o Options, want string) {
		t.Helper()
		if err := o.Write(&bytes.Buffer{}, report.Report{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
	f(Options{Percentile: "p75"}, `--percentile "p75": want one of mean, p50`)
	f(Options{TimeUnit: "min"}, `--time-unit "min": want s, ms or us`)
}

func TestEvenly(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	if got := fmt.Sprint(evenly(list, 3), evenly(list, 10), evenly(list, 20), evenly(list, 0)); got != "[0 3 6] [0 1 2 3 4 5 6 7 8 9] [0 1 2 3 4 5 6 7 8 9] []" {
		t.Errorf("got %s", got)
	}
}
