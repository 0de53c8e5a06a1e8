package assistant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/unit"
	"assay/warehouse"
)

// remember asks the warehouse.
func (s *Server) remember(ctx context.Context, f func(*warehouse.Warehouse) error) (err error) {
	w, err := s.access.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return f(w)
}

type queryAsk struct {
	SQL  string `json:"sql" jsonschema:"one SELECT in SQLite's SQL"`
	Rows int    `json:"rows,omitempty" jsonschema:"the most rows; 100 unless told otherwise, at most 1000"`
}

// A queried is what query answers.
type queried struct {
	Columns []string  `json:"columns"`
	Rows    [][]any   `json:"rows"`
	More    bool      `json:"more" jsonschema:"there are more rows than were asked for"`
	Bundles []Verdict `json:"bundles" jsonschema:"what the runs in the answer are worth"`
	Note    string    `json:"note"`
}

const queryNote = "Numbers of a query are for finding and plotting. To quote one, ask claim for the run's digest."

// beside are the columns that an answer with measured numbers must have.
var beside = []string{"artifact_manifest_digest", "unit", "low", "high", "n"}

func (s *Server) query(ctx context.Context, ask queryAsk) (queried, error) {
	out := queried{Columns: []string{}, Rows: [][]any{}, Bundles: []Verdict{}, Note: queryNote}
	rows := min(ask.Rows, 1000)
	if rows <= 0 {
		rows = 100
	}
	var a warehouse.Answer
	err := s.remember(ctx, func(w *warehouse.Warehouse) (err error) {
		a, err = w.Query(ctx, ask.SQL, warehouse.Limit{Rows: rows, Time: 15 * time.Second, Sound: true})
		return err
	})
	if err != nil {
		return out, err
	}
	out.Columns, out.Rows, out.More = a.Columns, a.Rows, a.More
	digests := column(a, beside[0])
	kept, err := s.keptVerdicts(ctx, digests)
	if err != nil {
		return out, err
	}
	for _, v := range kept {
		out.Bundles = append(out.Bundles, v.Verdict)
	}
	return out, accompanied(a, digests, out.Bundles)
}

// column is a column of an answer, as texts; nil where it has none of this name.
func column(a warehouse.Answer, name string) (list []string) {
	i := slices.Index(a.Columns, name)
	if i < 0 {
		return nil
	}
	for _, row := range a.Rows {
		list = append(list, fmt.Sprint(row[i]))
	}
	return list
}

// accompanied refuses measured numbers that come without what they must not be parted
// from. Counts and times are whole numbers, and no measurement is.
func accompanied(a warehouse.Answer, digests []string, known []Verdict) error {
	for i, row := range a.Rows {
		if !slices.ContainsFunc(row, func(cell any) bool { _, measured := cell.(float64); return measured }) {
			continue
		}
		for _, name := range beside {
			if !slices.Contains(a.Columns, name) {
				return fmt.Errorf("the answer has measured numbers and no column %s: select %s from metric_fact beside the value; numbers that were computed from several runs have no interval and are not given out", name, strings.Join(beside, ", "))
			}
		}
		if !slices.ContainsFunc(known, func(v Verdict) bool { return v.Bundle == digests[i] && len(v.Void) == 0 }) {
			return fmt.Errorf("row %d has a number and no digest of a sound run: want artifact_manifest_digest as metric_fact has it", i+1)
		}
	}
	return nil
}

type lineageAsk struct {
	Printed string `json:"printed" jsonschema:"a number as a report prints it, with its unit, words of a claim, or the digest of a bundle or of a file in one"`
}

// A traced is what lineage answers.
type traced struct {
	Found []trace `json:"found"`
	More  bool    `json:"more" jsonschema:"more fit: write more digits, or the unit"`
}

type trace struct {
	Number      *Number   `json:"number,omitempty" jsonschema:"absent where the run is void"`
	Verdict     Verdict   `json:"verdict"`
	Definitions string    `json:"definitions" jsonschema:"digest of the definitions that it was computed by"`
	Code        string    `json:"code" jsonschema:"version of the program that computed it"`
	Workload    string    `json:"workload"`
	Raw         []rawFile `json:"raw" jsonschema:"tables of records that it rests on"`
	Gone        bool      `json:"gone,omitempty" jsonschema:"the bundle was dropped by retention"`
	Acts        []string  `json:"acts,omitempty" jsonschema:"what people decided about the run"`
}

type rawFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"`
}

func (s *Server) lineage(ctx context.Context, ask lineageAsk) (traced, error) {
	out := traced{Found: []trace{}}
	if strings.TrimSpace(ask.Printed) == "" {
		return out, errors.New("printed is empty: want a number with its unit, words of a claim, or a digest")
	}
	var l warehouse.Lineage
	err := s.remember(ctx, func(w *warehouse.Warehouse) (err error) {
		l, err = w.Lineage(ctx, ask.Printed)
		return err
	})
	if err != nil {
		return out, err
	}
	out.More = l.More
	for _, step := range l.Steps {
		kept, err := s.keptVerdicts(ctx, []string{step.ArtifactManifestDigest})
		if err != nil {
			return out, err
		}
		if len(kept) == 1 {
			out.Found = append(out.Found, traceOf(step, kept[0].Verdict))
		}
	}
	return out, nil
}

