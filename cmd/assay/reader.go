package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"assay/analysis/compare"
	"assay/judge"
)

// A reader opens the bundles of one call that concludes something from several, each
// of them once.
type reader struct {
	env    Env
	trust  trustFlags
	judged map[string]*judge.Judgement // by folder
}

func newReader(env Env, trust trustFlags) reader {
	return reader{env: env, trust: trust, judged: map[string]*judge.Judgement{}}
}

// judgement is that of the bundle in dir.
func (r reader) judgement(dir string) (*judge.Judgement, error) {
	dir = filepath.Clean(dir)
	if j, ok := r.judged[dir]; ok {
		return j, nil
	}
	j, err := r.trust.decide(r.env, dir)
	if err == nil {
		r.judged[dir] = j
	}
	return j, err
}

// side opens BUNDLE or BUNDLE@SIDE.
func (r reader) side(arg string) (compare.Side, error) {
	dir, name := arg, ""
	if err := bundleDir(dir); err != nil {
		if before, after, ok := cutLast(arg, "@"); ok {
			dir, name = before, after
		}
		if err := bundleDir(dir); err != nil {
			return compare.Side{}, err
		}
	}
	j, err := r.judgement(dir)
	if err != nil {
		return compare.Side{}, err
	}
	side, err := sideOf(j, name)
	if err != nil {
		return compare.Side{}, usageError(fmt.Errorf("%s: %w; write BUNDLE@SIDE", arg, err))
	}
	return side, nil
}

// sideOf is the side called name of a judged bundle, with its answers where they were
// graded.
func sideOf(j *judge.Judgement, name string) (compare.Side, error) {
	side, err := compare.Open(j.Bundle, j.Estimates, name)
	if err == nil {
		side.Grade(j.Answers())
	}
	return side, err
}

// cutLast cuts text around the last separator.
func cutLast(text, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}
