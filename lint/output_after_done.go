package lint

import (
	"fmt"

	"assay/finding"
)

// OutputAfterDone fires when answers go on behind the mark that ends their stream.
var OutputAfterDone = Check{
	ID: "output-after-done", Severity: finding.Void, About: finding.Speed,
	Doc:     "The stream says that it has ended, and output follows: clients that believe it measure a part of the answer.",
	When:    "output behind [DONE], or behind the dialect's own last event, in more than 1 % of answers and in at least 5",
	Applies: answersText,
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
			return finding.Finding{
				Severity: finding.Void, Scope: afterFirstAt(p.point.Name, p.side),
				Message: fmt.Sprintf("%s: output follows the end of the stream in %d of %d answers", p.name, s.Late, s.Answers),
				Why:     "an answer that is called complete before it is makes every time per token and every end too early for whoever stops reading there",
				Fix:     "have the server send [DONE] last",
			}, s.Late >= fewestSpoiled && float64(s.Late) > spoiledShare*float64(s.Answers)
		})
	},
}

const (
	// spoiledShare is the share of answers that something must be wrong with to be a trait of
	// the server, and fewestSpoiled how many those must be.
	spoiledShare  = .01
	fewestSpoiled = 5
)

// eachShown asks about what the answers of every place showed.
func eachShown(f *Facts, ask func(p placeTally, s Shown) (finding.Finding, bool)) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("answers of a measured window")
	}
	var list []finding.Finding
	for _, p := range f.places() {
		if one, ok := ask(p, p.shown()); ok {
			list = append(list, one)
		}
	}
	return found(list...)
}
