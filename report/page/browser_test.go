package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"assay/report/reporttest"
	"assay/tests/whole"
)

// TestBrowser drives the pages in a real Chromium: tests/browser/page.mjs hovers,
// zooms, toggles and prints, and fails on anything that a page says to the console
// or asks of the network.
func TestBrowser(t *testing.T) {
	whole.Only(t)
	browserOrSkip(t)
	dir := t.TempDir()
	write := func(name string, page []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := reporttest.Sweep(t, []string{""}, []int{1, 4, 16, 64})
	write("run.html", []byte(htmlOf(t, run)))
	write("sweep.html", []byte(htmlOf(t, reporttest.FortyFive(t))))
	write("hostile.html", []byte(htmlOf(t, hostile(t))))
	write("graded.html", []byte(htmlOf(t, reporttest.GradedUnderLoad(t))))
	for name, r := range reporttest.Ranked(t) {
		write(name+".html", []byte(htmlOf(t, r)))
	}
	var b bytes.Buffer
	if err := CompareHTML(&b, reporttest.Compared(), true, reporttest.Flipped()...); err != nil {
		t.Fatal(err)
	}
	write("compare.html", b.Bytes())
	b.Reset()
	if err := ScalingHTML(&b, reporttest.Scaled(t)); err != nil {
		t.Fatal(err)
	}
	write("scaling.html", b.Bytes())

	cmd := exec.Command("node", "page.mjs", dir)
	cmd.Dir = filepath.Join("..", "..", "tests", "browser")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("node page.mjs: %v\n%s", err, said.String())
	}
	tried := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); tried++ {
		var one struct{ Name, Error, Said string }
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		t.Run(one.Name, func(t *testing.T) {
			if one.Said != "" {
				t.Log(one.Said)
			}
			if one.Error != "" {
				t.Error(one.Error)
			}
		})
	}
	if tried < 45 {
		t.Errorf("%d things were tried, want 45 or more", tried)
	}
}

// browserOrSkip skips where there is no browser to drive.
func browserOrSkip(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node on the path: make browser installs it")
	}
	if _, err := os.Stat(filepath.Join("..", "..", "tests", "browser", "node_modules", "playwright-core")); err != nil {
		t.Skip("playwright-core is not installed: make browser installs it")
	}
	if os.Getenv("CHROMIUM") != "" {
		return
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if _, err := exec.LookPath(name); err == nil {
			return
		}
	}
	t.Skip("no chromium on the path: make browser installs it, or CHROMIUM names one")
}
