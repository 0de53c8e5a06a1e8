package report

import (
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/metric"
)

// Launches of one day say that they are of one sitting; those of several days, and an
// import whose times nobody knows, do not.
func TestSitting(t *testing.T) {
	day := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	made := func(apart time.Duration) Report {
		m := bundle.Manifest{Created: day.Add(2 * apart)}
		for i := range 3 {
			m.Launches = append(m.Launches, bundle.LaunchInfo{Index: i, Started: day.Add(time.Duration(i) * apart)})
		}
		return Report{Estimates: metric.Estimates{Confidence: .95, Launches: []int{0, 1, 2}}, Manifest: m}
	}
	imported := made(time.Minute)
	imported.Source = &bundle.Source{}
	for name, tt := range map[string]struct {
		r    Report
		want bool
	}{"minutes": {made(5 * time.Minute), true}, "days": {made(24 * time.Hour), false}, "an import": {imported, false}} {
		text := Unseen(tt.r)
		if !strings.Contains(text, "up to 63 % of launches") || strings.Contains(text, "one sitting") != tt.want {
			t.Errorf("%s: %q", name, text)
		}
	}
}
