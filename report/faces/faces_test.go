package faces

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/report"
	"assay/report/reporttest"
)

// Every face has a golden file where it is written, the same report gives the same
// bytes, and an unsigned run says so.
func TestFaces(t *testing.T) {
	r := reporttest.Example(t)
	for _, f := range All {
		t.Run(f.Name, func(t *testing.T) {
			var got, again bytes.Buffer
			if err := f.Format(&got, r); err != nil {
				t.Fatal(err)
			}
			if err := f.Format(&again, r); err != nil || !bytes.Equal(got.Bytes(), again.Bytes()) {
				t.Errorf("two writings of one report differ (%v)", err)
			}
			if found, err := filepath.Glob("../*/testdata/" + f.File + ".golden"); err != nil || len(found) == 0 {
				if _, err := os.Stat("../testdata/" + f.File + ".golden"); err != nil {
					t.Errorf("%s has no golden file", f.File)
				}
			}
			if !f.Binary() && !strings.Contains(got.String(), judge.Unsigned) {
				t.Errorf("the report does not say %s", judge.Unsigned)
			}
		})
	}
}

func TestFind(t *testing.T) {
	if _, err := Find("pdf"); err == nil || !strings.Contains(err.Error(), "text") {
		t.Errorf("error %v does not say what is accepted", err)
	}
}

// Every face says that a bundle does not verify before it says anything else, and a
// face that can carry markup cannot be steered by the name of the file.
func TestNotVerified(t *testing.T) {
	r := reporttest.Example(t)
	r.Signature, r.NotVerified = "NOT VERIFIED", []string{"raw/<b>x</b>.parquet: missing", "plan.json: changed after sealing"}
	const alarm = "NOT VERIFIED: raw/<b>x</b>.parquet: missing (and 1 more: assay verify lists them)"
	first := map[string]string{
		"text": alarm + "\nm · openai-chat",
		"md":   "> **NOT VERIFIED: raw/&lt;b>x&lt;/b>.parquet: missing (and 1 more: assay verify lists them)**\n\n## m · openai-chat",
		"csv":  "# " + alarm + "\nrun,",
	}
	for _, f := range All {
		var out bytes.Buffer
		if err := f.Format(&out, r); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		text := out.String()
		if want := first[f.Name]; !strings.HasPrefix(text, want) {
			t.Errorf("%s begins with %.200q, want %q", f.Name, text, want)
		}
		switch f.Name {
		case "json":
			var back report.Report
			if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back.NotVerified) != 2 {
				t.Errorf("json: %v, %v", back.NotVerified, err)
			}
		case "html":
			alert := strings.Index(text, `<p class="alarm" role="alert">NOT VERIFIED: raw/&lt;b&gt;`)
			if alert < 0 || alert > strings.Index(text, "<header>") {
				t.Error("html: the alarm does not stand before the header")
			}
		case "junit":
			if !strings.Contains(text, `name="NOT VERIFIED: `) || !strings.Contains(text, `<failure type="NOT VERIFIED"`) {
				t.Errorf("junit: %.600s", text)
			}
		}
	}
}

// Names, files and what a terminal can show do not collide.
func TestFormatNames(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range slices.Concat(All, OnRequest) {
		if seen[f.Name] || seen[f.File] {
			t.Errorf("two formats are called %s or %s", f.Name, f.File)
		}
		seen[f.Name], seen[f.File] = true, true
	}
	if (Face{File: "report.xlsx"}).Binary() != true || (Face{File: "report.md"}).Binary() {
		t.Error("a workbook is for no terminal, and Markdown is")
	}
}
