package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// tailRepeated says before a run that its p99 will be of a lower grade than the rest.
func tailRepeated(c *checker) {
	s := &c.run.Spec
	far := s.Intent.Headline == HeadlineLatency || slices.ContainsFunc(s.SLO, func(o Objective) bool { return o.Percentile >= 99 })
	if n := s.Trials.MinReplicates; c.publication && !c.reference && s.serves() && far && n < LaunchesForTail {
		c.warn("spec.trials.minReplicates", fmt.Sprintf("a p99 is published of %d launches or more, and what stands on one is of realism grade with %d: of so few that agree %.0f %% of all launches may be slower",
			LaunchesForTail, n, 100*(1-math.Pow(.05, 1/float64(n)))))
	}
}

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
