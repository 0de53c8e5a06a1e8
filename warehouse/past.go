package warehouse

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"assay/analysis/compare"
	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/stats"
)

// mostPast is how many runs of a series a spread is learnt from, the newest ones.
const mostPast = 100

// An earlier is one result of one run, with the value of each launch.
type earlier struct {
	digest   string
	value    float64
	launches []float64
}

// pastQuery reads every result of the runs of one workload, system and testbed that count,
// with its launches; of some signers alone where those are named. CROSS JOIN keeps the order: from the few runs to their facts.
const pastQuery = `WITH runs AS (SELECT artifact_manifest_digest, created_ns FROM current_run
	WHERE workload_spec_digest = ? AND system = ? AND testbed = ? AND status = 'completed' AND coalesce(worst_finding, '') <> 'void' AND quick = 0 AND (? = 0 OR signature IN (?, ?) AND signer IN (SELECT value FROM json_each(?)))
	ORDER BY created_ns DESC LIMIT ?)
	SELECT r.artifact_manifest_digest, f.metric, f.statistic, f.point_name, f.side, f.value, l.value
	FROM runs r CROSS JOIN metric_fact f ON f.artifact_manifest_digest = r.artifact_manifest_digest
	CROSS JOIN launch_metric_fact l ON l.fact = f.fact
	WHERE f.value > 0 AND l.value > 0
	ORDER BY r.created_ns, r.artifact_manifest_digest, f.fact, l.launch`

// Past is what the runs of a judgement's workload, system and testbed teach about how much
// its results spread. Where somebody trusts some keys only, runs that others signed, or nobody,
// teach nothing: a spread that is too small passes what it should not.
func (w *Warehouse) Past(ctx context.Context, j *judge.Judgement, trusted ...string) (compare.Past, error) {
	d, err := dimensionsOf(j)
	if err != nil {
		return nil, err
	}
	keys, err := json.Marshal(trusted)
	if err != nil {
		return nil, err
	}
	rows, err := w.db.QueryContext(ctx, pastQuery, d.workload.digest, systemOf(j), testbedOf(j),
		len(trusted), bundle.SignatureTrusted, bundle.SignatureUntrusted, string(keys), mostPast)
	if err != nil {
		return nil, err
	}
	type row struct {
		earlier
		of     finding.Result
		launch float64
	}
	list, err := gather(rows, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.digest, &r.of.Metric, &r.of.Statistic, &r.of.Point, &r.of.Side, &r.value, &r.launch)
	})
	if err != nil {
		return nil, err
	}
	all := map[finding.Result][]earlier{}
	for _, r := range list {
		runs := all[r.of]
		if n := len(runs); n == 0 || runs[n-1].digest != r.digest {
			runs = append(runs, r.earlier)
		}
		last := &runs[len(runs)-1]
		last.launches = append(last.launches, r.launch)
		all[r.of] = runs
	}
	return func(r finding.Result, except ...string) (stats.Past, bool) {
		key := finding.Result{Metric: r.Metric, Statistic: r.Statistic, Point: pointOf(r.Point), Side: r.Side}
		runs, there := all[key]
		if !there { // what is a side of one run may have been measured alone every night
			key.Side = ""
			runs = all[key]
		}
		return learn(slices.DeleteFunc(slices.Clone(runs), func(e earlier) bool { return slices.Contains(except, e.digest) }))
	}, nil
}

// pointOf is the name that the catalogue has for a point: results of the launch as a whole
// belong to none.
func pointOf(name string) string {
	if name == "" {
		return launchPoint
	}
	return name
}

// learn learns from the newest level that has runs enough: a step between two levels is a
// change of the system and no noise.
func learn(runs []earlier) (stats.Past, bool) {
	xs := make([]float64, len(runs))
	for i, r := range runs {
		xs[i] = r.value
	}
	end := len(runs)
	for _, start := range slices.Backward(levelStarts(Detection{}.Steps(xs))) {
		var level [][]float64
		for _, r := range runs[start:end] {
			level = append(level, r.launches)
		}
		if past, err := stats.LearnPast(level); err == nil {
			return past, true
		}
		end = start
	}
	return stats.Past{}, false
}

// levelStarts are the places at which levels begin, the first at 0.
func levelStarts(list []Change) []int {
	starts := []int{0}
	for _, c := range list {
		starts = append(starts, c.At)
		if c.over > 0 {
			starts = append(starts, c.over-stats.FewestBack+1)
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}
