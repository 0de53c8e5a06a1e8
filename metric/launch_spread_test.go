package metric

import "testing"

// The median of launches is one of them or lies between two, and the range names the
// launch that was far off.
func TestLaunchSpread(t *testing.T) {
	row := Row{PerLaunch: []LaunchValue{{Value: 10}, {Value: 100}, {Value: 12}}}
	if got := *row.Spread(); got != (LaunchSpread{Median: 12, Min: 10, Max: 100, Launches: 3}) {
		t.Errorf("spread %+v", got)
	}
	row.PerLaunch = row.PerLaunch[:1]
	if got := row.Spread(); got != nil {
		t.Errorf("one launch has a spread: %+v", got)
	}
}
