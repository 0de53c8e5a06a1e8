package scorer

import (
	"context"
	"slices"
	"strconv"

	"assay/accuracy"
	"assay/bundle"
	"assay/record"
	"assay/spec"
)

// Bundle asks every scorer of e about the answers of b. A scorer that fails leaves its
// reason where its scores would be: what was measured is sealed all the same.
func Bundle(ctx context.Context, b *bundle.Bundle, e *spec.Evaluation, env Environment) ([]accuracy.Scores, error) {
	if e == nil || len(e.Scorers) == 0 {
		return nil, nil
	}
	answers, err := accuracy.Answers(b)
	if err != nil {
		return nil, err
	}
	var all []accuracy.Scores
	for _, s := range e.Scorers {
		all = append(all, Answers(ctx, s, env, answers, tasksOf(s, e)))
	}
	return all, nil
}

// tasksOf are the tasks that name s among their graders.
func tasksOf(s spec.Scorer, e *spec.Evaluation) (names []string) {
	for _, t := range e.Tasks {
		if slices.ContainsFunc(t.Graders, func(name string) bool { g, ok := spec.ParseScorerGrader(name); return ok && g.Scorer == s.Name }) {
			names = append(names, t.Name)
		}
	}
	return names
}

// Answers asks s about the answers of some tasks, in their order. Nobody is asked about an
// answer that never came.
func Answers(ctx context.Context, s spec.Scorer, env Environment, answers []accuracy.Answer, tasks []string) accuracy.Scores {
	var asked []*accuracy.Answer
	var list []Item
	for i := range answers {
		a := &answers[i]
		if a.State == accuracy.Failed || a.State == accuracy.Cut || !slices.Contains(tasks, a.Task) {
			continue
		}
		asked = append(asked, a)
		list = append(list, itemOf(strconv.Itoa(len(list)), a))
	}
	scores := accuracy.Scores{Scorer: s.Name, Rows: []accuracy.ScoredAnswer{}}
	if len(list) == 0 {
		return scores
	}
	results, ended := Run(ctx, s, env, list)
	if ended != nil {
		scores.Ended = ended.Error()
	}
	for i, r := range results {
		a := asked[i]
		scores.Rows = append(scores.Rows, accuracy.ScoredAnswer{
			Task: a.Task, Item: a.Item, Launch: a.Launch, Point: a.Point, Sample: a.Sample, Pass: a.Pass,
			Scores: r.Scores, Signature: r.Signature, Missing: r.Missing, Why: r.Unscored,
		})
	}
	return scores
}

func itemOf(id string, a *accuracy.Answer) Item {
	item := Item{ID: id, Prediction: a.Text, Prompt: a.Prompt}
	if a.Key != nil {
		item.References, item.Image = referencesOf(a.Key), a.Key.Image
	}
	return item
}

// referencesOf are the right answers: of a multiple choice the right one.
func referencesOf(key *record.AnswerKey) []string {
	if len(key.References) == 0 && key.Target != nil && *key.Target >= 0 && *key.Target < len(key.Choices) {
		return []string{key.Choices[*key.Target]}
	}
	return key.References
}
