package spec

import "assay/unit"

// A Session says that requests come in sessions: several turns that follow each
// other, with what was said before, pauses, tools and branches. load.concurrency
// then is the number of sessions under way, load.rate the sessions that begin in
// a second.
type Session struct {
	// Where sessions come from: made from the seed (synthetic), the conversations
	// of prompt.dataset (dataset), those of load.traceRef (trace), or those of the tasks
	// (evaluation), which a task with the style conversation brings by itself.
	From string `json:"from,omitzero" default:"synthetic" enum:"sessionSources"`

	// What later turns repeat of earlier answers: text that is known beforehand
	// (recorded), so that every run asks the same, or what the server really said
	// (live).
	History string `json:"history,omitzero" default:"recorded" enum:"histories"`

	// How many turns a synthetic session has, each as long as sequenceLengthMix
	// says. By default 4.
	Turns int `json:"turns,omitzero" min:"1" max:"1000"`

	// Tokens of the system text that all synthetic sessions share.
	SystemTokens int `json:"systemTokens,omitzero" min:"0" max:"1000000"`

	// The pause between an answer and the user's next turn; on average, where
	// prompt.spread is given.
	ThinkTime unit.Duration `json:"thinkTime,omitzero" min:"0s" max:"20d"`

	// A tool that is called between turns.
	Tool *SessionTool `json:"tool,omitzero"`

	// Several tools of synthetic sessions, by name: after a turn each that is due is called, one
	// after the other. The report shows the time of each apart from the model's.
	Tools []SessionTool `json:"tools,omitzero" items:"1"`

	// Branches that part from a synthetic conversation and meet again.
	Fork *Fork `json:"fork,omitzero"`

	// The most measured sessions of a point; 0 means no limit. Whichever of this
	// and load.duration comes first ends the point.
	Limit int `json:"limit,omitzero" min:"0" max:"10000000"`
}

// A SessionTool is what a session does between two turns instead of asking.
type SessionTool struct {
	// What reports call it, such as search or database. By default tool.
	Name string `json:"name,omitzero" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" form:"letters, digits, dots, dashes and underscores" example:"search"`

	// A synthetic session calls the tool after so many turns, each time anew, but
	// not after the last turn.
	Every int `json:"every,omitzero" default:"1" min:"1" max:"1000"`

	// How long a call takes when nothing really runs; on average, where
	// prompt.spread is given.
	Time unit.Duration `json:"time,omitzero" min:"0s" max:"20d"`

	// Tokens of the answer of a tool that does not really run.
	Tokens int `json:"tokens,omitzero" min:"0" max:"1000000"`

	// A program that really runs, instead of time. It gets the last answer on
	// stdin; what it prints is the tool's answer where history is live.
	Command []string `json:"command,omitzero"`

	// How long the program may take. One that fails or takes longer ends its
	// session.
	Timeout unit.Duration `json:"timeout,omitzero" default:"30s" above:"0s" max:"1d"`
}

// AllTools are the tools of the sessions, each with a name.
func (s *Session) AllTools() (list []SessionTool) {
	if s.Tool != nil {
		list = append(list, *s.Tool)
	}
	list = append(list, s.Tools...)
	for i := range list {
		if list[i].Name == "" {
			list[i].Name = "tool"
		}
	}
	return list
}

// Fork says when a conversation parts.
type Fork struct {
	// Before every so many turns.
	Every int `json:"every" required:"true" min:"1" max:"1000"`

	// Into how many branches, which all meet in that turn.
	Branches int `json:"branches,omitzero" default:"2" min:"2" max:"64"`
}

// defaultTurns is how many turns a synthetic session has when nobody says.
const defaultTurns = 4

func deriveSession(s *RunSpec, note func(string, any)) {
	if session := s.Workload.Session; session != nil && session.From == SessionSynthetic {
		setValue(&session.Turns, defaultTurns, "spec.workload.session.turns", note)
	}
}

