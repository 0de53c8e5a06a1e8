package foreign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, size int64) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // a hole takes no room
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct{ path, want string }{
		{filepath.Join(dir, "missing"), "no such file"},
		{dir, "is a folder, want a regular file"},
		{file("empty", 0), "is empty"},
		{file("huge", mostBytes+1), "import it in parts"},
	} {
		if _, err := Load(tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Load(%s) = %v, want %q", tt.path, err, tt.want)
		}
	}
}

func TestJSON(t *testing.T) {
	type document struct {
		Rows []struct {
			N int `json:"n"`
		} `json:"rows"`
	}
	for _, tt := range []struct{ text, want string }{
		{`{"rows": [{"n": 1}]}`, ""},
		{`{"rows": [{"n": 1}`, "f ends in the middle, after 18 bytes: it is cut short; want a list"},
		{`{"rows": nil}`, "f is not JSON at byte 11"},
		{`{"rows": [{"n": "one"}]}`, "f: rows.n is a string, want a list"},
		{`[]`, "f: the whole is a array, want a list"},
		{`{} {}`, "f goes on after its value, at byte 4"},
		{"{\"rows\": \x00}", "f is a binary file, want a list"},
		{"\xff\xfe{}{}", "f is a binary file"},
	} {
		var d document
		err := File{Name: "f", Data: []byte(tt.text)}.JSON(&d, "a list")
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("JSON(%q) = %v, want %q", tt.text, err, tt.want)
		}
	}
}
