package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Excepts reports whether the policy does without a task, and the reason that it gives:
// "gsm8k: the reason", or the name alone.
func (c Correctness) Excepts(task string) (reason string, ok bool) {
	for _, text := range c.AllowedExceptions {
		name, why, _ := strings.Cut(text, ":")
		if strings.TrimSpace(name) == task {
			return strings.TrimSpace(why), true
		}
	}
	return "", false
}

// suiteAsked says before a run that its speed could not be claimed.
func suiteAsked(c *checker) {
	s := &c.run.Spec
	if !s.serves() {
		return
	}
	for i, task := range s.Workload.Correctness.Suite {
		asked := s.Evaluation != nil && slices.ContainsFunc(s.Evaluation.Tasks, func(t Task) bool { return t.Name == task })
		if _, excepted := s.Workload.Correctness.Excepts(task); !asked && !excepted {
			c.warn(fmt.Sprintf("spec.workload.correctness.suite[%d]", i),
				"no task of spec.evaluation asks "+task+": no speed of this run may be quoted; add the task, or name it in correctness.allowedExceptions with the reason")
		}
	}
}

// headlineChosen wants to know what a publication leads with before anybody knows the
// results.
func headlineChosen(c *checker) {
	if c.publication && !c.reference && c.run.Spec.serves() && c.run.Spec.Intent.Headline == "" {
		c.fail("spec.intent.headline", "must choose what the publication leads with: "+strings.Join(Vocabularies["headlines"], " or "))
	}
}