func traceOf(step warehouse.Trace, v Verdict) trace {
	t := trace{Verdict: v, Definitions: step.QuerySpecDigest, Code: step.CodeVersion, Workload: step.WorkloadSpecDigest, Raw: []rawFile{}, Gone: step.Gone, Acts: step.Acts}
	for _, f := range step.Raw {
		t.Raw = append(t.Raw, rawFile{f.Path, f.SHA256, f.Rows})
	}
	if len(v.Void) > 0 {
		return t
	}
	t.Number = &Number{
		Metric: step.Metric, Statistic: step.Statistic, Point: step.Point, Side: step.Side, Bundle: v.Bundle,
		Estimated: bounded(step.Value, step.Low, step.High, step.N, step.Unit, step.Estimator),
	}
	if len(step.Claims) > 0 {
		t.Number.Quote = step.Claims[0]
	}
	return t
}

// bounded is a number of the catalogue.
func bounded(v float64, low, high *float64, n int, u, method string) Estimated {
	e := Estimated{Value: finite(v), Unit: u, Low: low, High: high, N: n, Method: method, Text: unit.Format(v, unit.Unit(u))}
	if low != nil && high != nil {
		e.Text = unit.FormatInterval(v, *low, *high, unit.Unit(u))
	}
	return e
}

type historyAsk struct {
	Metric   string `json:"metric" jsonschema:"name or id, with a statistic where the usual one is not meant: ttft:p99, output_throughput, or TASK.GRADER for a score"`
	Workload string `json:"workload,omitempty" jsonschema:"name of the document, or digest of the workload"`
	System   string `json:"system,omitempty"`
	Testbed  string `json:"testbed,omitempty"`
	Point    string `json:"point,omitempty"`
	Last     int    `json:"last,omitempty" jsonschema:"the most runs of a series, the newest; 50 unless told otherwise, at most 500"`
}

// A remembered is what history answers.
type remembered struct {
	Series  []series  `json:"series"`
	Bundles []Verdict `json:"bundles" jsonschema:"what the runs are worth"`
	Alarm   bool      `json:"alarm" jsonschema:"something got worse and nobody accepted it"`
}

type series struct {
	Metric    string    `json:"metric"`
	Statistic string    `json:"statistic"`
	Better    string    `json:"better"`
	Name      string    `json:"name"`
	Workload  string    `json:"workload"`
	System    string    `json:"system"`
	Testbed   string    `json:"testbed"`
	Point     string    `json:"point"`
	Side      string    `json:"side,omitempty"`
	Values    []past    `json:"values" jsonschema:"oldest first"`
	LeftOut   int       `json:"leftOut" jsonschema:"runs that are void or did not complete"`
	Changes   []changed `json:"changes"`
}

type past struct {
	RunID  string    `json:"runID"`
	At     time.Time `json:"at"`
	Bundle string    `json:"bundle"`
	Estimated
}

type changed struct {
	State       string   `json:"state" jsonschema:"confirmed, suspected (run it again) or accepted"`
	LastBefore  string   `json:"lastBefore"`
	FirstAfter  string   `json:"firstAfter"`
	Relative    float64  `json:"relative" jsonschema:"change of the level, as a share"`
	Worse       bool     `json:"worse"`
	P           float64  `json:"p"`
	Method      string   `json:"method"`
	Differences []string `json:"differences" jsonschema:"what else differs between the two runs"`
}

func (s *Server) history(ctx context.Context, ask historyAsk) (remembered, error) {
	out := remembered{Series: []series{}, Bundles: []Verdict{}}
	last := min(ask.Last, 500)
	if last <= 0 {
		last = 50
	}
	var h warehouse.History
	err := s.remember(ctx, func(w *warehouse.Warehouse) (err error) {
		h, err = w.History(ctx, warehouse.Filter{Metric: ask.Metric, Workload: ask.Workload, System: ask.System, Testbed: ask.Testbed, Point: ask.Point, Last: last},
			warehouse.Detection{}, judge.Options{Trust: s.opts.Trust, Version: s.opts.Version})
		return err
	})
	if err != nil {
		return out, err
	}
	out.Alarm = h.Alarming()
	var digests []string
	for _, one := range h.Series {
		out.Series = append(out.Series, seriesOf(one))
		for _, v := range one.Values {
			digests = append(digests, v.Digest)
		}
	}
	kept, err := s.keptVerdicts(ctx, digests)
	for _, v := range kept {
		out.Bundles = append(out.Bundles, v.Verdict)
	}
	return out, err
}

func seriesOf(h warehouse.Series) series {
	out := series{
		Metric: h.Metric, Statistic: h.Statistic, Better: h.Better, Name: h.Name, Workload: h.Workload, System: h.System, Testbed: h.Testbed,
		Point: h.Point, Side: h.Side, Values: []past{}, LeftOut: h.LeftOut, Changes: []changed{},
	}
	for _, v := range h.Values {
		out.Values = append(out.Values, past{v.RunID, v.At, v.Digest, bounded(v.Value, v.Low, v.High, v.N, h.Unit, "")})
	}
	for _, c := range h.Changes {
		one := changed{State: c.State, LastBefore: c.LastGood, FirstAfter: c.FirstBad, Relative: c.Relative, Worse: c.Worse, P: c.P, Method: c.Method, Differences: []string{}}
		one.Differences = append(one.Differences, changes(c.Differences)...)
		if c.Unknown != "" {
			one.Differences = append(one.Differences, "not known: "+c.Unknown)
		}
		out.Changes = append(out.Changes, one)
	}
	return out
}
