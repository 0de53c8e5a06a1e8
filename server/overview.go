package server

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"assay/unit"
	"assay/warehouse"
)

// A tile is one number about the whole.
type tile struct{ Name, Value, Of string }

// A step is the newest value of a series beside those before it.
type step struct {
	Series      warehouse.Series
	Before, Now string
	By          float64
	Word        string
	Noise       string
}

// overview says what is new since yesterday.
func (s *Server) overview(c *Call) error {
	now := s.o.Now()
	yesterday := now.Add(-24 * time.Hour)
	newest, all, err := s.read.Runs(c.context(), warehouse.RunFilter{Rows: newestRuns})
	if err != nil {
		return err
	}
	_, today, err := s.read.Runs(c.context(), warehouse.RunFilter{Since: yesterday, Rows: 1})
	if err != nil {
		return err
	}
	_, completed, err := s.read.Runs(c.context(), warehouse.RunFilter{Since: yesterday, Status: "completed", Rows: 1})
	if err != nil {
		return err
	}
	alerts, err := s.alerts(c.context())
	if err != nil {
		return err
	}
	pending := slices.DeleteFunc(slices.Clone(alerts), func(a warehouse.Alert) bool { return !a.Pending() })
	series, at, failed := s.seen()
	looked := ""
	if !at.IsZero() {
		looked = at.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	return s.page(c, http.StatusOK, "overview", struct {
		frame
		Failed, Looked string
		Tiles          []tile
		Alerts         []warehouse.Alert
		Changed        []step
		Runs           []warehouse.RunRow
	}{
		frame: frameOf(c, "Overview"), Failed: failed, Looked: looked,
		Tiles: []tile{
			{"runs", fmt.Sprint(all), "in the warehouse"},
			{"since yesterday", fmt.Sprint(today), fmt.Sprintf("%d completed", completed)},
			{"series", fmt.Sprint(len(series)), "watched for changes"},
			{"alerts", fmt.Sprint(len(pending)), fmt.Sprintf("open or acknowledged, of %d", len(alerts))},
		},
		Alerts: pending[:min(20, len(pending))], Changed: steps(series, yesterday), Runs: newest,
	})
}

// steps are the largest differences that runs since a time show.
func steps(series []warehouse.Series, since time.Time) []step {
	var list []step
	for _, one := range series {
		n := len(one.Values)
		if n < 2 || one.Values[n-1].At.Before(since) {
			continue
		}
		var before []float64
		for _, v := range one.Values[:n-1] {
			before = append(before, v.Value)
		}
		slices.Sort(before)
		level := (before[(len(before)-1)/2] + before[len(before)/2]) / 2
		if level == 0 {
			continue
		}
		last := one.Values[n-1]
		s := step{Series: one, Before: unit.Format(level, unit.Unit(one.Unit)), Now: valueText(last, one.Unit), By: last.Value/level - 1, Noise: "too few runs"}
		if one.Noise.RunCV != nil {
			s.Noise = fmt.Sprintf("%.2g %%", 100**one.Noise.RunCV)
		}
		s.Word = wordOf(one, s.By)
		s.Series.Values = nil
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b step) int {
		return compareAbs(b.By, a.By)
	})
	return list[:min(15, len(list))]
}

// wordOf judges a difference as the history does: it is worse or better where a change of the
// series is open, and says nothing where that is not known.
func wordOf(one warehouse.Series, by float64) string {
	open := slices.ContainsFunc(one.Changes, func(c warehouse.Change) bool {
		return (c.State == warehouse.Suspected || c.State == warehouse.Confirmed) && (c.Relative > 0) == (by > 0)
	})
	switch {
	case !open && one.Noise.Detectable != nil && max(by, -by) <= *one.Noise.Detectable:
		return "within noise"
	case !open:
		return ""
	case (by > 0) == (one.Better == "lower"):
		return "worse"
	}
	return "better"
}

func compareAbs(a, b float64) int {
	a, b = max(a, -a), max(b, -b)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func valueText(v warehouse.Value, u string) string {
	if v.Low == nil || v.High == nil {
		return unit.Format(v.Value, unit.Unit(u))
	}
	return unit.FormatInterval(v.Value, *v.Low, *v.High, unit.Unit(u))
}
