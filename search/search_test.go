package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/tests/whole"
	"assay/unit"
)

func ruleOf(objectives ...plan.Objective) plan.Search {
	r := plan.Search{Step: 4, Rounds: 3, Probes: 60, Confidence: .95, Objectives: objectives}
	for k := range 40 {
		r.Levels = append(r.Levels, math.Pow(1.2, float64(k)))
	}
	return r
}

func ttft(share float64) plan.Objective {
	return plan.Objective{Name: "ttft", TTFT: unit.Duration(1e9), Allowed: share}
}

// Whatever the capacity and the start, the search ends at its two neighbours.
func TestSearchEndsAtTheCapacity(t *testing.T) {
	for capacity := -1; capacity < 40; capacity++ {
		for _, start := range []int{0, 13, 39} {
			rule := ruleOf(ttft(.01))
			rule.Start = start
			s := New(rule)
			tried := map[int]bool{}
			for {
				level, more := s.Next()
				if !more {
					break
				}
				if tried[level] {
					t.Fatalf("capacity %d from %d: level %d was tried twice", capacity, start, level)
				}
				tried[level] = true
				if level <= capacity {
					s.Learn(level, Holds, false)
				} else {
					s.Learn(level, Fails, true)
				}
			}
			a := s.Answer("")
			want := Resolved
			switch capacity {
			case -1:
				want = NoneHolds
			case 39:
				want = AllHold
			}
			if a.End != want || capacity >= 0 && *a.Holds != rule.Levels[capacity] || capacity < 39 && *a.Fails != rule.Levels[capacity+1] {
				t.Errorf("capacity %d from %d: %s (%s)", capacity, start, a, a.End)
			}
			if len(tried) > 14 {
				t.Errorf("capacity %d from %d took %d levels", capacity, start, len(tried))
			}
		}
	}
}

func request(due int64, first float64, result record.Outcome) (*record.Request, []record.Chunk) {
	tokens := int32(5)
	r := &record.Request{Due: due, Done: due + int64((first+.4)*1e9), Phase: record.Measure, Result: result, UsageOutput: &tokens}
	chunks := []record.Chunk{{At: due, Kind: record.Role}}
	for k := range 5 {
		chunks = append(chunks, record.Chunk{At: due + int64((first+.1*float64(k))*1e9), Kind: record.Content})
	}
	return r, chunks
}

// Undecided levels lead to where the objectives seem to end and are no answer:
// below them the search goes on for one that can be shown.
func TestUndecidedLevelsLead(t *testing.T) {
	const capacity, shown = 30, 22 // levels from shown to capacity seem to hold
	for _, start := range []int{0, 25, 39} {
		rule := ruleOf(ttft(.01))
		rule.Start = start
		s := New(rule)
		tried := map[int]bool{}
		for {
			level, more := s.Next()
			if !more {
				break
			}
			if tried[level] {
				t.Fatalf("from %d: level %d was tried twice", start, level)
			}
			tried[level] = true
			switch {
			case level == 4: // too slow a load for its time
				s.Learn(level, Undecided, true)
			case level <= shown:
				s.Learn(level, Holds, false)
			default:
				s.Learn(level, map[bool]Verdict{true: Undecided, false: Fails}[level <= capacity], level <= capacity)
			}
		}
		a := s.Answer("")
		if *a.Holds != rule.Levels[shown] || *a.Fails != rule.Levels[capacity+1] || a.End != Resolved || a.Undecided[0] != rule.Levels[shown+1] {
			t.Errorf("from %d: %s (%s)", start, a, a.End)
		}
	}
	s := New(ruleOf(ttft(.01)))
	for level, more := s.Next(); more; level, more = s.Next() {
		s.Learn(level, Undecided, true)
	}
	if a := s.Answer(""); a.End != NoneHolds || a.Holds != nil || len(a.Undecided) == 0 {
		t.Errorf("nothing could be decided: %s", a)
	}
}

