package lint

import (
	"fmt"
	"math"

	"assay/bundle"
	"assay/finding"
	"assay/plan"
)

// ForeignWindow fires when the time that rates are divided by is not the time in
// which the requests were made.
var ForeignWindow = Check{
	ID: "foreign-window", Severity: finding.Caution,
	Doc: "The window that the tool states does not fit its requests, or the name of its file: its rates are divided by another time.",
	When: "with send times: the requests span more than 101 % or less than 90 % of the stated window. " +
		"Without: the sum of latencies is above 101 % or below 80 % of users × window, where every " +
		"request has a latency (caution). The file name states another duration (by more than 10 %), " +
		"number of users or rate (note)",
	Applies: isImport,
	Run:     foreignWindow,
}

const (
	// windowOff is by how much of itself a window may differ from the time between
	// the first send and the last answer, or from its name.
	windowOff = .1

	// overlong is by how much requests may reach over a window: tools end their
	// clocks a moment before the last stream is closed.
	overlong = .01

	// leastBusy is the share of a closed loop's time that its users wait for answers,
	// unless something keeps them from sending.
	leastBusy = .8
)

func foreignWindow(f *Facts) Answer {
	stated := false
	window := oddity{
		severity: finding.Caution,
		why:      "throughput is requests over this time: it is off by as much",
		fix:      "compare latencies, and rates only with a tool whose window is known; or measure again with assay",
	}
	name := oddity{
		severity: finding.Note,
		why:      "whoever reads only the name takes it for another measurement",
		fix:      "go by the content of the file",
	}
	for _, t := range f.Foreign {
		point, _ := f.Plan.PointByIndex(t.Point)
		stated = stated || t.Stated.Seconds > 0 && t.Rows > 0 || t.Stated.NamedSeconds > 0
		if text, size := t.window(f, point); text != "" {
			window.add(size, "%s: %s", t.place(f), text)
		}
		if text, size := t.named(point); text != "" {
			name.add(size, "%s", text)
		}
	}
	if !stated {
		return missing("a window and single requests in it")
	}
	return f.oddities(window, name)
}

// window says what is odd about the window of a point, and by what share; empty
// when it fits.
func (t ForeignPoint) window(f *Facts, point plan.Point) (string, float64) {
	stated := t.Stated.Seconds
	if stated <= 0 || t.Rows == 0 {
		return "", 0
	}
	if !f.Manifest.Unknown(bundle.GapSendTimes) {
		span := t.Last - t.First
		switch off := span/stated - 1; {
		case off > overlong:
			return fmt.Sprintf("the window is stated as %s, and its requests take %s from the first send to the last answer (%+.0f %%)", duration(stated), duration(span), 100*off), off
		case off < -windowOff:
			return fmt.Sprintf("the window is stated as %s, and its requests take only %s of it", duration(stated), duration(span)), -off
		}
		return "", 0
	}
	// Without send times only the sum is known: so many users have so much time.
	if point.Concurrency < 1 || t.Untimed > 0 {
		return "", 0
	}
	room := stated * float64(point.Concurrency)
	switch share := t.Busy / room; {
	case share > 1+overlong:
		return fmt.Sprintf("requests were in flight for %s together, and %d users have only %s in a window of %s", duration(t.Busy), point.Concurrency, duration(room), duration(stated)), share - 1
	case share < leastBusy:
		return fmt.Sprintf("the users waited for answers in %.0f %% of the window of %s: in the rest they could not send, or their requests are not reported", 100*share, duration(stated)), 1 - share
	}
	return "", 0
}

// named says where the name of the file differs from what stands in it.
func (t ForeignPoint) named(point plan.Point) (string, float64) {
	s := t.Stated
	for _, n := range []struct {
		what          string
		named, inside float64
		allowed       float64
	}{
		{"s", s.NamedSeconds, s.Seconds, windowOff},
		{"requests in flight", s.NamedConcurrency, float64(point.Concurrency), 0},
		{"requests/s", s.NamedRate, point.Rate, .001},
	} {
		if n.named <= 0 || n.inside <= 0 {
			continue
		}
		if off := math.Abs(n.named/n.inside - 1); off > n.allowed {
			return fmt.Sprintf("%s is named for %.4g %s, and its content says %.4g", s.File, n.named, n.what, n.inside), off
		}
	}
	return "", 0
}
