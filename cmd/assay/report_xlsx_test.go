package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"assay/tests/whole"
)

// A run leaves a workbook, and the command makes one with the percentile and the
// unit that are asked for.
func TestWorkbook(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	out := t.TempDir()
	if _, stderr, code := call(t, "run", writeSpec(t, simulator(), "{concurrency: [1], duration: 1m, requests: 5, warmup: {}}"), "--out", out); code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	dir := onlyBundle(t, out)
	sealed, err := os.ReadFile(filepath.Join(dir, "report", "report.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	f := func(data []byte, sheet, want string) {
		t.Helper()
		book, err := excelize.OpenReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		found, err := book.SearchSheet(sheet, want)
		if err != nil || len(found) != 1 {
			t.Errorf("%s has %q in %v (%v), want once", sheet, want, found, err)
		}
		if requests, err := book.GetRows("Requests"); err != nil || len(requests) < 3 {
			t.Errorf("%d rows of requests, %v", len(requests), err)
		}
	}
	f(sealed, "Summary", "TTFT p99 (ms)")
	asked, stderr, code := call(t, "report", "--format", "xlsx", "--percentile", "p95", "--time-unit", "us", dir)
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	f([]byte(asked), "Intervals", "TTFT p95 low (us)")

	refused := func(want string, args ...string) {
		t.Helper()
		if _, stderr, code := call(t, append([]string{"report", dir}, args...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q; want %d and %q", args, code, stderr, exitUsage, want)
		}
	}
	refused("add --format xlsx", "--percentile", "p95")
	refused(`--percentile "p12": want one of`, "--percentile", "p12", "--format", "xlsx")
	refused(`--time-unit "h": want s, ms or us`, "--time-unit", "h", "--format", "xlsx")
}

// unpacked is the content of every file of a workbook, which lies compressed on disk.
func unpacked(t *testing.T, data []byte) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, part := range archive.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	return all.Bytes()
}
