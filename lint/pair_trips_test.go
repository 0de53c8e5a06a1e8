package lint

import (
	"fmt"
	"testing"

	"assay/finding"
	"assay/record"
	"assay/spec"
)

var pairTrips = []trip{
	{"warm-side", "asked before", askedTwice(.5), finding.Void, "100 % of the prompts of the candidate had been asked of http://127.0.0.1:8000 by the other run, and its first tokens come sooner"},
	{"warm-side", "by another name", changes(askedTwice(.5), asked(func(r *spec.Run) { r.Spec.Target.URL = "HTTP://LocalHost:8000/" })), finding.Void, "its first tokens come sooner"},
	{"trace-mismatch", "renumbered", traced("scene", 1), finding.Void, "launch 1: 48 of 48 requests; launch 2: 48 of 48 requests"},
	{"trace-mismatch", "of another run", traced("another", 0), finding.Void, "launch 1: 48 of 48 requests"},
	{"vantage-point", "one place", seenFrom(1.5), finding.Caution, "load generator 1 on b sees the first byte after 150 ms in the middle, and the others after 100 ms"},
	{"prompt-cache", "of an earlier launch", asksSame(nil), finding.Caution, "80 % of its measured prompts had been sent to the same process by an earlier launch"},
	{"bytes-per-token", "half the text", sizes(1, .5), finding.Void, "a token of the candidate's usage is 5.5 bytes of visible text, one of the baseline's 11"},
	{"bytes-per-token", "a little less text", sizes(1, .75), finding.Caution, "a token of the candidate's usage is 8.2 bytes"},
}

// traced gives the requests of every launch the ids of a run, and of launches that come later.
func traced(run string, later int) func(*scene) {
	return func(s *scene) {
		s.small()
		s.request = func(launch int, r *record.Request, _ *[]record.Chunk) {
			id := record.LaunchTrace(run, launch+later)
			r.TraceID = fmt.Sprintf("%x%016x", id, r.ID)
		}
	}
}

// seenFrom has two load generators, of which the second waits longer for the first byte.
func seenFrom(factor float64) func(*scene) {
	return changes(sentBy(func(*record.Generator) {}), asked(func(r *spec.Run) { r.Spec.Load.Generators = 2 }),
		each(1, func(r *record.Request, _ *[]record.Chunk) {
			if r.Host = "a"; r.ID%2 == 1 && r.First != nil {
				r.Host, r.Shard = "b", 1
				*r.First = r.Sent + int64(factor*float64(*r.First-r.Sent))
			}
		}))
}

// asksSame has every launch ask the same of one process, or of the server that it starts.
func asksSame(server *spec.Server) func(*scene) {
	return func(s *scene) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Target.Server = server })
		s.request = func(_ int, r *record.Request, _ *[]record.Chunk) { r.PromptHash = 1 + r.ID }
	}
}

// askedTwice is a pair of runs of one running server that ask the same, the first of which
// waits longer by a share.
func askedTwice(by float64) func(*scene) {
	run := func(s *scene, by float64) {
		s.small()
		s.also(func(r *spec.Run) { r.Spec.Target.Server = nil })
		s.request = func(launch int, r *record.Request, events *[]record.Chunk) {
			slower(r, *events, by)
			r.PromptHash = 1 + int64(launch)<<20 + r.ID
		}
	}
	return func(s *scene) {
		run(s, 0)
		s.against = func(b *scene) { run(b, by) }
	}
}

// sizes is a pair whose answers show parts of their text.
func sizes(baseline, candidate float64) func(*scene) {
	side := func(s *scene, part float64) {
		showing(func(r *record.Request, _ *[]record.Chunk) { *r.VisibleBytes = int32(part * float64(*r.VisibleBytes)) })(s)
	}
	return func(s *scene) {
		side(s, candidate)
		s.against = func(b *scene) { side(b, baseline) }
	}
}

// Honest pairs are told no more than a note: a server that is no faster when it is asked again,
// one that was started for each run, and texts that differ a little.
func TestHonestPairs(t *testing.T) {
	t.Parallel()
	f := func(name string, check Check, change func(*scene), notes int) {
		t.Helper()
		s := clean()
		change(&s)
		facts := s.facts(t)
		a := check.Run(facts)
		for _, one := range a.Findings {
			if one.Severity != finding.Note {
				t.Errorf("%s: %s %s", name, one.Severity, one.Message)
			}
		}
		if len(a.Findings) != notes || a.Missing != "" {
			t.Errorf("%s: %+v, want %d notes", name, a, notes)
		}
	}
	f("no cache", WarmSide, askedTwice(0), 1)
	f("started anew", WarmSide, func(s *scene) {
		askedTwice(.5)(s)
		s.also(func(r *spec.Run) { r.Spec.Target.Server = &spec.Server{Command: []string{"x"}} })
	}, 0)
	f("other prompts", WarmSide, func(s *scene) {
		askedTwice(.5)(s)
		s.request = func(launch int, r *record.Request, _ *[]record.Chunk) { r.PromptHash = 1 + int64(launch+50)<<20 + r.ID }
	}, 0)
	f("the ids of the launch", TraceMismatch, traced("scene", 0), 0)
	f("one distance", VantagePoint, seenFrom(1), 0)
	f("the same prompts for a fresh server", PromptCache, asksSame(&spec.Server{Command: []string{"x"}}), 0)
	f("other texts", BytesPerToken, sizes(1, .95), 0)
}
