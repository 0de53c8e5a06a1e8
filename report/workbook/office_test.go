package workbook

import (
	"bytes"
	"compress/zlib"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"assay/report"
	"assay/tests/whole"
)

// office converts a file with LibreOffice and returns the folder of what it made.
func office(t *testing.T, file, to string) string {
	t.Helper()
	whole.Only(t)
	program, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("LibreOffice is not installed (make office installs it)")
	}
	dir := t.TempDir()
	// A profile of its own: another LibreOffice of this user would answer instead.
	cmd := exec.CommandContext(t.Context(), program, "-env:UserInstallation=file://"+filepath.Join(dir, "profile"), "--headless", "--convert-to", to, "--outdir", dir, file)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, out)
	}
	return dir
}

// written is the workbook of r as a file.
func written(t *testing.T, r report.Report) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.xlsx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := XLSX(f, r); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// LibreOffice reads every number of the workbook to the last bit. Its text formats
// write 15 digits; the old binary one has the numbers as they are in its memory.
func TestLibreOfficeReadsNumbers(t *testing.T) {
	r := bookSweep(t)
	path := written(t, r)
	data, err := os.ReadFile(filepath.Join(office(t, path, "xls"), "report.xls"))
	if err != nil {
		t.Fatal(err)
	}
	got := readBIFF(t, data)
	if got.formulas > 0 {
		t.Errorf("LibreOffice sees %d formulas, want none", got.formulas)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	numbers := 0
	for i, name := range f.GetSheetList() {
		rows, err := f.GetRows(name, excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		for y, row := range rows {
			for x, cell := range row {
				at, _ := excelize.CoordinatesToCellName(x+1, y+1)
				if kind, err := f.GetCellType(name, at); err != nil || kind == excelize.CellTypeSharedString || cell == "" {
					continue
				}
				want, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					t.Fatalf("%s!%s: %v", name, at, err)
				}
				if read, ok := got.cells[biffCell{i, y, x}]; !ok || read != want {
					t.Errorf("%s!%s is %v for LibreOffice (%v), want %v", name, at, read, ok, want)
				}
				numbers++
			}
		}
	}
	if numbers < 3000 || numbers != len(got.cells) {
		t.Errorf("compared %d numbers, LibreOffice has %d; want the same, some thousand", numbers, len(got.cells))
	}
}

// LibreOffice prints the workbook with its charts. Text is drawn by the numbers of
// glyphs, so lines in the colours of the series are looked for, which nothing else
// has.
func TestLibreOfficePrintsCharts(t *testing.T) {
	r := bookSweep(t)
	data, err := os.ReadFile(filepath.Join(office(t, written(t, r), "pdf"), "report.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte("%PDF-")) {
		t.Fatalf("it begins with %q, want a PDF", data[:min(8, len(data))])
	}
	drawn := pdfContent(t, data)
	f := func(colour string, least int) {
		t.Helper()
		// A PDF sets the colour of lines by its shares of red, green and blue.
		if n := len(regexp.MustCompile(colour+` RG`).FindAllString(drawn, -1)); n < least {
			t.Errorf("%d lines in the colour %s, want at least %d", n, colour, least)
		}
	}
	f(`0 0\.44705\d* 0\.69803\d*`, 4) // 0072B2, the first series of each of four charts
	f(`0\.83529\d* 0\.36862\d* 0`, 2) // D55E00, the second
	f(`0 0\.61960\d* 0\.45098\d*`, 1) // 009E73, E2E beside TTFT
}

var pdfStream = regexp.MustCompile(`(?s)/FlateDecode[^>]*>>\s*stream\r?\n(.*?)endstream`)

// pdfContent is what the pages of a PDF say to draw.
func pdfContent(t *testing.T, data []byte) string {
	t.Helper()
	var all strings.Builder
	for _, match := range pdfStream.FindAllSubmatch(data, -1) {
		r, err := zlib.NewReader(bytes.NewReader(match[1]))
		if err != nil {
			continue // not a stream of text: a font or an image
		}
		io.Copy(&all, r) // to its end, or to where the padding begins
	}
	if all.Len() == 0 {
		t.Fatal("the PDF has no content")
	}
	return all.String()
}
