package lint

import (
	"fmt"
	"math"
	"slices"

	"assay/analysis/steady"
	"assay/bundle"
	"assay/finding"
	"assay/stats"
	"assay/unit"
)

// InsufficientWarmup fires when the measured window began before the system was
// warm.
var InsufficientWarmup = Check{
	ID: "insufficient-warmup", Code: "P-07", Severity: finding.Void, About: finding.Speed,
	Doc: "The measured window begins before steady state: its figures are partly those of a cold system.",
	When: "the window begins more than a batch before the steady part (or at all, without a warm-up): " +
		"in half of the launches, or in any launch if the mean or p50 of the window, or a p99 that is " +
		"mostly the cold start, is more than 10 % off that of its steady part (caution); the latter " +
		"in most launches, or in the mean over all of them (void). A p99 counts from 368 requests on, " +
		"which can bound it. No more than a caution where the host was busy in most launches (waiting above 25 %, steal above 5 %)",
	Applies: judgesSteadiness,
	Run:     insufficientWarmup,
}

// NotSteady fires when a point has no steady state, or leaves it.
var NotSteady = Check{
	ID: "not-steady", Severity: finding.Caution, About: finding.Speed,
	Doc: "Latencies drift, jump, swing or wander through the measured window: its figures say when it was and not how fast the system is.",
	When: "drift, step, cycle or never steady, by 5 % or more, in half of the launches; a drift or a " +
		"step by more than 10 % in any launch. Not where the client errs by as much (its own error, and the p90 " +
		"of the send lag), nor, below 10 %, where the interval of the p50 is as wide. A note for a cycle that repeats at least five times in " +
		"the window",
	Applies: judgesSteadiness,
	Run:     notSteady,
}

// voidOff is how far the window's figures may be from those of its steady part,
// relatively, before no claim may rest on them: in most of the launches, or in
// their mean, which is what is reported. One launch by itself may have met a busy
// moment, and is worth a caution. Smaller things count where half of the launches
// show them in the same series, because of thirty steady series one is called
// otherwise; and what moves by less than smallMove is left to the report.
const voidOff, smallMove = .10, .05

// judgesSteadiness reports whether any point has a load that can settle.
func judgesSteadiness(f *Facts) bool {
	if f.Plan.Load() == nil || f.Plan.Search != nil {
		return false
	}
	if len(f.Steady.Points) == 0 || f.Manifest.Unknown(bundle.GapSendTimes) {
		return true // the evidence is missing, which is not the same
	}
	for range f.Steady.Judged {
		return true
	}
	return false
}

// A spotted is a series of a point in one launch that a check has something
// against.
type spotted struct {
	launch int
	series steady.Series
	off    float64 // how bad it is
}

// spot gathers, for each point, the series that want says something about, the
// worst first.
func spot(f *Facts, want func(s steady.Series) (off float64, bad bool)) map[int][]spotted {
	list := map[int][]spotted{}
	for p := range f.Steady.Judged {
		for _, s := range p.Series {
			if off, bad := want(s); bad {
				list[p.Point] = append(list[p.Point], spotted{p.Launch, s, off})
			}
		}
	}
	for _, own := range list {
		slices.SortStableFunc(own, func(a, b spotted) int {
			switch {
			case math.Abs(a.off) > math.Abs(b.off):
				return -1
			case math.Abs(a.off) < math.Abs(b.off):
				return 1
			}
			return 0
		})
	}
	return list
}

// A spread says in how many launches the worst series of a point was spotted.
type spread struct {
	bad   int     // launches in which it was spotted
	large int     // those of them in which it is off by more than voidOff
	all   int     // launches in which the point was judged
	mean  float64 // how bad it is over all of them; 0 stands for the others
}

func spottedIn(f *Facts, point int, own []spotted) spread {
	var out spread
	for _, s := range own {
		if s.series.Name != own[0].series.Name {
			continue
		}
		out.bad++
		out.mean += s.off
		if math.Abs(s.off) > voidOff {
			out.large++
		}
	}
	for p := range f.Steady.Judged {
		if p.Point == point {
			out.all++
		}
	}
	out.mean /= float64(max(1, out.all))
	return out
}

