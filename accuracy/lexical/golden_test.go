package lexical

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golden reads reference values that others have computed. They are not part of the
// repository.
func golden[T any](t *testing.T, name string) (values T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../shared/golden/accuracy", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no golden values: want shared/golden/accuracy beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &values); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return values
}

// dataLines reads the lines of a data file that the golden values are about.
func dataLines(t testing.TB, name string) []string {
	t.Helper()
	file, err := os.Open(filepath.Join("../../../shared/data", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no data of the golden values: want shared/data beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var from io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// near fails unless two numbers agree to a billionth, of one or of themselves.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

func nearAll(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
		return
	}
	for i := range got {
		near(t, what, got[i], want[i])
	}
}
