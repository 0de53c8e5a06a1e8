package spec

import "slices"

// conversationGraders mark each turn as its row says, and as the usual graders do.
var conversationGraders = []string{"named", "exact_match", "quasi_exact_match", "token_f1", "contains"}

// conversationHistories are the styles that ask several turns, and what a later turn repeats
// of earlier ones. What was said before is part of the question, so it is part of the style
// and with it of what a score means.
var conversationHistories = map[string]string{"conversation": HistoryLive, "conversation-recorded": HistoryRecorded}

// namedGraders are those that a row may name for itself: each marks one answer from 0 to 1,
// so that turns with different graders have a mean.
var namedGraders = []string{
	"exact_match", "quasi_exact_match", "token_f1", "contains", "number", "letter",
	"squad2_f1", "squad2_exact", "inspect_exact", "inspect_f1",
	"helm_exact", "helm_quasi_exact", "helm_prefix", "helm_quasi_prefix", "helm_final_number", "helm_f1",
	"gsm8k_openai", "gsm8k_strict", "gsm8k_flexible", "gsm8k_last_number", "gsm8k_mlperf", "gsm8k_helm",
}

// DefaultNamedGrader marks an answer whose row names no grader.
const DefaultNamedGrader = "exact_match"

// NamedGraders lists the graders that a row may name for itself.
func NamedGraders() []string { return slices.Clone(namedGraders) }

// Converses reports whether a task is asked in conversations.
func (t Task) Converses() bool { return conversationHistories[t.Style] != "" }

// histories are what the conversations of the tasks repeat, each once; none where every
// question stands alone.
func (e *Evaluation) histories() (list []string) {
	for _, t := range e.Tasks {
		if h := conversationHistories[t.Style]; h != "" && !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	return list
}

// conversationsAgree wants sessions where tasks have conversations, as their style says, and
// nowhere else.
func conversationsAgree(c *checker) {
	session, histories := c.run.Spec.Workload.Session, c.run.Spec.Evaluation.histories()
	switch {
	case len(histories) > 1:
		c.fail("spec.evaluation.tasks", "the styles conversation and conversation-recorded need a run each: what later turns repeat is one for all sessions of a run")
	case session != nil && len(histories) == 0:
		c.fail("spec.workload.session", "the questions stand alone: want no session, or a task of the family own with the style conversation")
	case session != nil && session.From != SessionEvaluation:
		c.fail("spec.workload.session.from", "must be evaluation: the tasks bring their conversations; leave session out")
	case session != nil && session.History != histories[0]:
		c.fail("spec.workload.session.history", "must be "+histories[0]+", as the task's style says: style conversation repeats what the server said (live), conversation-recorded the right answers (recorded)")
	}
}
