package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/accuracy"
	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/metric"
	"assay/plan"
)

// An indexer writes what a judgement says into the catalogue, in one transaction.
type indexer struct {
	ctx    context.Context
	tx     *sql.Tx
	j      *judge.Judgement
	digest string
	err    error // the first; nothing is written after it
}

// index adds a run to the catalogue.
func (w *Warehouse) index(ctx context.Context, j *judge.Judgement, now time.Time) error {
	d, err := dimensionsOf(j)
	if err != nil {
		return err
	}
	return w.inside(ctx, func(tx *sql.Tx) error {
		x := &indexer{ctx: ctx, tx: tx, j: j, digest: j.Bundle.Manifest.Digest}
		for _, one := range d.all() {
			x.exec(`INSERT OR IGNORE INTO dimension VALUES (?, ?, ?)`, one.digest, one.kind, one.content)
		}
		x.run(d, now)
		x.launches()
		x.files()
		x.metrics()
		x.scores()
		x.said()
		x.exec(`INSERT OR IGNORE INTO unlooked VALUES (?)`, x.digest)
		x.exec(`INSERT OR IGNORE INTO stale VALUES (?, ?)`, day(j.Bundle.Manifest.Created), d.workload.digest)
		return x.err
	})
}

func (x *indexer) exec(statement string, args ...any) int64 {
	if x.err != nil {
		return 0
	}
	result, err := x.tx.ExecContext(x.ctx, statement, args...)
	if err != nil {
		x.err = fmt.Errorf("catalogue: %w", err)
		return 0
	}
	id, err := result.LastInsertId()
	x.err = err
	return id
}

// day is the partition of a time.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func (x *indexer) run(d dimensions, now time.Time) {
	m, s, c := x.j.Bundle.Manifest, x.j.Plan.Decided(), x.j.Claims
	known := func(name string) any {
		if text := textOf(m.Environment, "join."+name); text != "" {
			return text
		}
		return nil
	}
	signature, source, baseline := bundle.SignatureNone, "assay", ""
	if x.j.Bundle.Seal != nil {
		signature = x.j.Bundle.Seal.Signature.State
	}
	if m.Source != nil {
		source = strings.TrimSpace(m.Source.Tool + " " + m.Source.Version)
	}
	if m.Inputs.Baseline != nil {
		baseline = m.Inputs.Baseline.Digest
	}
	var size int64
	for _, f := range m.Files {
		size += f.Bytes
	}
	x.exec(`INSERT INTO benchmark_run_fact VALUES (`+places(37)+`)`,
		m.Digest, m.RunID, x.j.Plan.Name, m.Status, m.Created.UnixNano(), m.Sealed.UnixNano(), now.UnixNano(), day(m.Created),
		d.workload.digest, d.workload.digest, m.PlanDigest, m.SpecDigest,
		x.j.Estimates.Definitions, x.j.Estimates.Code,
		d.environment.digest, d.topology.digest, d.software.digest, d.cluster.digest,
		known("scheduler_run_id"), known("job_uid"), known("pod_uid"), known("node_name"), known("gpu_uuid"),
		s.Intent.BenchmarkClass, s.Intent.WorkloadType, s.Intent.Cadence, s.Intent.SchedulerPath,
		c.Grade, string(x.worst()), x.j.Plan.Trials().Quick,
		systemOf(x.j), testbedOf(x.j), modelOf(x.j), source,
		signature, m.Signer.KeyID, size)
	x.exec(`INSERT INTO artifact_lineage_dim VALUES (`+places(7)+`)`,
		m.Digest, m.RunID, bundlesDir+"/"+short(m.Digest)[:2]+"/"+strings.TrimPrefix(m.Digest, "sha256:"), signature, m.Signer.KeyID, "report/report.html", baseline)
}

// worst is the worst of the findings. One that forbids some results alone is a caution
// about the run: those results have no value here.
func (x *indexer) worst() finding.Severity {
	worst := finding.Worst(x.j.Audit.Findings)
	if worst == finding.Void && len(x.j.Claims.Forbidden()) == 0 {
		return finding.Caution
	}
	return worst
}

// places is as many question marks as a row has columns.
func places(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func (x *indexer) launches() {
	for _, l := range x.j.Bundle.Manifest.Launches {
		x.exec(`INSERT INTO launch_fact VALUES (`+places(8)+`)`,
			x.digest, l.Index, l.Side, l.Outcome, l.Reason, l.Started.UnixNano(), nanos(l.Ended), strings.Join(l.Nodes, ","))
	}
}

// nanos is zero for a time that nobody knows.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func (x *indexer) files() {
	for _, f := range x.j.Bundle.Manifest.Files {
		x.exec(`INSERT INTO file_fact VALUES (`+places(8)+`)`, x.digest, f.Path, f.Role, f.SHA256, f.Bytes, f.Table, f.Launch, f.Rows)
	}
}

