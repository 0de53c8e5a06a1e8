// Package whole tells the tests that take long from those that everybody runs: go test
// ./... takes minutes, and make test runs everything.
package whole

import (
	"os"
	"testing"
)

// Variable says which tests run: all of them where it is "all".
const Variable = "ASSAY_TESTS"

// Only skips a test that takes long, unless everything is asked for.
func Only(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) != "all" {
		t.Skipf("takes long: make test runs it, or %s=all", Variable)
	}
}
