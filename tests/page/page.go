// Package page keeps pages of the documentation that are made from tables equal to these
// tables. A test that imports it has the flag -update, which writes the page.
package page

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the page of the documentation that is made from the tables")

// Current fails unless the page at path is what the tables give.
func Current(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): go test -run '^%s$' -update in this folder writes it", path, err, t.Name())
	}
}
