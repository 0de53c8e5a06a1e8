package lint

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/metric"
)

// WarmSide fires when the later run of a pair asks a server what the earlier one asked it.
var WarmSide = Check{
	ID: "warm-side", Severity: finding.Void, Pair: true, About: finding.Speed,
	Doc: "The later run asks the prompts of the earlier one again, of the same running server: what its caches kept looks like a faster system.",
	When: "more than 10 % of the later run's prompts were asked by the earlier one of the same address, neither run starts the server and nothing " +
		"of it differs: void where p50 of TTFT is 10 % lower in the later run with intervals apart (20 % where one has none, and of its quickest twentieth too), else a note",
	Applies: func(f *Facts) bool { return cacheable(f) && cacheable(f.Against) },
	Run:     warmSide,
}

// warmer is by how much the later side must be faster where no interval says how sure that is.
const warmer = .2

func warmSide(f *Facts) Answer {
	if !f.sameServer() {
		return found()
	}
	base, candidate := f.Against.completed(), f.completed()
	if len(base) == 0 || len(candidate) == 0 {
		return missing("completed launches of both runs")
	}
	first, later, name := f.Against, f, "the candidate"
	if candidate[0].Started.Before(base[0].Started) {
		first, later, name = f, f.Against, "the baseline"
	}
	share, ok := later.Tally.askedBefore(first.Tally)
	if !ok {
		return missing("hashes of the prompts")
	}
	if share <= cacheSlack {
		return found()
	}
	one := finding.Finding{
		Severity: finding.Note,
		Message:  fmt.Sprintf("%.0f %% of the prompts of %s had been asked of %s by the other run", 100*share, name, f.Plan.Target().Address()),
		Why:      "a prompt that a server knows is read from its cache: the second to ask is faster whatever is compared",
		Fix:      "ask new prompts in each run (leave spec.seed out), have the server started anew (target.server), or measure both in turn with assay compare BASE CAND --again",
	}
	if sooner := soonerRows(first, later); len(sooner) > 0 {
		one.Severity, one.Evidence = finding.Void, sooner
		one.Message += ", and its first tokens come sooner: " + summary(sooner)
	}
	return found(one)
}

// sameServer reports whether both runs asked one process, as far as anybody can tell: nobody
// started it for either, its address is one, and nothing that is known of it differs.
func (f *Facts) sameServer() bool {
	a, b := f.Against.Plan.Target(), f.Plan.Target()
	if a == nil || b == nil || a.Server != nil || b.Server != nil || a.API == "command" || a.Address() != b.Address() {
		return false
	}
	if len(f.Plan.Candidates())+len(f.Against.Plan.Candidates()) > 0 {
		return false
	}
	for _, c := range f.Changes {
		if !c.Along && (strings.HasPrefix(c.Path, "server.") || strings.HasPrefix(c.Path, "spec.target.") || strings.HasPrefix(c.Path, "inputs.")) {
			return false
		}
	}
	return true
}

// soonerRows lists the points at which the first token comes sooner in the later run.
func soonerRows(first, later *Facts) (list []string) {
	for _, p := range later.places() {
		b, ok := find(later, metric.TTFT.ID, "p50", p)
		if !ok {
			continue
		}
		for _, q := range first.places() {
			a, ok := find(first, metric.TTFT.ID, "p50", q)
			if q.name != p.name || !ok || a.Value <= 0 {
				continue
			}
			apart := a.Interval.Bounded() && b.Interval.Bounded()
			if saved := 1 - b.Value/a.Value; apart && saved > cacheSlack && b.Interval.Hi < a.Interval.Lo || !apart && saved > warmer && p.fastest() < (1-warmer)*q.fastest() {
				list = append(list, fmt.Sprintf("%.0f %% at %s", 100*saved, p.name))
			}
		}
	}
	return list
}

// fastest is the time to the first byte of the quickest answers, which a host that was busy in
// one of the runs leaves alone, and a cache does not.
func (p placeTally) fastest() float64 {
	return p.quantile(.05, func(t PointTally) quantiler { return t.Opening.All })
}

// askedBefore is the share of the prompts of t that other holds too, of a sample of both.
func (t Tally) askedBefore(other Tally) (share float64, ok bool) {
	if t.asked == nil || other.asked == nil {
		return 0, false
	}
	mask := t.asked.mask | other.asked.mask
	looked, known := 0, 0
	for hash := range t.asked.hashes {
		if hash&mask != 0 {
			continue
		}
		looked++
		if _, is := other.asked.hashes[hash]; is {
			known++
		}
	}
	if looked == 0 {
		return 0, false
	}
	return float64(known) / float64(looked), true
}
