package page

import (
	"testing"

	"assay/report/reporttest"
)

// The page of a sweep of 45 points stays below five megabytes, and grows with
// points, not with requests.
func TestHTMLSize(t *testing.T) {
	page := htmlOf(t, reporttest.FortyFive(t))
	t.Logf("%d bytes", len(page))
	if len(page) > 5e6 {
		t.Errorf("the page of 45 points has %d bytes, want at most 5 million", len(page))
	}
	if len(page) < 5e5 {
		t.Errorf("the page has %d bytes: the sweep is not what it is meant to be", len(page))
	}
}
