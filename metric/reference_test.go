package metric

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReference(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(ReferenceFile)))
	if got := Reference(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not made from All (%v): run make generate", ReferenceFile, err)
	}
	for _, m := range All {
		if !strings.HasPrefix(m.ID, attainmentPrefix) && !bytes.Contains(want, []byte("| `"+m.ID+"`")) {
			t.Errorf("%s has no row of %s", ReferenceFile, m.ID)
		}
		if strings.ContainsAny(m.Doc+m.Name, "|\n") {
			t.Errorf("%s would break its row", m.ID)
		}
	}
}