func insufficientWarmup(f *Facts) Answer {
	if len(f.Steady.Points) == 0 {
		return missing("requests of a completed launch")
	}
	bad := spot(f, func(s steady.Series) (float64, bool) {
		return s.Off(), s.Steady != nil && s.State.Warm > 0 && !s.BeginsSteady()
	})
	var list []finding.Finding
	for _, point := range f.Plan.Points {
		own := bad[point.Index]
		if len(own) == 0 {
			continue
		}
		in := spottedIn(f, point.Index, own)
		severity := finding.Caution
		switch {
		case 2*in.large > in.all || math.Abs(in.mean) > voidOff:
			severity = finding.Void
		case in.large == 0 && 2*in.bad < in.all:
			continue
		}
		list = append(list, f.onBusyHost(earlyFinding(point.Name, own[0], in, severity)))
	}
	return found(list...)
}

func earlyFinding(point string, w spotted, in spread, severity finding.Severity) finding.Finding {
	s := w.series
	message := fmt.Sprintf("%s, launch %d: the window begins %d requests before %s is steady: mean %s where the steady part has %s (%+.0f %%), p50 %s and %s",
		point, w.launch+1, *s.Early, s.Name, second(s.Window.Mean), second(s.Steady.Mean), 100*(s.Window.Mean/s.Steady.Mean-1), second(s.Window.Median), second(s.Steady.Median))
	if s.Window.N >= steady.FewestForTail {
		message += fmt.Sprintf(", p99 %s and %s", second(s.Window.P99), second(s.Steady.P99))
	}
	message += fmt.Sprintf("; so in %d of %d launches", in.bad, in.all)
	return finding.Finding{
		Severity: severity, Scope: finding.Scope{Points: []string{point}}, Message: message,
		Why:      "the first requests meet a cold system, and what they took is averaged into the result",
		Fix:      fmt.Sprintf("warm up for %d requests at least, here %d (load.warmup), and let the load run on into the window", s.State.Begin, s.Warmup),
		Evidence: s.State.Reasons,
	}
}

// enoughPeriods is how many times a cycle must come round in the window for its
// phase at the ends to be worth less than a tenth of its swing.
const enoughPeriods = 5

func notSteady(f *Facts) Answer {
	if len(f.Steady.Points) == 0 {
		return missing("requests of a completed launch")
	}
	bad := spot(f, func(s steady.Series) (float64, bool) {
		return s.State.Change, !s.State.Steady() && s.State.Shape != stats.TooShort
	})
	var list []finding.Finding
	for _, point := range f.Plan.Points {
		own := slices.DeleteFunc(bad[point.Index], func(w spotted) bool { return f.immaterial(point.Index, w) })
		if len(own) == 0 {
			continue
		}
		in := spottedIn(f, point.Index, own)
		// How far a restless series moves is partly its noise: one launch is not enough.
		shape, move := own[0].series.State.Shape, math.Abs(own[0].off)
		alone := move > voidOff && (shape == stats.Drift || shape == stats.Step)
		if move < smallMove || !alone && 2*in.bad < in.all {
			continue
		}
		s := own[0].series
		severity := finding.Caution
		if s.State.Shape == stats.Cyclic && float64(s.Window.N) >= enoughPeriods*s.State.Period {
			severity = finding.Note // users of a closed loop who march in step are an example
		}
		list = append(list, finding.Finding{
			Severity: severity,
			Message: fmt.Sprintf("%s, launch %d: %s %s: %s; so in %d of %d launches",
				point.Name, own[0].launch+1, s.Name, shapeVerb[s.State.Shape], shapeReason(s.State), in.bad, in.all),
			Why:      "a mean or a percentile of a level that moves depends on when the window was",
			Fix:      shapeFix[s.State.Shape],
			Evidence: s.State.Reasons,
		})
	}
	return found(list...)
}

// shapeReason is the sentence about the shape; one about a warm-up may stand
// before it.
func shapeReason(s stats.Steadiness) string {
	if s.Warm > 0 && len(s.Reasons) > 1 {
		return s.Reasons[1]
	}
	return s.Reasons[0]
}

// shapeVerb says what a series did.
var shapeVerb = map[stats.Shape]string{
	stats.Drift:       "drifted",
	stats.Step:        "jumped",
	stats.Cyclic:      "came and went in a cycle",
	stats.NeverSteady: "never stabilised",
}

// shapeFix says what to do about a shape.
var shapeFix = map[stats.Shape]string{
	stats.Drift:       "run longer until the level settles, or find what grows: queues, caches, clocks that fall with the temperature",
	stats.Step:        "look in logs and samples for what changed at that moment, and measure again; the plateaus are two results",
	stats.Cyclic:      "make the window a multiple of the period, at least five of them, or find what comes and goes",
	stats.NeverSteady: "find what disturbs the system (other tenants, restarts, eviction) before measuring it",
}

func second(v float64) string { return unit.Format(v, unit.Second) }
