package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/tests/whole"
)

// with runs the command with other sections.
func with(t *testing.T, others []section, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	kept := sections
	sections = others
	defer func() { sections = kept }()
	var out, complaints bytes.Buffer
	code = benchmark(args, &out, &complaints)
	return code, out.String(), complaints.String()
}

func made(verdict Verdict, err error) []section {
	return []section{{"made", func(trials int, seed int64) (Table, error) {
		return Table{Title: "Made", Columns: []string{"what"}, Rows: []Row{{[]string{"a row"}, verdict}}, Notes: []string{"a note"}}, err
	}}}
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sections []section
		args     []string
		want     int
	}{
		{"all kept", made(Kept, nil), nil, exitOK},
		{"a contrast is no fault", made(Contrast, nil), nil, exitOK},
		{"a broken promise", made(Broken, nil), nil, exitVerdict},
		{"a section that fails", made(Kept, errors.New("no")), nil, exitFailed},
		{"no such section", made(Kept, nil), []string{"--only", "other"}, exitUsage},
		{"no trials", made(Kept, nil), []string{"--trials", "0"}, exitUsage},
		{"part of the file", made(Kept, nil), []string{"--only", "made", "--write", "x"}, exitUsage},
		{"no such file", made(Kept, nil), []string{"--write", filepath.Join(t.TempDir(), "x")}, exitFailed},
	} {
		if got, _, complaint := with(t, tt.sections, tt.args...); got != tt.want {
			t.Errorf("%s: exit %d, want %d (%s)", tt.name, got, tt.want, complaint)
		}
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	beginMarker, endMarker := markers("calibration")
	if err := os.WriteFile(path, []byte("before\n"+beginMarker+"\nold\n"+endMarker+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // writing again changes nothing
		if code, _, complaint := with(t, made(Kept, nil), "--write", path, "--trials", "7"); code != exitOK {
			t.Fatalf("exit %d: %s", code, complaint)
		}
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(page)
		for _, want := range []string{"before\n" + beginMarker, "with 7 simulated", "### Made", "| what | verdict |\n| --- | --- |\n| a row | kept |\n\n- a note\n", endMarker + "\nafter\n"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("want %q once in\n%s", want, text)
			}
		}
		if strings.Contains(text, "old") {
			t.Errorf("the old table is still there:\n%s", text)
		}
	}
	if err := replaceIn(filepath.Join(t.TempDir(), "none"), "calibration", ""); err == nil {
		t.Error("a file that is not there was written")
	}
	if err := os.WriteFile(path, []byte("no markers"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceIn(path, "calibration", ""); err == nil {
		t.Error("a file without markers was written")
	}
}

func TestJSON(t *testing.T) {
	_, out, _ := with(t, made(Kept, nil), "--json")
	var tables []Table
	if err := json.Unmarshal([]byte(out), &tables); err != nil || len(tables) != 1 || tables[0].Rows[0].Verdict != Kept {
		t.Errorf("%v in %s", err, out)
	}
}

// Every section gives the same table on one processor and on several.
func TestSections(t *testing.T) {
	whole.Only(t)
	for _, s := range slices.Concat(sections, qualitySections) {
		t.Run(s.name, func(t *testing.T) {
			before := runtime.GOMAXPROCS(3)
			defer runtime.GOMAXPROCS(before)
			table, err := s.run(4, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range table.Rows {
				if len(r.Cells) != len(table.Columns) {
					t.Errorf("row %v: want %d cells for %v", r.Cells, len(table.Columns), table.Columns)
				}
			}
			runtime.GOMAXPROCS(1)
			again, err := s.run(4, 3)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(table, again) {
				t.Errorf("on several processors\n%v\non one\n%v", table, again)
			}
		})
	}
}
