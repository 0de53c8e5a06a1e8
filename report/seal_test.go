package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Every face says that a bundle does not verify before it says anything else, and a
// face that can carry markup cannot be steered by the name of the file.
func TestNotVerified(t *testing.T) {
	r := example(t)
	r.Signature, r.NotVerified = "NOT VERIFIED", []string{"raw/<b>x</b>.parquet: missing", "plan.json: changed after sealing"}
	const alarm = "NOT VERIFIED: raw/<b>x</b>.parquet: missing (and 1 more: assay verify lists them)"
	first := map[string]string{
		"text": alarm + "\n\nassay ",
		"md":   "> **NOT VERIFIED: raw/&lt;b>x&lt;/b>.parquet: missing (and 1 more: assay verify lists them)**\n\n## assay ",
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
			var back Report
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
	if cell, err := workbookOf(t, XLSXOptions{}, r).GetCellValue("Summary", "A1"); err != nil || cell != alarm {
		t.Errorf("workbook: A1 is %q, %v", cell, err)
	}
}
