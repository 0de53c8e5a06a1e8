package foreign

import (
	"errors"
	"slices"
	"strings"
	"time"

	"assay/bundle"
)

// A servingKind is what differs between the tools that write such results.
type servingKind struct {
	tool, want string
	figures    []servingFigure // by the name of their field
	statistics []servingFigure // by the name between the statistic and _ms
	unknown    []bundle.Gap
	notes      func(serving) []string
	arrival    func(serving) string
}

// readServings reads the files of a kind.
func readServings(kind servingKind, paths []string) (Import, error) {
	if err := nothing(paths, kind.want); err != nil {
		return Import{}, err
	}
	m := Import{Source: bundle.Source{Tool: kind.tool}}
	var results []result
	var first asked
	var gaps []bundle.Gap
	var detailed bool
	var err error
	if m.Files, err = loadAll(paths); err != nil {
		return m, err
	}
	for _, file := range m.Files {
		err := readServing(file, kind.want, func(s serving) error {
			if err := s.check(kind.want); err != nil {
				return err
			}
			a := asked{
				name: kind.tool + " " + s.texts["model_id"], model: s.texts["model_id"], requests: int(s.numbers["num_prompts"]),
				arrival: kind.arrival(s),
			}
			if len(results) == 0 {
				first = a
				m.Started = servingDate(s.texts["date"])
			} else if err := first.same(m.Files[0].Name, a, file.Name); err != nil {
				return err
			}
			for _, note := range kind.notes(s) {
				addOnce(&m.Source.Notes, note)
			}
			for _, gap := range append(s.gaps(), s.dueGap()) {
				gaps = addGap(gaps, gap)
			}
			if len(results) > 0 && s.lists.detailed() != detailed {
				return errors.New("some results hold single requests and others summaries alone: import one kind at a time")
			}
			detailed = s.lists.detailed()
			one, err := s.result(kind.figures)
			one.measured.Stated = nameOf(one.measured.Stated, file.Name)
			one.measured.Reported = append(one.measured.Reported, s.statistics(kind.statistics)...)
			results = append(results, one)
			return err
		})
		if err != nil {
			return m, err
		}
	}
	m.Points, m.Launches = group(results)
	m.Run = first.run(m.Points, m.Launches)
	m.Source.Unknown = unknown(m.Launches, append(gaps, kind.unknown...)...)
	return m, nil
}

// dueGap says what is known about when requests should have left; its id is empty
// when nothing is missing.
func (s serving) dueGap() bundle.Gap {
	if s.open() && s.lists.detailed() && s.lists.arrivals() {
		return bundle.Gap{}
	}
	return bundle.Gap{ID: bundle.GapDueTimes, Detail: "latency counts from the send, after any wait for a place in flight: a late client makes it look better"}
}

// servingDate reads the date of a result, which is the client's local time: good
// to a day.
func servingDate(text string) time.Time {
	at, err := time.Parse("20060102-150405", strings.TrimSpace(text))
	if err != nil {
		return time.Time{}
	}
	return at
}

// addGap adds a gap unless one of its kind is there, or it is none.
func addGap(list []bundle.Gap, gap bundle.Gap) []bundle.Gap {
	if gap.ID == "" || slices.ContainsFunc(list, func(g bundle.Gap) bool { return g.ID == gap.ID }) {
		return list
	}
	return append(list, gap)
}