// probe fills a sample with n requests of which a share misses each objective.
// Misses last for bursts of the given mean length.
func probe(rng *rand.Rand, s *Sample, n int, share, burst float64) {
	late := rng.Float64() < share
	for k := range n {
		if rng.Float64() < 1/burst {
			late = rng.Float64() < share
		}
		first := .5
		if late {
			first = 2
		}
		r, chunks := request(int64(k)*1e6, first, record.OK)
		s.Add(r, chunks)
	}
}

// verdicts counts what a level of the given share of misses is said to be, over
// many searches of up to three rounds.
func verdicts(rule plan.Search, trials int, share, burst float64, n int) map[Verdict]int {
	rng := rand.New(rand.NewPCG(11, uint64(1e6*share)+uint64(burst)))
	count := map[Verdict]int{}
	for range trials {
		s := NewSample(rule)
		verdict := Undecided
		for round := range rule.Rounds {
			probe(rng, s, n<<max(0, round-1), share, burst)
			if verdict, _ = s.Judge(); verdict != Undecided {
				break
			}
		}
		count[verdict]++
	}
	return count
}

// Wrong verdicts come no oftener than the confidence says, over all rounds; good
// and bad levels are distinguished.
func TestErrorRates(t *testing.T) {
	const trials = 250
	rule := ruleOf(ttft(.05), plan.Objective{Name: "errors", Allowed: .1})
	for _, tt := range []struct {
		share        float64
		holds, fails [2]int // at least, at most
	}{
		{.05, [2]int{0, 16}, [2]int{0, 16}}, // at the very limit either is wrong: 5 % and a little luck
		{.055, [2]int{0, 12}, [2]int{0, trials}},
		{.01, [2]int{238, trials}, [2]int{0, 1}},
		{.15, [2]int{0, 0}, [2]int{238, trials}},
	} {
		got := verdicts(rule, trials, tt.share, 1, 200)
		for verdict, want := range map[Verdict][2]int{Holds: tt.holds, Fails: tt.fails} {
			if got[verdict] < want[0] || got[verdict] > want[1] {
				t.Errorf("a share of %v %s in %d of %d, want %v", tt.share, verdict, got[verdict], trials, want)
			}
		}
		t.Logf("share %v: %v of %d", tt.share, got, trials)
	}
}

// Misses that come in bursts are fewer events than they look. The design effect
// makes up for most of it, not for all: a sample with one short burst cannot know
// how long bursts are.
func TestErrorRatesInBursts(t *testing.T) {
	const burst = 10
	trials := 100
	if whole.Watched {
		trials = 30
	}
	rule := ruleOf(ttft(.05))
	got := verdicts(rule, trials, .05, burst, 1000)
	naive := 0
	rng := rand.New(rand.NewPCG(11, 12))
	for range trials {
		s := NewSample(rule)
		probe(rng, s, 4000, .05, burst)
		_, evidence := s.Judge()
		e := evidence[0]
		if stats.ShareAtMost(float64(e.Misses), float64(e.N), rule.Alpha()) <= e.Allowed || stats.ShareAtLeast(float64(e.Misses), float64(e.N), rule.Alpha()) > e.Allowed {
			naive++
		}
	}
	t.Logf("bursts of %d: %v of %d, without the design effect %d wrong in the last look alone", burst, got, trials, naive)
	if wrong := got[Holds] + got[Fails]; wrong > trials/3 || 2*wrong > naive {
		t.Errorf("%d of %d wrong, %d in the last look without the design effect", wrong, trials, naive)
	}
}

