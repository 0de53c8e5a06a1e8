package warehouse

import (
	"fmt"
	"slices"
	"strings"

	"assay/stats"
	"assay/suite/acts"
	"assay/unit"
)

// whole is the place of the newest alert about what a change is part of, a drift or two
// modes; -1 where it is part of nothing, or that raised none.
func (s Series) whole(list []Alert, part Change) (place int) {
	place = -1
	if !part.Part {
		return place
	}
	newest := -1
	for i, a := range list {
		at := s.place(a.Run)
		same := slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Worse && c.Root == part.Root && abs(c.At-at) <= near })
		if same && at > newest && at < part.At {
			place, newest = i, at
		}
	}
	return place
}

// closed reports whether an alert was closed before a part of it was seen, so that the part is
// one of its own: by a decision, or by a run between them that was accepted. Who said of
// two modes that they are meant, or are no change, is not asked again.
func (s Series) closed(a Alert, part Change, decided []acts.Act) (closed bool) {
	at := s.place(a.Run)
	if part.Kind == stats.DriftStep && slices.ContainsFunc(s.Values[at:part.At], func(v Value) bool { return v.Accepted }) {
		return true
	}
	for _, act := range decided {
		p := s.place(act.Digest)
		if p < 0 || abs(p-at) > near || act.At.After(s.Values[part.Seen].At) {
			continue
		}
		switch act.Act {
		case acts.Fixed:
			closed = true
		case acts.Dismissed:
			closed = part.Kind == stats.DriftStep
		case acts.Reopened:
			closed = false
		}
	}
	return closed
}

// kindWords say what kind of change it is.
var kindWords = map[string]string{
	stats.PlainStep:  "a step",
	stats.DriftStep:  "part of a drift: a line fits better than a step",
	stats.SwitchStep: "a switch between two modes: the series was on both levels before",
}

// evidence says in a sentence what showed a change.
func (s Series) evidence(c Change) string {
	of := unit.Unit(s.Unit)
	return fmt.Sprintf("%s; %d runs from %s on lie %+.1f %% from the level of %d runs before, %s with a spread of %s between runs (p %.2g, %s)",
		kindWords[c.Kind], c.Seen-c.At+1, c.FirstBad, 100*c.Relative, c.Level.N, unit.Format(c.Level.Centre, of), unit.Format(c.Level.Spread, of), c.P, c.Method)
}

// itGoesOn is where the evidence of a change ends and that of its newest part begins.
const itGoesOn = "; it goes on: "

// goesOn adds to the evidence of an alert what the newest part of it showed.
func (s Series) goesOn(evidence string, part Change) string {
	first, _, _ := strings.Cut(evidence, itGoesOn)
	return first + itGoesOn + s.evidence(part)
}
