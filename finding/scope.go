package finding

import "slices"

// A Subject is what a result is about. A client that was late spoils no score, and a
// wrong answer key spoils no latency.
type Subject string

// The subjects.
const (
	Speed    Subject = "speed"    // times, rates, and what is computed from them
	Accuracy Subject = "accuracy" // scores of graded answers
)

// A Result is one number that somebody may want to quote.
type Result struct {
	Subject   Subject
	Metric    string // definition id
	Statistic string
	Point     string // name; empty for the launch as a whole
	Side      string // in a run of several sides
	Task      string // of a score; empty where the face does not tell tasks apart
}

// A Scope says which results a finding touches. It forbids those, and nothing else. What
// it leaves empty it does not narrow down.
type Scope struct {
	Subject    Subject  `json:"subject,omitempty"`
	Points     []string `json:"points,omitempty"`
	Side       string   `json:"side,omitempty"`
	Metrics    []string `json:"metrics,omitempty"`    // definition ids
	Statistics []string `json:"statistics,omitempty"` // of these metrics
	Except     []string `json:"except,omitempty"`     // definition ids that it leaves alone
	Task       string   `json:"task,omitempty"`       // whose scores it touches
}

// Touches reports whether a finding of this scope speaks of r.
func (s Scope) Touches(r Result) bool {
	switch {
	case s.Subject != "" && s.Subject != r.Subject:
	case s.Task != "" && r.Task != "" && s.Task != r.Task:
	case s.Side != "" && r.Side != "" && s.Side != r.Side:
	case len(s.Points) > 0 && r.Point != "" && !slices.Contains(s.Points, r.Point):
	case len(s.Metrics) > 0 && !slices.Contains(s.Metrics, r.Metric):
	case slices.Contains(s.Except, r.Metric):
	case len(s.Statistics) > 0 && !slices.Contains(s.Statistics, r.Statistic):
	default:
		return true
	}
	return false
}

// With is a scope that touches what either does, as narrow as one scope can be.
func (s Scope) With(other Scope) Scope {
	both := Scope{
		Points: union(s.Points, other.Points), Metrics: union(s.Metrics, other.Metrics), Statistics: union(s.Statistics, other.Statistics),
	}
	for _, name := range s.Except {
		if slices.Contains(other.Except, name) {
			both.Except = append(both.Except, name)
		}
	}
	if s.Subject == other.Subject {
		both.Subject = s.Subject
	}
	if s.Side == other.Side {
		both.Side = s.Side
	}
	if s.Task == other.Task {
		both.Task = s.Task
	}
	return both
}

// union is what either list names; nothing where one of them does not narrow down.
func union(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	list := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Broad reports whether the scope is a run or one of its subjects, rather than some of
// its results.
func (s Scope) Broad() bool {
	return s.Side == "" && s.Task == "" && len(s.Points)+len(s.Metrics)+len(s.Statistics)+len(s.Except) == 0
}
