package lint

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has the collector run less often: the tests make and judge hundreds of small
// bundles, and a quarter of their time would be its own.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
