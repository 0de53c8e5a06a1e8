// Package hostile attacks assay from outside: servers that answer with anything,
// files that are anything, strangers on every listener. Nothing may crash it, fill
// its memory, leak a secret or be believed.
package hostile

import (
	"os"
	"testing"

	"assay/tests/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
