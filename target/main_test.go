package target

import (
	"os"
	"testing"

	tiers "assay/tests/whole"
)

// Tests mostly wait for each other's servers.
func TestMain(m *testing.M) {
	tiers.AtOnce(8)
	os.Exit(m.Run())
}
