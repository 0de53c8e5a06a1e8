package warehouse

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/accuracy/parity"
	"assay/analysis/diff"
	"assay/judge"
)

// A History is what was asked for, over time.
type History struct {
	Alpha  float64  `json:"alpha"` // false alarms in a look at a stable series
	Seed   int64    `json:"seed"`
	Series []Series `json:"series"`
}

// Alarming reports whether a series got worse in a way that is not over and that nobody
// decided about.
func (h History) Alarming() bool {
	for _, s := range h.Series {
		if slices.ContainsFunc(s.Changes, Change.Open) {
			return true
		}
	}
	return false
}

// History reads series and finds their changes. Each change says what differs between
// the run before it and the run after it, from the bundles themselves.
func (w *Warehouse) History(ctx context.Context, f Filter, d Detection, o judge.Options) (History, error) {
	h, err := w.watched(ctx, f, d)
	if err != nil {
		return h, err
	}
	for i := range h.Series {
		s := &h.Series[i]
		for k := range s.Changes {
			if err := w.explain(&s.Changes[k], *s, d, o); err != nil {
				return h, err
			}
		}
	}
	return h, ctx.Err()
}

// watched reads series and finds their changes, without saying what differs.
func (w *Warehouse) watched(ctx context.Context, f Filter, d Detection) (History, error) {
	list, err := w.series(ctx, f)
	if err != nil {
		return History{}, err
	}
	d = d.withDefaults()
	d.together = len(list)
	h := History{Alpha: d.Alpha, Seed: d.Seed, Series: list}
	for i := range h.Series {
		s := &h.Series[i]
		err := s.detect(d, func(xs []float64) ([]Change, error) { return w.changes(ctx, d, xs) })
		if err := errors.Join(ctx.Err(), err); err != nil {
			return h, fmt.Errorf("%s of %s: %w", s.Metric, s.Name, err)
		}
	}
	return h, w.remembered(ctx, h.Series)
}

// explain says what differs between the runs on either side of a change, or why that cannot
// be said. What was said about two bundles is remembered, by their digests, for as long as
// both are there. Its error is that of whoever is waited for.
func (w *Warehouse) explain(c *Change, s Series, d Detection, o judge.Options) error {
	before, after := s.Values[c.At-1].Digest, s.Values[c.At].Digest
	for _, digest := range []string{before, after} {
		if _, err := w.folder(digest); err != nil {
			c.Unknown = err.Error()
			return nil
		}
	}
	key := sha256.Sum256([]byte(strings.Join([]string{before, after, s.Side, s.Metric, s.Statistic, s.Point}, "\x00")))
	e, known := w.explained.recall(key)
	if !known {
		if err := d.withDefaults().Between(); err != nil {
			return err
		}
		var err error
		if e, err = w.compare(before, after, s, o); err != nil {
			c.Unknown = err.Error()
			return nil
		}
		w.explained.keep(key, e, len(e.differences)+len(e.paired))
	}
	c.Differences, c.Paired = slices.Clone(e.differences), slices.Clone(e.paired)
	return nil
}

// compare reads two bundles and says what differs between them.
func (w *Warehouse) compare(before, after string, s Series, o judge.Options) (e explanation, err error) {
	good, err := w.openKept(before, o)
	if err != nil {
		return e, err
	}
	bad, err := w.openKept(after, o)
	if err != nil {
		return e, err
	}
	a, err := diff.Open(good.Bundle, s.Side)
	if err != nil {
		return e, err
	}
	b, err := diff.Open(bad.Bundle, s.Side)
	if err != nil {
		return e, err
	}
	e.differences = diff.Bundles(a, b)
	if s.Statistic != "score" || !good.Answers().Graded() || !bad.Answers().Graded() {
		return e, nil
	}
	r, err := parity.Judge(
		good.Answers().Of(good.Bundle.Manifest, a.Plan, s.Side), bad.Answers().Of(bad.Bundle.Manifest, b.Plan, s.Side), parity.Options{})
	if err != nil {
		return e, err
	}
	for _, row := range r.Rows {
		if row.Task+"."+row.Grader == s.Metric && (row.Point == "" || row.Point == s.Point) {
			e.paired = append(e.paired, row)
		}
	}
	return e, nil
}

// openKept opens a bundle of the warehouse through the door that checks its seal.
func (w *Warehouse) openKept(digest string, o judge.Options) (*judge.Judgement, error) {
	dir, err := w.folder(digest)
	if err != nil {
		return nil, err
	}
	return judge.Open(dir, o)
}