// A walk over a system whose share of misses grows with the load ends near the
// load at which it crosses what is allowed, and never above it by more than luck.
func TestWalk(t *testing.T) {
	const trials = 50
	rng := rand.New(rand.NewPCG(3, 4))
	above := 0
	for range trials {
		w := NewWalk(ruleOf(ttft(.05)))
		for more := true; more; {
			load := w.rule.Levels[w.Point()/w.rule.Rounds]
			share := min(1, .01*math.Pow(load/20, 4)) // .05 at 29.9
			probe(rng, w.Sample(), 400, share, 1)
			_, more = w.Step(false, "")
		}
		a := w.Path().Answer
		if a.Holds == nil || *a.Holds < 15 {
			t.Fatalf("answer %s, truth 29.9", a)
		}
		if *a.Holds > 29.91 {
			above++
		}
	}
	if above > 3 {
		t.Errorf("%d of %d answers hold above the truth, want at most a few", above, trials)
	}
}

// The limits of a search end it and are named; a saturated level fails.
func TestWalkEnds(t *testing.T) {
	rule := ruleOf(ttft(.05))
	rule.Probes = 3
	w := NewWalk(rule)
	var step Step
	for more := true; more; {
		probe(rand.New(rand.NewPCG(1, 1)), w.Sample(), 400, 0, 1)
		step, more = w.Step(false, "")
	}
	if p := w.Path(); len(p.Steps) != 3 || p.Answer.End != OutOf || step.Next != nil || *p.Answer.Holds != rule.Levels[8] {
		t.Errorf("path %+v", p)
	}
	rule.Start = 5
	w = NewWalk(rule)
	if step, more := w.Step(false, TimeUp); more || step.Verdict != Undecided || w.Path().Answer.End != TimeUp || len(w.Path().Answer.Undecided) != 1 {
		t.Errorf("after its time: %+v", w.Path())
	}
	rule.Start = 0
	w = NewWalk(rule)
	probe(rand.New(rand.NewPCG(1, 1)), w.Sample(), 400, 0, 1)
	if step, more := w.Step(true, ""); more || step.Verdict != Fails || w.Path().Answer.End != NoneHolds {
		t.Errorf("saturated: %+v, %+v", step, w.Path())
	}
}

func TestSentence(t *testing.T) {
	lo, hi := 12.5, 14.0
	got := Answer{Holds: &lo, Fails: &hi, End: Resolved}.Sentence("rate", "/s")
	if want := "highest rate shown to hold: 12.5/s, lowest shown to fail: 14/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for end, want := range map[End]string{AllHold: "search.max", NoneHolds: "search.min", OutOf: "search.probes", TimeUp: "search.time"} {
		if got := (Answer{End: end, Undecided: []float64{13, 13.5}}).Sentence("rate", "/s"); !strings.Contains(got, want) || !strings.Contains(got, "undecided: 13/s, 13.5/s") {
			t.Errorf("%s: %q", end, got)
		}
	}
	if fmt.Sprint(Answer{Holds: &lo}) == "" {
		t.Error("an answer without words")
	}
}

// Launches together hold what every one holds and fail what any fails.
func TestCommon(t *testing.T) {
	of := func(holds, fails float64, end End, undecided ...float64) Launched {
		return Launched{Path: Path{Answer: Answer{Holds: &holds, Fails: &fails, End: end, Undecided: undecided}, Steps: []Step{{Point: int(holds), Load: holds}}}}
	}
	list := []Launched{of(10, 12, Resolved, 11), of(8, 14, Resolved, 9, 11, 13), of(9, 13, Resolved)}
	if a := common(list); *a.Holds != 8 || *a.Fails != 12 || len(a.Undecided) != 2 || a.End != Resolved {
		t.Errorf("together: %s", a)
	}
	if len(list[0].Answer.Undecided) != 1 {
		t.Error("the answer of the first launch was changed")
	}
	none := Launched{Path: Path{Answer: Answer{End: NoneHolds}}}
	if a := common(append(list, none)); a.Holds != nil || *a.Fails != 12 || a.End != "" {
		t.Errorf("with a launch in which nothing holds: %s", a)
	}
	s := Summary{Launches: list, Unit: "/s"}
	if !s.Ends(8) || s.Ends(7) || s.Loads(1.5) != "1.5/s" {
		t.Error("the probes at the answers are not those")
	}
}
