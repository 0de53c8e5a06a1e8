package workbook

import (
	"bytes"
	"testing"

	"github.com/xuri/excelize/v2"

	"assay/report/reporttest"
)

// The workbook of an evaluation has scores, groups and marks, the marks up to a bound; what
// a model said is text and no formula.
func TestAccuracySheets(t *testing.T) {
	r := reporttest.Graded(t)
	r.Grades[0].Extracted = "=1+1"
	var out bytes.Buffer
	if err := (Options{Requests: 5}).Write(&out, r); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows := func(sheet string) [][]string {
		t.Helper()
		list, err := book.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := rows("Accuracy"); len(list) != 1+2*len(r.Plan.Points) || list[1][0] != "gsm8k" || list[1][3] != "gsm8k_flexible" {
		t.Errorf("Accuracy: %v", list)
	}
	if list := rows("Groups"); len(list) != 1+4*len(r.Plan.Points) {
		t.Errorf("Groups has %d rows: %v", len(list), list)
	}
	list := rows("Grades")
	if len(list) != 2+5 || list[2][10] != "=1+1" {
		t.Fatalf("Grades: %v", list)
	}
	if formula, err := book.GetCellFormula("Grades", "K3"); err != nil || formula != "" {
		t.Errorf("an extracted text is the formula %q (%v)", formula, err)
	}
}
