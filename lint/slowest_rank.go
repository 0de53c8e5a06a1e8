package lint

import (
	"fmt"
	"slices"

	"assay/analysis/ranks"
	"assay/finding"
)

// HiddenRank fires when a mean over ranks hides that one of them holds up the
// others.
var HiddenRank = Check{
	ID: "slowest-rank-hidden", Code: "P-17", Severity: finding.Void,
	Doc: "A mean over ranks hides the slowest, which is the one that all wait for.",
	When: "a mean over ranks is stated while the slowest rank takes more than 1.05 × the median one; a " +
		"note when nobody averages",
	Applies: func(f *Facts) bool { return trains(f) || statedWith(statesRanks)(f) },
	Run:     hiddenRank,
}

// Ranks of one machine differ by a few percent; the catalogue draws the line at 5.
const unevenRanks = 1.05

// Of ranks that are equal each is the slowest now and then. One that is named
// without anybody having averaged must be the slowest nearly always.
const nearlyAlways = 0.8

func statesRanks(_ *Facts, s Statement) bool { return s.Aggregation == MeanOverRanks }

func hiddenRank(f *Facts) Answer {
	if len(f.Ranks) == 0 {
		return missing("the steps of every rank (table steps)")
	}
	var list []finding.Finding
	byLaunch := map[int][]ranks.Tally{}
	for _, r := range f.Ranks {
		byLaunch[r.Launch] = append(byLaunch[r.Launch], r)
	}
	severity, what := finding.Note, "a rank holds up the others"
	if i := slices.IndexFunc(f.Statements, func(s Statement) bool { return statesRanks(f, s) }); i >= 0 {
		severity, what = finding.Void, said(f.Statements[i])+" is a mean over ranks"
	}
	var evidence []string
	for _, launch := range f.Estimates.Launches {
		if text, uneven := straggler(byLaunch[launch], severity == finding.Note); uneven {
			evidence = append(evidence, fmt.Sprintf("launch %d: %s", launch+1, text))
		}
	}
	if len(evidence) > 0 {
		list = append(list, finding.Finding{
			Severity: severity,
			Message:  what + ": " + summary(evidence),
			Why:      "a step ends when its slowest rank does",
			Fix:      "reduce by the maximum over ranks, and look at that rank's node",
			Evidence: evidence,
		})
	}
	return found(list...)
}

// straggler describes the slowest rank of a launch when it is beyond the usual, and
// if so asked the slowest nearly always.
func straggler(launch []ranks.Tally, always bool) (string, bool) {
	worst, ratio, ok := ranks.Slowest(launch)
	return fmt.Sprintf("rank %d takes %.3g× the median rank, and is the slowest in %.0f %% of %d steps",
		worst.Rank, ratio, 100*worst.Held(), worst.Steps), ok && ratio > unevenRanks && (!always || worst.Held() >= nearlyAlways)
}
