package foreign

import (
	"slices"
	"time"

	"assay/record"
)

// An aiperfFetches is how often a page was asked for, and how often it had changed.
type aiperfFetches struct {
	Fetches int `json:"total_fetches"`
	Changed int `json:"unique_updates"`
}

// repeated is how many scrapes of a page AIPerf left out because they were equal to
// the one before.
func (f aiperfServerFile) repeated(page string) int {
	info := f.Summary.Pages[page]
	return max(0, info.Fetches-info.Changed)
}

// putBack adds the scrapes that AIPerf left out because nothing had changed, as many
// as it counts, and says how many. Without them an idle server would look as if
// nobody had read it: the time before the first request, which belongs to the window,
// is between two such scrapes. A repeat stands one usual interval before the next
// scrape, the one before that two, and so on.
func (s *scrapeReader) putBack() (added int) {
	if s.stride > 1 {
		return 0 // scrapes are missing for another reason
	}
	byPage := map[string][]scrape{}
	for _, one := range s.kept {
		byPage[one.page] = append(byPage[one.page], one)
	}
	for page, list := range byPage {
		left := s.whole.repeated(page)
		interval := usualInterval(list)
		if interval == 0 {
			continue
		}
		for i := len(list) - 1; i > 0; i-- {
			for at := list[i].at - interval; left > 0 && at > list[i-1].at+interval/2 && s.readings < mostReadings; at -= interval {
				again := list[i-1].repeatedAt(at)
				s.kept, s.readings = append(s.kept, again), s.readings+len(again.samples)
				left--
				added++
			}
		}
	}
	slices.SortStableFunc(s.kept, func(a, b scrape) int { return int(min(1, max(-1, a.at-b.at))) })
	return added
}

// usualInterval is the median distance of the scrapes of a page; 0 for fewer than
// three.
func usualInterval(list []scrape) int64 {
	var apart []int64
	for i := 1; i < len(list); i++ {
		apart = append(apart, list[i].at-list[i-1].at)
	}
	if len(apart) < 2 {
		return 0
	}
	slices.Sort(apart)
	return max(apart[len(apart)/2], time.Millisecond.Nanoseconds())
}

// repeatedAt is the same page read at another time.
func (s scrape) repeatedAt(at int64) scrape {
	again := scrape{page: s.page, at: at, samples: slices.Clone(s.samples)}
	for i := range again.samples {
		again.samples[i].At = at
	}
	// How long it took is not known of a scrape that was not stored.
	again.samples = slices.DeleteFunc(again.samples, func(one record.Sample) bool { return one.Name == "scrape.time" })
	return again
}
