package lint

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/bundle"
	"assay/finding"
	"assay/record"
)

// collected is a scene in which a held collector ran in every window.
func collected(times int64, longest float64) func(*scene) {
	return collector(record.Collector{Collections: times, LongestPause: longest, BudgetBytes: 100 << 20})
}

func collector(c record.Collector) func(*scene) {
	detail, err := json.Marshal(c)
	if err != nil {
		panic(err) // three numbers
	}
	return func(s *scene) {
		s.events = func(_ int, l *bundle.Launch) {
			_ = l.Events.Append(record.Event{At: sceneWarmup + sceneWindow, Name: record.WindowCollector, Detail: string(detail)})
		}
	}
}

// Short pauses are a note, and a collector that nobody held or that did not run is
// nothing.
func TestCollectorThatDoesNoHarm(t *testing.T) {
	t.Parallel()
	f := func(change func(*scene), want string) {
		t.Helper()
		s := clean()
		change(&s)
		list := CollectorRan.Run(s.facts(t)).Findings
		if want == "" && len(list) > 0 || want != "" && (len(list) != 1 || list[0].Severity != finding.Note || !strings.Contains(list[0].Message, want)) {
			t.Errorf("%v, want %q", list, want)
		}
	}
	f(collected(1, .0002), "5 times, the longest pause 0.2 ms at most")
	f(collected(0, 0), "")
	f(collector(record.Collector{Collections: 9, LongestPause: .1}), "")
}
