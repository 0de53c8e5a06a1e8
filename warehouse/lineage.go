package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"assay/unit"
)

// A Lineage is the way from something that was printed to the rows that it rests on.
type Lineage struct {
	Asked string  `json:"asked"`
	Steps []Trace `json:"found"`
	More  bool    `json:"more"` // there are more than are listed
}

// A Trace is one way: a number, how it was computed, the run, its bundle and the raw
// files.
type Trace struct {
	Claim     string   `json:"claim,omitempty"` // the sentence, where one was asked about
	Metric    string   `json:"metric"`
	Statistic string   `json:"statistic"`
	Point     string   `json:"point"`
	Side      string   `json:"side,omitempty"`
	Value     float64  `json:"value"`
	Unit      string   `json:"unit"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Estimator string   `json:"estimator"`
	N         int      `json:"n"`

	QuerySpecDigest        string `json:"querySpecDigest"` // of the definitions of metrics
	CodeVersion            string `json:"codeVersion"`
	RunID                  string `json:"runID"`
	WorkloadSpecDigest     string `json:"workloadSpecDigest"`
	ArtifactManifestDigest string `json:"artifactManifestDigest"`
	Signature              string `json:"signature"`
	Bundle                 string `json:"bundle"`         // folder in the warehouse
	Gone                   bool   `json:"gone,omitempty"` // retention dropped it

	Raw    []RawFile `json:"raw"`
	Claims []string  `json:"claims"`         // that quote the number
	Acts   []string  `json:"acts,omitempty"` // what was decided about the run

	fact int64
}

// A RawFile is a table of records that a number rests on.
type RawFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Launch int    `json:"launch"`
	Table  string `json:"table"`
	Rows   int64  `json:"rows"`
}

// mostTraces is how many ways are listed: a number that fits more should be written with
// more digits.
const mostTraces = 20

// ErrNoLineage says that nothing in the warehouse was printed so.
var ErrNoLineage = errors.New("nothing in the warehouse was printed so")

// Lineage finds where something printed comes from: a number with its unit, a sentence
// that was claimed, a part of one, or the digest of a raw file, from which it goes the
// other way, to what rests on it.
func (w *Warehouse) Lineage(ctx context.Context, asked string) (Lineage, error) {
	l := Lineage{Asked: asked, Steps: []Trace{}}
	asked = strings.TrimSpace(asked)
	var where string
	var args []any
	if n, err := readNumber(asked); err == nil {
		where, args = n.where()
	} else if digest, is := strings.CutPrefix(asked, "sha256:"); is || fileDigest.MatchString(asked) {
		where, args = `f.artifact_manifest_digest = ? OR f.artifact_manifest_digest IN (SELECT artifact_manifest_digest FROM file_fact WHERE sha256 IN (?, ?))`, []any{"sha256:" + digest, digest, "sha256:" + digest}
	} else {
		where, args = `EXISTS (SELECT 1 FROM claim_fact c WHERE c.artifact_manifest_digest = f.artifact_manifest_digest AND c.metric = f.metric
			AND c.statistic = f.statistic AND c.point_name = f.point_name AND c.side = f.side AND instr(c.sentence, ?) > 0)`, []any{asked}
	}
	rows, err := w.db.QueryContext(ctx, `SELECT f.fact, f.metric, f.statistic, f.point_name, f.side, f.value, f.unit, f.low, f.high, f.estimator, f.n,
		r.query_spec_digest, r.code_version, r.run_id, r.workload_spec_digest, r.artifact_manifest_digest, r.signature
		FROM metric_fact f JOIN benchmark_run_fact r USING (artifact_manifest_digest) WHERE f.value IS NOT NULL AND (`+where+`)
		ORDER BY r.created_ns DESC, f.fact LIMIT `+strconv.Itoa(mostTraces+1), args...)
	if err != nil {
		return l, err
	}
	if l.Steps, err = gather(rows, scanTrace); err != nil {
		return l, err
	}
	if len(l.Steps) == 0 {
		return l, fmt.Errorf("%w: %q; want a number with its unit as a report shows it (12.3 ms), words of a claim, or the digest of a bundle or a file of one", ErrNoLineage, asked)
	}
	if l.More = len(l.Steps) > mostTraces; l.More {
		l.Steps = l.Steps[:mostTraces]
	}
	for i := range l.Steps {
		if err := w.trace(ctx, &l.Steps[i], asked); err != nil {
			return l, err
		}
	}
	return l, nil
}

var fileDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func scanTrace(rows *sql.Rows) (t Trace, err error) {
	err = rows.Scan(&t.fact, &t.Metric, &t.Statistic, &t.Point, &t.Side, &t.Value, &t.Unit, &t.Low, &t.High, &t.Estimator, &t.N,
		&t.QuerySpecDigest, &t.CodeVersion, &t.RunID, &t.WorkloadSpecDigest, &t.ArtifactManifestDigest, &t.Signature)
	return t, err
}

// trace adds the raw files of the launches, the claims and the acts.
func (w *Warehouse) trace(ctx context.Context, t *Trace, asked string) error {
	t.Bundle = w.place(t.ArtifactManifestDigest)
	_, err := os.Stat(t.Bundle)
	t.Gone = err != nil
	rows, err := w.db.QueryContext(ctx, `SELECT path, sha256, launch, table_name, coalesce(rows, 0) FROM file_fact
		WHERE artifact_manifest_digest = ? AND role = 'raw' AND launch IN (SELECT launch FROM launch_metric_fact WHERE fact = ?) ORDER BY path`, t.ArtifactManifestDigest, t.fact)
	if err != nil {
		return err
	}
	if t.Raw, err = gather(rows, func(rows *sql.Rows) (f RawFile, err error) {
		return f, rows.Scan(&f.Path, &f.SHA256, &f.Launch, &f.Table, &f.Rows)
	}); err != nil {
		return err
	}
	word := func(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) }
	rows, err = w.db.QueryContext(ctx, `SELECT sentence FROM claim_fact WHERE artifact_manifest_digest = ? AND metric = ? AND statistic = ? AND point_name = ? AND side = ? ORDER BY number`,
		t.ArtifactManifestDigest, t.Metric, t.Statistic, t.Point, t.Side)
	if err != nil {
		return err
	}
	if t.Claims, err = gather(rows, word); err != nil {
		return err
	}
	for _, sentence := range t.Claims {
		if strings.Contains(sentence, asked) {
			t.Claim = sentence
		}
	}
	rows, err = w.db.QueryContext(ctx, `SELECT act || ': ' || why FROM act_fact WHERE artifact_manifest_digest = ? ORDER BY number`, t.ArtifactManifestDigest)
	if err == nil {
		t.Acts, err = gather(rows, word)
	}
	return err
}

// A number is one as it was printed: any value between the ends rounds to it.
type number struct {
	low, high float64
	unit      string // as printed; empty where it was left out
}

var printedNumber = regexp.MustCompile(`^([-+]?\d+(?:\.(\d+))?(?:[eE]([-+]?\d+))?)\s*(.*)$`)

func readNumber(asked string) (number, error) {
	m := printedNumber.FindStringSubmatch(asked)
	if m == nil || fileDigest.MatchString(asked) {
		return number{}, errors.New("no number")
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return number{}, err
	}
	exponent, _ := strconv.Atoi(m[3]) // empty means none
	half := .5 * math.Pow(10, float64(exponent-len(m[2])))
	return number{v - half, v + half, strings.TrimSpace(m[4])}, nil
}

// where is the condition on a fact: its value, shown as one of the units it may be shown
// in, rounds to the number.
func (n number) where() (string, []any) {
	var some []string
	var args []any
	for _, shown := range unit.Scales() {
		if n.unit != "" && n.unit != shown.Suffix {
			continue
		}
		some = append(some, `f.unit = ? AND f.value BETWEEN ? AND ?`)
		args = append(args, string(shown.Unit), n.low*shown.Factor, n.high*shown.Factor)
	}
	if n.unit == "" {
		some, args = append(some, `f.value BETWEEN ? AND ?`), append(args, n.low, n.high)
	}
	if len(some) == 0 {
		return `f.unit = ? AND f.value BETWEEN ? AND ?`, []any{n.unit, n.low, n.high}
	}
	return "(" + strings.Join(some, ") OR (") + ")", args
}
