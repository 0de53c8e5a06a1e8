package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"assay/accuracy"
	"assay/intake"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// mostScored bounds a file of answers.
const mostScored = 1 << 30

// An answerLine is one line of a file of answers.
type answerLine struct {
	ID         json.RawMessage `json:"id"`
	Prediction string          `json:"prediction"`
	References []string        `json:"references"`
	Prompt     string          `json:"prompt"`
	Image      string          `json:"image"`
}

// fileAnswers reads answers from a file of JSON lines, as if they were those of one task.
// Lines with the same id are samples of one question.
func fileAnswers(path string) ([]accuracy.Answer, plan.Plan, *spec.Evaluation, error) {
	text, err := intake.ReadFile(path, mostScored)
	if err != nil {
		return nil, plan.Plan{}, nil, usageError(err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var answers []accuracy.Answer
	samples := map[string]int32{}
	for number, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var row answerLine
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, plan.Plan{}, nil, usageError(fmt.Errorf("%s, line %d: %w", path, number+1, err))
		}
		id := strings.Trim(string(row.ID), `"`)
		if id == "" {
			id = fmt.Sprint(number + 1)
		}
		answers = append(answers, accuracy.Answer{
			Task: name, Item: id, Sample: samples[id], State: accuracy.Answered, Text: row.Prediction, Prompt: row.Prompt,
			Key: &record.AnswerKey{References: row.References, Image: imageBeside(path, row.Image)},
		})
		samples[id]++
	}
	if len(answers) == 0 {
		return nil, plan.Plan{}, nil, usageError(fmt.Errorf("%s holds no answers: want a JSON object in each line", path))
	}
	p := plan.Plan{Run: spec.Run{Spec: spec.RunSpec{Trials: spec.Trials{ConfidenceLevel: 0.95}}}}
	return answers, p, &spec.Evaluation{Tasks: []spec.Task{{Name: name, Family: spec.FamilyOwn}}}, nil
}

// imageBeside is the path of an image as seen from the file that names it.
func imageBeside(path, image string) string {
	if image == "" || filepath.IsAbs(image) || strings.Contains(image, ":") {
		return image
	}
	return filepath.Join(filepath.Dir(path), image)
}