// A fact is a row of metric_fact with its launches.
type fact struct {
	point     int
	side      string
	metric    string
	statistic string
	unit      string
	better    string
	value     float64
	low, high float64

	confidence float64
	n          int
	effectiveN float64
	estimator  string
	cv         *float64
	warnings   []string
	launches   []metric.LaunchValue
}

func (x *indexer) metrics() {
	for _, r := range x.j.Estimates.Rows {
		x.add(fact{
			r.Point, r.Side, r.Metric, r.Statistic, string(r.Unit), string(r.Better), r.Value, r.Interval.Lo, r.Interval.Hi,
			r.Confidence, r.N, r.EffectiveN, r.Method, r.CV, r.Warnings, r.PerLaunch,
		})
	}
}

// scores adds those of an evaluation, so that quality has a history as speed has one.
func (x *indexer) scores() {
	for _, t := range x.j.Accuracy.Tasks {
		for _, p := range t.Points {
			for _, s := range p.Scores {
				if s.Unavailable == "" {
					x.add(scoreFact(t, p, s))
				}
			}
		}
	}
}

func scoreFact(t accuracy.Task, p accuracy.Point, s accuracy.Score) fact {
	better := metric.Higher
	if s.Lower {
		better = metric.Lower
	}
	f := fact{
		int(p.Point), p.Side, t.Name + "." + s.Grader, scoreStatistic, "", string(better), s.Estimate.Value, s.Estimate.Interval.Lo, s.Estimate.Interval.Hi,
		s.Estimate.Confidence, s.Estimate.N, s.Estimate.EffectiveN, s.Estimate.Method, nil, s.Estimate.Warnings, nil,
	}
	for i, value := range s.PerLaunch {
		f.launches = append(f.launches, metric.LaunchValue{Launch: i, Value: value, N: p.Items})
	}
	return f
}

func (x *indexer) add(f fact) {
	name, kind := launchPoint, ""
	var at plan.Point
	if p, ok := x.j.Plan.PointByIndex(f.point); ok {
		name, kind, at = p.Name, string(p.Kind()), p
	}
	if x.withheld(f, name) {
		f.value, f.low, f.high, f.launches = math.NaN(), math.NaN(), math.NaN(), nil
	}
	id := x.exec(`INSERT INTO metric_fact VALUES (NULL, `+places(21)+`)`,
		x.digest, f.point, name, kind, at.Concurrency, at.Rate, at.Ranks, f.side, f.metric, f.statistic, f.unit, f.better,
		finite(f.value), finite(f.low), finite(f.high), f.confidence, f.n, f.effectiveN, f.estimator, f.cv, strings.Join(f.warnings, "; "))
	for _, l := range f.launches {
		x.exec(`INSERT INTO launch_metric_fact VALUES (?, ?, ?, ?)`, id, l.Launch, finite(l.Value), l.N)
	}
}

// withheld reports whether a finding forbids a result of a run that is not void as a
// whole: nobody may draw a history from it.
func (x *indexer) withheld(f fact, point string) bool {
	result := finding.Result{Subject: finding.Speed, Metric: f.metric, Statistic: f.statistic, Point: point, Side: f.side}
	if f.statistic == scoreStatistic {
		result.Subject, result.Task = finding.Accuracy, f.metric[:max(0, strings.LastIndex(f.metric, "."))]
	}
	return len(x.j.Claims.Forbidden()) == 0 && len(x.j.Claims.Against(result)) > 0
}

// launchPoint is the point of results that are of a launch as a whole.
const launchPoint = "launch"

// scoreStatistic is what the scores of an evaluation are filed under.
const scoreStatistic = "score"

// finite is null for a number that there is not, and for an end without a bound.
func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

// said adds findings and claims.
func (x *indexer) said() {
	for i, f := range x.j.Audit.Findings {
		x.exec(`INSERT INTO finding_fact VALUES (`+places(6)+`)`, x.digest, i+1, f.Check, f.Severity, f.Message, f.Fix)
	}
	for i, c := range x.j.Claims.Claims {
		x.exec(`INSERT INTO claim_fact VALUES (`+places(11)+`)`,
			x.digest, i+1, c.Sentence, c.Metric, c.Statistic, c.Point, c.Side, finite(c.Value), finite(c.Interval.Lo), finite(c.Interval.Hi), c.Headline)
	}
}
