package sim

import (
	"os"
	"testing"

	"assay/tests/whole"
)

// Tests mostly wait for what the simulator is slow at.
func TestMain(m *testing.M) {
	whole.AtOnce(8)
	os.Exit(m.Run())
}
