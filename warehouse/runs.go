package warehouse

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"time"
)

// A RunFilter says which runs are listed. Empty fields fit everything.
type RunFilter struct {
	Name, System, Testbed, Model, Status, Finding string

	Text  string // stands somewhere in id, name, system, model or testbed
	Since time.Time
	Rows  int // zero means 100
	Skip  int
}

// A RunRow is a run as lists show it.
type RunRow struct {
	Run
	System    string    `json:"system"`
	Testbed   string    `json:"testbed"`
	Model     string    `json:"model"`
	Grade     string    `json:"grade"`
	Worst     string    `json:"worstFinding"`
	Signature string    `json:"signature"`
	Workload  string    `json:"workload"`
	Code      string    `json:"codeVersion"`
	Kept      time.Time `json:"kept"`
	Bytes     int64     `json:"bytes"`
	Counts    bool      `json:"counts"` // false where it was retracted or superseded
}

const runColumns = `r.artifact_manifest_digest, r.run_id, r.name, r.status, r.created_ns, r.system, r.testbed, r.model, r.grade, coalesce(r.worst_finding, ''),
	r.signature, r.workload_spec_digest, r.code_version, r.kept_ns, r.bytes,
	coalesce((SELECT a.act FROM act_fact a WHERE a.artifact_manifest_digest = r.artifact_manifest_digest
		AND a.act IN ('retracted', 'superseded', 'restored') ORDER BY a.number DESC LIMIT 1), 'restored') = 'restored'`

func scanRun(rows *sql.Rows) (r RunRow, err error) {
	var created, kept int64
	err = rows.Scan(&r.Digest, &r.RunID, &r.Name, &r.Status, &created, &r.System, &r.Testbed, &r.Model, &r.Grade, &r.Worst,
		&r.Signature, &r.Workload, &r.Code, &kept, &r.Bytes, &r.Counts)
	r.Created, r.Kept = time.Unix(0, created).UTC(), time.Unix(0, kept).UTC()
	return r, err
}

// runConditions is the WHERE clause of a filter.
const runConditions = ` WHERE r.created_ns >= ?1 AND (?2 = '' OR r.name = ?2) AND (?3 = '' OR r.system = ?3) AND (?4 = '' OR r.testbed = ?4)
	AND (?5 = '' OR r.model = ?5) AND (?6 = '' OR r.status = ?6) AND (?7 = '' OR r.worst_finding = ?7)
	AND (?8 = '' OR instr(lower(r.run_id || ' ' || r.name || ' ' || r.system || ' ' || r.model || ' ' || r.testbed), lower(?8)) > 0)`

func (f RunFilter) args() []any {
	return []any{nanos(f.Since), f.Name, f.System, f.Testbed, f.Model, f.Status, f.Finding, f.Text}
}

// Runs lists runs that fit, the newest first, and says how many fit in all.
func (w *Warehouse) Runs(ctx context.Context, f RunFilter) (list []RunRow, all int, err error) {
	if err := w.db.QueryRowContext(ctx, `SELECT count(*) FROM benchmark_run_fact r`+runConditions, f.args()...).Scan(&all); err != nil {
		return nil, 0, err
	}
	if f.Rows == 0 {
		f.Rows = 100
	}
	// Those that are listed are chosen first: what is skipped is not read.
	const newest = ` ORDER BY r.created_ns DESC, r.artifact_manifest_digest`
	rows, err := w.db.QueryContext(ctx, `SELECT `+runColumns+` FROM benchmark_run_fact r WHERE r.artifact_manifest_digest IN (
		SELECT r.artifact_manifest_digest FROM benchmark_run_fact r`+runConditions+newest+` LIMIT ?9 OFFSET ?10)`+newest, append(f.args(), f.Rows, f.Skip)...)
	if err != nil {
		return nil, 0, err
	}
	list, err = gather(rows, scanRun)
	return list, all, err
}

// A Figure is a result of a run.
type Figure struct {
	Digest      string   `json:"digest,omitempty"`
	Point       string   `json:"point"`
	Concurrency int      `json:"concurrency,omitempty"`
	Rate        float64  `json:"rate,omitempty"`
	Side        string   `json:"side,omitempty"`
	Metric      string   `json:"metric"`
	Statistic   string   `json:"statistic"`
	Unit        string   `json:"unit"`
	Better      string   `json:"better"`
	Value       float64  `json:"value"`
	Low         *float64 `json:"low"`
	High        *float64 `json:"high"`
	N           int      `json:"n"`
	Estimator   string   `json:"estimator"`
}

const figureColumns = `f.artifact_manifest_digest, f.point_name, f.concurrency, f.rate, f.side, f.metric, f.statistic, f.unit, f.better, f.value, f.low, f.high, f.n, f.estimator`

func scanFigure(rows *sql.Rows) (f Figure, err error) {
	return f, rows.Scan(&f.Digest, &f.Point, &f.Concurrency, &f.Rate, &f.Side, &f.Metric, &f.Statistic, &f.Unit, &f.Better, &f.Value, &f.Low, &f.High, &f.N, &f.Estimator)
}

// A Said is a finding or a claim of a run, or an act about it.
type Said struct {
	Kind string `json:"kind"` // severity of a finding, claim, or the act
	What string `json:"what"` // the check, the metric, or who
	Text string `json:"text"`
}

