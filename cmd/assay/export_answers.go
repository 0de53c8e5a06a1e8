package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/accuracy/lmeval"
	"assay/judge"
)

// An answersPlace is which answers of an evaluation are written.
type answersPlace struct {
	launch int    // counted from 0
	point  string // empty for the first
}

// exportAnswers writes one launch and point of an evaluation as lm-eval would.
func exportAnswers(env Env, j *judge.Judgement, place answersPlace, out string, asJSON bool) error {
	if !j.HasAccuracy() {
		return usageError(errors.New("nothing was asked whose right answer is known: want a bundle of assay eval"))
	}
	source, point, err := answersOf(j, place)
	if err != nil {
		return err
	}
	files, err := lmeval.Files(source)
	if err != nil {
		return err
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Join(out, f.Name))
		if err := os.WriteFile(names[len(names)-1], f.Data, 0o644); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(env.Stdout, exported{Folder: out, Launch: &place.launch, Files: names, Point: point})
	}
	_, err = fmt.Fprintln(env.Stdout, out)
	return err
}

// answersOf gathers the answers of a place and says which point that is.
func answersOf(j *judge.Judgement, place answersPlace) (lmeval.Source, string, error) {
	p := j.Plan
	source := lmeval.Source{
		Model: p.Workload().Model, RunID: j.Bundle.Manifest.RunID, Made: j.Bundle.Manifest.Created, Version: version(), Seed: p.Seed(), Tasks: p.Evaluation().Tasks,
	}
	side, err := sideOfAnswers(j, place.point, "")
	if err != nil {
		return source, "", err
	}
	here := func(launch int, point int32, of string) bool {
		return launch == place.launch && point == side.Point && of == side.Place.Side
	}
	for _, a := range side.Answers {
		if here(a.Launch, a.Point, a.Side) {
			source.Answers = append(source.Answers, a)
		}
	}
	for _, g := range j.Grades {
		if here(g.Launch, g.Point, g.Side) {
			source.Grades = append(source.Grades, g)
		}
	}
	for _, l := range j.Bundle.Launches() {
		if l.Index == place.launch {
			source.Seconds = l.Ended.Sub(l.Started).Seconds()
		}
	}
	if len(source.Answers) == 0 {
		return source, "", usageError(fmt.Errorf("--launch %d: no answers of it at %s", place.launch+1, side.Place.Point))
	}
	return source, side.Place.Point, nil
}
