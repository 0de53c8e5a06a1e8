package spec

import "assay/unit"

// A Trace says where the recorded traffic lies that traceRef names, and which
// part of it is used.
type Trace struct {
	// The file, where traceRef is a digest; a relative one lies below the working
	// directory. It is no part of the workload's identity.
	Path string `json:"path,omitzero" example:"data/conversation_trace.jsonl"`

	// How the file is written.
	Format string `json:"format" required:"true" enum:"traceFormats"`

	// Leave out what came before this time of the trace.
	From unit.Duration `json:"from,omitzero" min:"0s" max:"3650d"`

	// Leave out what came at or after this time of the trace; 0 means nothing.
	To unit.Duration `json:"to,omitzero" min:"0s" max:"3650d"`

	// Use the first so many requests of that part only, or sessions where sessions
	// are played; 0 means all.
	Limit int `json:"limit,omitzero" min:"0" max:"50000000"`

	// Send the text alone of requests that came with images. Without it a trace
	// with images is refused.
	IgnoreImages bool `json:"ignoreImages,omitzero"`
}

// traceAgrees wants a trace to be named, found and whole.
func traceAgrees(c *checker) {
	l := c.run.Spec.Load
	if l == nil || c.anyUnread("spec.load.trace") {
		return
	}
	const path = "spec.load.trace"
	switch {
	case l.Trace == nil && l.TraceRef == "":
		return
	case l.Trace == nil:
		c.failGot(path, "nothing", "traceRef needs trace.format: one of the formats of docs/guides/replay.md")
		return
	case l.TraceRef == "":
		c.fail(path, "needs traceRef, which names its content")
		return
	}
	isDigest := pinned.MatchString(l.TraceRef)
	if isDigest && l.Trace.Path == "" {
		c.failGot(path+".path", "nothing", "must be the file that traceRef names by its digest")
	}
	if !isDigest && l.Trace.Path != "" {
		c.fail("spec.load.traceRef", "must be "+pinnedWant+" where trace.path is given")
	}
	if !isDigest && c.publication {
		c.fail("spec.load.traceRef", "publication grade names a trace by digest: "+pinnedWant)
	}
	if l.Trace.To > 0 && l.Trace.To <= l.Trace.From {
		c.fail(path+".to", "must be after from")
	}
	p := c.run.Spec.Workload.Prompt
	if p.Dataset != nil || p.Scenario != "" || p.PrefixTokens > 0 || p.PrefixRatio > 0 || p.Spread > 0 {
		c.fail("spec.workload.prompt", "the trace says how prompts are made: leave out dataset, scenario, prefixes and spread")
	}
}
