package compare

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"assay/analysis/diff"
	"assay/bundle"
	"assay/spec"
	"assay/stats"
)

// ran is a side whose two launches were made from the given hour on.
func ran(digest string, hour float64) Side {
	from := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(hour * float64(time.Hour)))
	m := bundle.Manifest{Launches: []bundle.LaunchInfo{
		{Started: from, Ended: from.Add(5 * time.Minute)}, {Index: 1, Started: from.Add(5 * time.Minute), Ended: from.Add(10 * time.Minute)},
	}}
	return Side{Side: diff.Side{Manifest: m}, Digest: digest}
}

func TestApart(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b Side
		want bool
	}{
		{"one after the other", ran("a", 9), ran("b", 9.2), false},
		{"the next day", ran("a", 9), ran("b", 33), true},
		{"the day before", ran("a", 33), ran("b", 9), true},
		{"sides of one run", ran("a", 9), ran("a", 33), false},
		{"no times", ran("a", 9), Side{Digest: "b"}, false},
	} {
		if got := Apart(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Launches that share one start of a server do not show what another would change; where each
// starts its own, or no server is asked, they do.
func TestStartsOfServers(t *testing.T) {
	at := func(digest string, server *spec.Server) Side {
		s := ran(digest, 9)
		s.Plan.Run.Spec.Target = &spec.Target{URL: "http://127.0.0.1:8000", Server: server}
		return s
	}
	anew, once := &spec.Server{Restart: spec.RestartLaunch}, &spec.Server{Restart: spec.RestartRun}
	for _, tt := range []struct {
		name string
		a, b Side
		want float64
	}{
		{"somebody else's server", at("a", nil), at("b", nil), startSpread},
		{"one start for all launches", at("a", once), at("b", anew), startSpread},
		{"a start for each launch", at("a", anew), at("b", anew), 0},
		{"no server", ran("a", 9), ran("b", 9), 0},
		{"sides of one run", at("a", nil), at("a", nil), 0},
	} {
		if got := runSpread(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Launches that agree say equivalent of these two runs, and of other days only where runs
// spread less than the margin.
func TestEquivalentInThisSitting(t *testing.T) {
	for _, tt := range []struct {
		name           string
		spread, margin float64
		want           bool
	}{
		{"in turn", 0, .05, false},
		{"days may differ by more", AllowedSpread, .05, true},
		{"days may not differ by so much", AllowedSpread, .2, false},
		{"another start", startSpread, .05, false},
	} {
		row := Row{Metric: "m", Ratio: &stats.Estimate{Value: 1}, P: &Tested{P: .9, Corrected: .9}, Equivalence: &Tested{Corrected: .001}, runSpread: tt.spread}
		row.values = Values{A: []float64{1, 1.001, .999}, B: []float64{1, .999, 1.001}}
		row.Difference = &stats.Estimate{}
		row.decide(tt.margin, .05)
		if row.Verdict != Equivalent || row.SittingOnly != tt.want {
			t.Errorf("%s: %s, in this sitting only: %v; want %v", tt.name, row.Verdict, row.SittingOnly, tt.want)
		}
	}
}

// Two runs of one system on two days whose levels differ by 5 % are called different in no
// more than 5 % of pairs, and by their launches alone in most; a candidate that is half as
// fast is seen.
func TestDaysAreNoDifference(t *testing.T) {
	const trials, alpha = 2000, .05
	rng := rand.New(rand.NewPCG(1, 1))
	alone, held, seen := 0, 0, 0
	for range trials {
		row := Row{runSpread: AllowedSpread}
		for range 5 {
			row.values.A = append(row.values.A, math.Exp(.01*rng.NormFloat64()))
			row.values.B = append(row.values.B, math.Exp(.01*rng.NormFloat64()))
		}
		day := math.Exp(math.Sqrt2 * AllowedSpread * rng.NormFloat64())
		ask := func(factor float64) float64 {
			v := row
			v.values.B = nil
			for _, x := range row.values.B {
				v.values.B = append(v.values.B, factor*x)
			}
			ratio, err := v.values.Ratio(1 - alpha)
			if err != nil {
				t.Fatal(err)
			}
			v.Ratio = &ratio
			test, err := v.values.Test()
			if err != nil {
				t.Fatal(err)
			}
			if factor == day && test.P <= alpha {
				alone++
			}
			return v.beyondRuns(test.P)
		}
		if ask(day) <= alpha {
			held++
		}
		if ask(2*day) <= alpha {
			seen++
		}
	}
	if held > trials*6/100 || alone < trials/2 || seen < trials*99/100 {
		t.Errorf("of %d pairs %d are called different, %d by their launches alone, and %d of those half as fast", trials, held, alone, seen)
	}
}
