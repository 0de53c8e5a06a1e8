// Package pair judges bundles beside each other: it opens each bundle of a call once,
// finds the sides that are meant, and makes the checks that only a pair can fail. The
// command line and every service compare and gate through it, so that they conclude
// the same.
package pair

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/bundle"
	"assay/finding"
	"assay/judge"
)

// ErrAsked says that what was asked for makes no sense, whatever the bundles hold.
var ErrAsked = errors.New("cannot be compared")

// A Reader opens the bundles of one call that concludes something from several, each
// of them once.
type Reader struct {
	open   func(dir string) (*judge.Judgement, error)
	judged map[string]*judge.Judgement // by folder
	past   func(*judge.Judgement) (compare.Past, error)
}

// NewReader is a reader that opens bundles by open.
func NewReader(open func(dir string) (*judge.Judgement, error)) Reader {
	return Reader{open: open, judged: map[string]*judge.Judgement{}}
}

// Remembering is the reader with what earlier runs teach about the spread of results, which is
// what past says of a judgement.
func (r Reader) Remembering(past func(*judge.Judgement) (compare.Past, error)) Reader {
	r.past = past
	return r
}

// Judgement is that of the bundle in dir.
func (r Reader) Judgement(dir string) (*judge.Judgement, error) {
	dir = filepath.Clean(dir)
	if j, ok := r.judged[dir]; ok {
		return j, nil
	}
	j, err := r.open(dir)
	if err == nil {
		r.judged[dir] = j
	}
	return j, err
}

// Side opens BUNDLE or BUNDLE@SIDE.
func (r Reader) Side(arg string) (compare.Side, error) {
	dir, name := arg, ""
	if bundle.Remains(dir) == "" {
		if at := strings.LastIndex(arg, "@"); at >= 0 {
			dir, name = arg[:at], arg[at+1:]
		}
		if bundle.Remains(dir) == "" {
			return compare.Side{}, bundle.NotBundle(dir)
		}
	}
	j, err := r.Judgement(dir)
	if err != nil {
		return compare.Side{}, err
	}
	side, err := r.sideOf(j, name)
	if err != nil {
		return compare.Side{}, fmt.Errorf("%w: %s: %w; write BUNDLE@SIDE", ErrAsked, arg, err)
	}
	return side, nil
}

// sideOf is the side called name of a judged bundle, with its answers where they were
// graded and what is known of earlier runs.
func (r Reader) sideOf(j *judge.Judgement, name string) (compare.Side, error) {
	side, err := compare.Open(j.Bundle, j.Estimates, name)
	if err != nil {
		return side, err
	}
	side.Grade(j.Answers())
	side.Against = j.Against
	if r.past != nil {
		side.Past, err = r.past(j)
	}
	return side, err
}

// Sides opens what the arguments name, the baseline first: several bundles, or one of
// a run with candidates.
func (r Reader) Sides(args []string) ([]compare.Side, error) {
	if len(args) == 1 {
		return r.candidates(args[0])
	}
	var sides []compare.Side
	for _, arg := range args {
		side, err := r.Side(arg)
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	if err := differ(sides); err != nil {
		return nil, err
	}
	return distinct(sides), nil
}

// candidates opens every side of a run with candidates.
func (r Reader) candidates(dir string) ([]compare.Side, error) {
	j, err := r.Judgement(dir)
	if err != nil {
		return nil, err
	}
	names := j.Plan.Sides()
	if len(names) < 2 {
		return nil, fmt.Errorf("%w: got one bundle, %s, of a run without candidates: want a second bundle", ErrAsked, dir)
	}
	var sides []compare.Side
	for _, one := range names {
		side, err := r.sideOf(j, one.Name)
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	return sides, nil
}

// differ refuses a system beside itself: the same launches agree with certainty.
func differ(sides []compare.Side) error {
	for i, s := range sides {
		for _, other := range sides[:i] {
			if s.Digest == other.Digest && s.Bundle.Manifest.RunID == other.Bundle.Manifest.RunID && s.Name == other.Name {
				return fmt.Errorf("%w: %s is given twice: a bundle beside itself shows nothing; measure again for a comparison of a system with itself", ErrAsked, s.Bundle.Dir)
			}
		}
	}
	return nil
}

// distinct gives sides of the same label names of their own.
func distinct(sides []compare.Side) []compare.Side {
	seen := map[string]int{}
	for i := range sides {
		label := sides[i].Label
		seen[label]++
		if n := seen[label]; n > 1 {
			sides[i].Label = fmt.Sprintf("%s (%d)", label, n)
		}
	}
	return sides
}

// Compare compares the first side with each of the others, with what the checks found
// in each pair.
func (r Reader) Compare(sides []compare.Side, o compare.Options) (compare.Report, error) {
	report, err := compare.Compare(sides[0], sides[1:], o)
	if err != nil {
		return report, err
	}
	for i := range report.Comparisons {
		a := auditor{in: gate.Input{Baseline: sides[0], Candidate: sides[i+1]}, bundles: r, qualityMargin: o.Quality.Margin}
		_, found, err := a.pair()
		if err != nil {
			return report, err
		}
		report.Comparisons[i].Findings = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Severity == finding.Note })
		report.Forbid(i, Against(sides[0], sides[i+1], found))
	}
	return report, nil
}
