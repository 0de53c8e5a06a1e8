// Package cheats tries to make a run look better than it was, one way a test, and
// demands that the cheat is caught by name and that an honest pair is left in peace.
package cheats

import (
	"os"
	"testing"

	"assay/tests/program"
)

func TestMain(m *testing.M) {
	if speed := os.Getenv(programSpeed); speed != "" { // this very program, as a target
		os.Exit(answerCalls(speed))
	}
	os.Exit(program.Main(m))
}
