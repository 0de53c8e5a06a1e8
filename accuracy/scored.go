package accuracy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"assay/bundle"
	"assay/spec"
)

// Scores are what a scorer said about the answers of a bundle: the file NAME.json of its
// folder of scores. They are observations, as the answers are: nobody can derive them
// again without the model that gave them.
type Scores struct {
	Scorer string         `json:"scorer"`
	Ended  string         `json:"ended,omitempty"` // why the scorer stopped before it was through; empty where it was
	Rows   []ScoredAnswer `json:"rows"`
}

// A ScoredAnswer is what a scorer said about one answer.
type ScoredAnswer struct {
	Task      string             `json:"task"`
	Item      string             `json:"item"`
	Launch    int                `json:"launch"`
	Point     int32              `json:"point"`
	Sample    int32              `json:"sample,omitempty"`
	Pass      int32              `json:"pass,omitempty"`
	Scores    map[string]float64 `json:"scores,omitempty"`
	Signature string             `json:"signature,omitempty"`
	Missing   map[string]string  `json:"missing,omitempty"` // why a score is not there, by its name
	Why       string             `json:"why,omitempty"`     // why none is there
}

// answerKey names an answer of a bundle.
type answerKey struct {
	task, item   string
	launch       int
	point        int32
	sample, pass int32
}

func keyOf(a *Answer) answerKey {
	return answerKey{a.Task, a.Item, a.Launch, a.Point, a.Sample, a.Pass}
}

func (r *ScoredAnswer) key() answerKey {
	return answerKey{r.Task, r.Item, r.Launch, r.Point, r.Sample, r.Pass}
}

// scorerGrader is the grader that reads the score called name, such as
// scorer:bertscore/f1.
func scorerGrader(name string) (Grader, bool) {
	g, ok := spec.ParseScorerGrader(name)
	return Grader{Name: name, Doc: "The score " + g.Score + " of the scorer " + g.Scorer + ".", Lower: g.Lower}, ok
}

// ReadScores reads what the scorers of e said about the answers of b, by their names. One
// that said nothing is not among them.
func ReadScores(b *bundle.Bundle, e *spec.Evaluation) (map[string]Scores, error) {
	all := map[string]Scores{}
	for _, s := range e.Scorers {
		read := b.ReadFile
		if b.Sealed {
			read = b.ReadSealed
		}
		data, err := read(bundle.ScoresFile(s.Name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var scores Scores
		if err == nil {
			err = json.Unmarshal(data, &scores)
		}
		if err != nil {
			return nil, fmt.Errorf("scores of %s: %w", s.Name, err)
		}
		all[s.Name] = scores
	}
	return all, nil
}

// gradeScored marks every answer by what its scorer said. An answer without a score has a
// row without one, which says why.
func gradeScored(name string, scores map[string]Scores, answers []*Answer) ([]Grade, error) {
	want, _ := spec.ParseScorerGrader(name)
	said, ok := scores[want.Scorer]
	if !ok {
		return nil, &unavailableError{"the scorer was not asked: assay score asks one about a sealed bundle"}
	}
	rows := map[answerKey]*ScoredAnswer{}
	for i := range said.Rows {
		rows[said.Rows[i].key()] = &said.Rows[i]
	}
	missing := make([]string, len(answers))
	found := 0
	g, _ := scorerGrader(name)
	at := map[*Answer]int{}
	for i, a := range answers {
		at[a] = i
	}
	g.grade = func(a *Answer) (Mark, error) {
		var mark Mark
		mark.Score, missing[at[a]] = rows[keyOf(a)].score(want.Score)
		if missing[at[a]] == "" {
			found++
		}
		return mark, nil
	}
	grades, err := g.all(answers)
	if err != nil {
		return nil, err
	}
	for i, why := range missing {
		if why != "" {
			grades[i].Score, grades[i].Why = nil, notScored+why
		}
	}
	if found == 0 && said.Ended != "" {
		return nil, &unavailableError{said.Ended}
	}
	return grades, nil
}

// notScored begins the reason of an answer that came and has no score.
const notScored = "not scored: "

// score is the score called name, or why it is not there.
func (r *ScoredAnswer) score(name string) (value float64, missing string) {
	if r == nil {
		return 0, "the scorer was not asked about it"
	}
	if value, ok := r.Scores[name]; ok {
		return value, ""
	}
	for _, why := range []string{r.Why, r.Missing[name]} {
		if why != "" {
			return 0, why
		}
	}
	return 0, "there is no score called " + name
}

// unscored counts the answers that came and have no score.
func unscored(grades []Grade) (n int) {
	for _, row := range grades {
		if row.Score == nil && strings.HasPrefix(row.Why, notScored) {
			n++
		}
	}
	return n
}

// signatureOf says what made the scores of a task: one signature, or all of them where a
// scorer changed on the way.
func (s Scores) signatureOf(task string) string {
	var all []string
	for _, row := range s.Rows {
		if row.Task == task && row.Signature != "" && !slices.Contains(all, row.Signature) {
			all = append(all, row.Signature)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " | ")
}

// scoredIdentity is what scorers add to what a score of t means.
func scoredIdentity(t spec.Task, scores map[string]Scores) (text string) {
	var seen []string
	for _, name := range t.Graders {
		g, ok := spec.ParseScorerGrader(name)
		if !ok || slices.Contains(seen, g.Scorer) {
			continue
		}
		seen = append(seen, g.Scorer)
		if signature := scores[g.Scorer].signatureOf(t.Name); signature != "" {
			text += ", scored by " + g.Scorer + " (" + signature + ")"
		}
	}
	return text
}