// sessionAgrees wants each field of a session to mean something where it comes
// from, and nothing of load to count requests that sessions decide.
func sessionAgrees(c *checker) {
	s := c.run.Spec.Workload.Session
	if s == nil || c.anyUnread("spec.workload.session") {
		return
	}
	const path = "spec.workload.session"
	synthetic := s.From == SessionSynthetic
	for _, f := range []struct {
		name    string
		written bool
		fits    bool
	}{
		{"turns", s.Turns > 0, synthetic},
		{"systemTokens", s.SystemTokens > 0, synthetic},
		{"fork", s.Fork != nil, synthetic},
		{"thinkTime", s.ThinkTime > 0, s.From != SessionTrace && s.From != SessionEvaluation},
		{"tools", len(s.Tools) > 0, synthetic},
		{"tool", s.Tool != nil, s.From != SessionTrace && s.From != SessionEvaluation},
	} {
		if f.written && !f.fits {
			c.fail(path+"."+f.name, "does not belong to sessions from "+s.From+", which say it themselves")
		}
	}
	if s.From == SessionTrace && s.History == HistoryLive {
		c.fail(path+".history", "must be recorded: the prompts of a trace hold their history")
	}
	if t := s.Tool; t != nil {
		toolAgrees(c, path+".tool", *t)
	}
	toolsAgree(c, s, path+".tools")
	sessionInputs(c, s)
	sessionLoad(c)
}

func toolAgrees(c *checker, path string, t SessionTool) {
	if len(t.Command) > 0 && (t.Time > 0 || t.Tokens > 0) {
		c.fail(path+".command", "give command, or time and tokens, not both")
	}
}

// toolsAgree wants tools that reports can tell apart.
func toolsAgree(c *checker, s *Session, path string) {
	if s.Tool != nil && len(s.Tools) > 0 {
		c.fail(path, "give tool or tools, not both")
	}
	seen := map[string]bool{}
	for i, t := range s.Tools {
		at := itemPath(path, i)
		toolAgrees(c, at, t)
		if t.Name == "" || seen[t.Name] {
			c.fail(at+".name", "each of several tools needs a name of its own")
		}
		seen[t.Name] = true
	}
}

// sessionInputs wants the source of sessions to be there and nothing else.
func sessionInputs(c *checker, s *Session) {
	const path = "spec.workload.session.from"
	w, p := c.run.Spec.Workload, c.run.Spec.Workload.Prompt
	if s.From == SessionDataset && p.Dataset == nil {
		c.fail(path, "dataset needs prompt.dataset")
	}
	if s.From == SessionEvaluation && c.run.Spec.Evaluation == nil {
		c.fail(path, "evaluation needs spec.evaluation")
	}
	if s.From != SessionDataset && p.Dataset != nil {
		c.fail("spec.workload.prompt.dataset", "needs session.from dataset")
	}
	if l := c.run.Spec.Load; l != nil && (s.From == SessionTrace) != (l.TraceRef != "") {
		c.fail(path, "trace and load.traceRef go together")
	}
	if len(w.SequenceLengthMix) > 1 {
		c.fail("spec.workload.sequenceLengthMix", "sessions take one shape of turn")
	}
	if p.Scenario != "" || p.PrefixTokens > 0 || p.PrefixRatio > 0 {
		c.fail("spec.workload.prompt", "scenario and prefixes shape single requests, not sessions")
	}
}

// sessionLoad refuses what counts or delays single requests.
func sessionLoad(c *checker) {
	l := c.run.Spec.Load
	if l == nil {
		return
	}
	for _, f := range []struct {
		name    string
		written bool
		instead string
	}{
		{"requests", l.Requests > 0, "workload.session.limit counts sessions"},
		{"thinkTime", l.ThinkTime > 0, "workload.session.thinkTime is the pause between turns"},
		{"warmup.requests", l.Warmup != nil && l.Warmup.Requests > 0, "give warmup.duration"},
		{"cancel", l.Cancel != nil, "leave it out"},
		{"prefillConcurrency", l.PrefillConcurrency > 0, "leave it out"},
	} {
		if f.written {
			c.fail("spec.load."+f.name, "is for single requests, not for sessions: "+f.instead)
		}
	}
	if len(l.Stages) > 0 && c.run.Spec.Workload.ConcurrencyModel == ClosedLoop {
		c.fail("spec.load.stages", "of sessions need an open loop")
	}
}
