package lint

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/bundle"
	"assay/finding"
)

// OneSitting fires when time is confounded with what is compared.
var OneSitting = Check{
	ID: "friday-afternoon", Code: "P-13", Severity: finding.Caution,
	Doc: "All launches were made in one sitting, or one side's before the other's.",
	When: "publication only: sides or runs measured one after the other (caution); all launches within " +
		"4 h or on one weekday (note, because a run is made in one go)",
	Applies: publication,
	Run:     oneSitting,
}

// A day's load has its ups and downs; four hours see one of them.
const oneSpell = 4 * time.Hour

func oneSitting(f *Facts) Answer {
	launches := f.completed()
	if len(launches) < 2 {
		return missing("two completed launches")
	}
	slices.SortStableFunc(launches, func(a, b bundle.LaunchInfo) int { return a.Started.Compare(b.Started) })
	if a, b, ordered := sidesInOrder(launches); ordered {
		return found(finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("every launch of %s came before those of %s: time is confounded with the side", a, b),
			Fix:      "interleave the sides in blocks, as spec.candidates does",
		})
	}
	if f.Against != nil {
		return found(apartInTime(f.Against.completed(), launches)...)
	}
	first, last := launches[0].Started, launches[len(launches)-1].Started
	days := map[time.Weekday]bool{}
	for _, l := range launches {
		days[l.Started.Weekday()] = true
	}
	if last.Sub(first) >= oneSpell && len(days) > 1 || len(f.Plan.Candidates()) > 0 {
		return found()
	}
	// A run is made in one go, so that its own figures are of one sitting is the
	// rule and worth a note. What is compared across sittings is worth more.
	return found(finding.Finding{
		Severity: finding.Note,
		Message: fmt.Sprintf("all %d launches were made within %s on %s",
			len(launches), last.Sub(first).Round(time.Second), first.Format("Monday 2006-01-02 15:04 MST")),
		Why: "what the hour does to the machine is in every launch alike and shows in no interval",
		Fix: "repeat the run on other days before comparing its figures with others",
	})
}

// sidesInOrder says whether the sides of one run were measured one after the
// other.
func sidesInOrder(launches []bundle.LaunchInfo) (first, second string, ordered bool) {
	changes := 0
	for i := 1; i < len(launches); i++ {
		if launches[i].Side != launches[i-1].Side {
			changes++
			first, second = launches[i-1].Side, launches[i].Side
		}
	}
	return first, second, changes == 1 && len(launches) > 2
}

// apartInTime looks at the launches of two runs.
func apartInTime(baseline, candidate []bundle.LaunchInfo) []finding.Finding {
	if len(baseline) == 0 || len(candidate) == 0 {
		return nil
	}
	span := func(list []bundle.LaunchInfo) (from, to time.Time) {
		started := func(a, b bundle.LaunchInfo) int { return cmp.Compare(a.Started.UnixNano(), b.Started.UnixNano()) }
		return slices.MinFunc(list, started).Started, slices.MaxFunc(list, started).Started
	}
	aFrom, aTo := span(baseline)
	bFrom, bTo := span(candidate)
	if !aTo.Before(bFrom) && !bTo.Before(aFrom) {
		return nil
	}
	const when = "Mon 2006-01-02 15:04"
	return []finding.Finding{{
		Severity: finding.Caution,
		Message: fmt.Sprintf("the baseline was measured from %s to %s, the candidate from %s to %s: time is confounded with the side",
			aFrom.Format(when), aTo.Format(when), bFrom.Format(when), bTo.Format(when)),
		Fix: "measure both in one run with spec.candidates, which interleaves them in blocks",
	}}
}
