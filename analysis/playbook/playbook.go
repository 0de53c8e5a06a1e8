// Package playbook walks through what an experienced engineer asks first when a
// run looks wrong. Each question is answered from the evidence in the bundle, with
// the figure, or marked missing with what would answer it. What only another
// run could tell is advice: which run to make.
package playbook

import (
	"fmt"

	"assay/analysis/breakdown"
	"assay/analysis/collectives"
	"assay/analysis/isolation"
	"assay/analysis/overlap"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
)

// A Reply says what the evidence says to a question.
type Reply string

// The replies.
const (
	Yes     Reply = "yes"     // the suspicion holds
	No      Reply = "no"      // it is excluded
	Missing Reply = "missing" // nothing in the bundle can tell
	Advice  Reply = "advice"  // only another run can tell: which
)

// An Answer is one question of a playbook, answered.
type Answer struct {
	Question string `json:"question"`
	Reply    Reply  `json:"reply"`
	Figure   string `json:"figure"` // the evidence, or what would be needed

	// Looked is where the answer was looked for, and Confirm what would settle it; both
	// are absent of a symptom.
	Looked  string `json:"looked,omitempty"`
	Confirm string `json:"confirm,omitempty"`
}

// A Walk is a playbook walked against the evidence.
type Walk struct {
	Playbook   string   `json:"playbook"`
	Symptom    Answer   `json:"symptom"` // whether the run shows what the playbook is for
	Reading    string   `json:"reading"` // what the symptom means
	Answers    []Answer `json:"answers"`
	Conclusion string   `json:"conclusion"`
}

// Evidence is what questions are answered from.
type Evidence struct {
	Plan        plan.Plan
	Manifest    bundle.Manifest
	Estimates   metric.Estimates
	Client      metric.Client
	Training    overlap.Report // of a training run
	Requests    Requests       // see ReadRequests
	Generators  []Generator    // see ReadGenerators
	Collectives collectives.Report
	Split       map[int]breakdown.Breakdown // by point

	// Isolated is whether the others came back when a rank was taken away; nil when
	// nobody did that.
	Isolated *isolation.Check

	// Moved is the result that a diagnosis is about: questions read its metric and point. Nil
	// means that none stands out, and they read all.
	Moved *Moved

	// Baseline is the run that this one is held against; nil when there is none.
	Baseline *Evidence
}

// A Playbook is a symptom and the questions that it leads to.
type Playbook struct {
	Name      string
	Symptom   string
	Reading   string
	Shows     func(e Evidence) Answer
	Questions []Question
}

// A Question is one thing to check.
type Question struct {
	Text    string
	Looks   string // where
	Ask     func(e Evidence) (Reply, string)
	Confirm string // what to do to be sure of a yes
}

// All lists the playbooks.
var All = []Playbook{tailLatency, lowUtilisation, straggler, backpressure}

// Find returns the playbook of a name.
func Find(name string) (Playbook, error) {
	var names []string
	for _, p := range All {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Playbook{}, fmt.Errorf("playbook %q: want one of %v", name, names)
}

// Walk answers every question.
func (p Playbook) Walk(e Evidence) Walk {
	w := Walk{Playbook: p.Name, Symptom: p.Shows(e), Reading: p.Reading}
	var holds, open int
	first := ""
	for _, q := range p.Questions {
		reply, figure := q.Ask(e)
		w.Answers = append(w.Answers, Answer{Question: q.Text, Reply: reply, Figure: figure, Looked: q.Looks, Confirm: q.Confirm})
		switch reply {
		case Yes:
			if holds++; first == "" {
				first = q.Text + " " + figure + "; to confirm: " + q.Confirm
			}
		case Missing:
			open++
		}
	}
	switch {
	case w.Symptom.Reply == No:
		w.Conclusion = "the run does not show the symptom; what holds below is no explanation of it"
	case holds > 0:
		w.Conclusion = "look first at " + first
	case open == len(p.Questions):
		w.Conclusion = "nothing in the bundle can answer: measure what is missing"
	case open > 0:
		w.Conclusion = fmt.Sprintf("what was measured excludes its causes; %d questions are open", open)
	default:
		w.Conclusion = "every cause of this playbook is excluded: look elsewhere"
	}
	return w
}