// A RunDetail is what the catalogue knows of a run.
type RunDetail struct {
	RunRow
	Figures  []Figure  `json:"figures"`
	Findings []Said    `json:"findings"`
	Claims   []Said    `json:"claims"`
	Acts     []Said    `json:"acts"`
	Files    []RawFile `json:"files"`
	Gone     bool      `json:"gone"` // retention dropped the bundle
}

// Detail is what the catalogue knows of the run with an id, a digest or the beginning of
// one.
func (w *Warehouse) Detail(ctx context.Context, name string) (d RunDetail, err error) {
	run, err := w.Find(ctx, name)
	if err != nil {
		return d, err
	}
	rows, err := w.db.QueryContext(ctx, `SELECT `+runColumns+` FROM benchmark_run_fact r WHERE r.artifact_manifest_digest = ?`, run.Digest)
	if err != nil {
		return d, err
	}
	list, err := gather(rows, scanRun)
	if err != nil || len(list) != 1 {
		return d, fmt.Errorf("read %s: %w", run.RunID, err)
	}
	d.RunRow = list[0]
	if d.Figures, err = w.figuresOf(ctx, run.Digest); err != nil {
		return d, err
	}
	for query, into := range map[string]*[]Said{
		`SELECT severity, check_id, message FROM finding_fact WHERE artifact_manifest_digest = ? ORDER BY number`: &d.Findings,
		`SELECT 'claim', metric, sentence FROM claim_fact WHERE artifact_manifest_digest = ? ORDER BY number`:     &d.Claims,
		`SELECT act, by_whom, why FROM act_fact WHERE artifact_manifest_digest = ? ORDER BY number`:               &d.Acts,
	} {
		if rows, err = w.db.QueryContext(ctx, query, run.Digest); err != nil {
			return d, err
		}
		if *into, err = gather(rows, func(rows *sql.Rows) (s Said, err error) { return s, rows.Scan(&s.Kind, &s.What, &s.Text) }); err != nil {
			return d, err
		}
	}
	if rows, err = w.db.QueryContext(ctx, `SELECT path, sha256, coalesce(launch, 0), table_name, coalesce(rows, 0) FROM file_fact WHERE artifact_manifest_digest = ? ORDER BY path`, run.Digest); err != nil {
		return d, err
	}
	d.Files, err = gather(rows, func(rows *sql.Rows) (f RawFile, err error) {
		return f, rows.Scan(&f.Path, &f.SHA256, &f.Launch, &f.Table, &f.Rows)
	})
	_, there := w.Held(run.Digest)
	d.Gone = !there
	return d, err
}

// figuresOf are the results of a run.
func (w *Warehouse) figuresOf(ctx context.Context, digest string) ([]Figure, error) {
	key := sha256.Sum256([]byte(digest))
	list, known := w.figures.recall(key)
	if !known {
		rows, err := w.db.QueryContext(ctx, `SELECT `+figureColumns+` FROM metric_fact f WHERE f.artifact_manifest_digest = ? AND f.value IS NOT NULL ORDER BY f.point, f.side, f.fact`, digest)
		if err != nil {
			return nil, err
		}
		if list, err = gather(rows, scanFigure); err != nil {
			return nil, err
		}
		w.figures.keep(key, list, len(list))
	}
	return slices.Clone(list), nil
}

// Held is the folder of the bundle with a digest that the catalogue knows, and whether
// it is still there.
func (w *Warehouse) Held(digest string) (dir string, there bool) {
	dir = w.place(digest)
	_, err := os.Stat(dir)
	return dir, err == nil
}

// Choices are the values that a column of runs has, the most frequent first.
func (w *Warehouse) Choices(ctx context.Context) (map[string][]string, error) {
	all := map[string][]string{}
	for _, column := range []string{"name", "system", "testbed", "model", "status"} {
		rows, err := w.db.QueryContext(ctx, `SELECT `+column+` FROM benchmark_run_fact WHERE `+column+` <> '' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 200`)
		if err != nil {
			return nil, err
		}
		if all[column], err = gather(rows, func(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) }); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A Testbed is how reliable a machine was.
type Testbed struct {
	Name      string    `json:"name"`
	Runs      int       `json:"runs"`
	Completed int       `json:"completed"`
	Void      int       `json:"void"` // completed, and a finding voids it
	Last      time.Time `json:"last"`
}

// Testbeds says how reliable each machine was.
func (w *Warehouse) Testbeds(ctx context.Context) ([]Testbed, error) {
	rows, err := w.db.QueryContext(ctx, `SELECT testbed, count(*), sum(status = 'completed'), sum(status = 'completed' AND coalesce(worst_finding, '') = 'void'), max(created_ns)
		FROM benchmark_run_fact GROUP BY testbed ORDER BY 2 DESC, 1 LIMIT 200`)
	if err != nil {
		return nil, err
	}
	return gather(rows, func(rows *sql.Rows) (t Testbed, err error) {
		var last int64
		err = rows.Scan(&t.Name, &t.Runs, &t.Completed, &t.Void, &last)
		t.Last = time.Unix(0, last).UTC()
		return t, err
	})
}
