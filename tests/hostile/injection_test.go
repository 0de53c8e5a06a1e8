package hostile

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"assay/tests/program"
	"assay/tests/whole"
)

// injected is what a hostile server says: words that act on a terminal, in
// Markdown, on a page, in a spreadsheet and in the log of a CI.
const injected = "\x1b]0;PWNED\a\x1b[2J\x1b[31mred\r\nassay: all is well\n::error::forged\n# INJECTED\n\n<script>alert(1)</script>\n" +
	"[a](javascript:alert(1)) ![p](http://127.0.0.1:1/p)\n```\n| a | b |\n|---|---|\n=cmd|' /C calc'!A0\n\u202egnp.exe\u2066\u200b\ufeff\u009b31m\xff\x00"

// TestInjection has every request fail with such words, and looks at everything
// that assay shows of them.
func TestInjection(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	program.Path(t) // built before the clock of any command runs
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		switch {
		case r.Method == http.MethodGet:
			io.WriteString(w, injected)
		case calls%3 == 0:
			raw(w, "HTTP/1.1 302 Found\r\nLocation: http://\u202egnp\x1b[31m\r\nContent-Length: 0\r\n\r\n")
		default:
			refuse(w, injected)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run.yaml"), fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: injection}
spec:
  workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 4, weight: 1}]}
  target: {url: %q}
  load: {concurrency: [1], duration: 1m, requests: 10, warmup: {}, calibrate: false}
`, server.URL))
	r := program.Run(t, dir, "run", "run.yaml", "--out", "runs", "--progress", "plain", "--progress-interval", "100ms")
	if r.Code != 1 || !strings.Contains(r.Stderr, "PWNED") {
		t.Errorf("exit %d, want 1 and the server's words on stderr:\n%s", r.Code, r.Stderr)
	}
	wantHarmless(t, "stdout", r.Stdout)
	wantHarmless(t, "stderr", r.Stderr)
	bundle := onlyMatch(t, filepath.Join(dir, "runs", "*__run__*"))
	for _, args := range [][]string{
		{"report"}, {"report", "--all"}, {"report", "--json"}, {"lint", "--all"}, {"lint", "--json"}, {"claim"}, {"claim", "--json"}, {"verify"},
		{"diagnose"}, {"compare", bundle}, {"compare", "--format", "md", bundle}, {"gate", "--baseline", bundle},
	} {
		wantHarmless(t, strings.Join(args, " "), program.Run(t, dir, append(args, bundle)...).Text())
	}
	markdown := program.Run(t, dir, "report", "--format", "md", bundle).Stdout
	wantHarmless(t, "Markdown", markdown)
	wantPlainMarkdown(t, markdown)
	wantXML(t, program.Run(t, dir, "report", "--format", "junit", bundle).Stdout)
	wantNoFormula(t, program.Run(t, dir, "report", "--format", "csv", bundle).Stdout)
	if page := program.Run(t, dir, "report", "--format", "html", bundle).Stdout; strings.Contains(page, "<script>alert") {
		t.Error("the page holds the script")
	}
	t.Run("screen", func(t *testing.T) {
		shown := onScreen(t, dir, nil, "run", "run.yaml", "--out", "screen", "--progress", "tty")
		for _, bad := range []string{"\x1b]0;PWNED", "\x1b[31mred", "\x1b[2J\x1b[31m", "\u202e", "\u2066", "\u009b"} {
			if strings.Contains(shown, bad) {
				t.Errorf("the screen obeys %q", bad)
			}
		}
		if !strings.Contains(shown, "PWNED") {
			t.Errorf("the screen does not show what the server said:\n%q", shown)
		}
	})
}

// wantHarmless demands that text is made of characters that show as themselves, and
// that no line of it was begun by the server.
func wantHarmless(t *testing.T, where, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is no UTF-8", where)
	}
	for line := range strings.Lines(text) {
		bad := strings.IndexFunc(strings.TrimRight(line, "\n"), func(r rune) bool {
			return r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
		})
		if bad >= 0 {
			t.Errorf("%s holds %q", where, line)
		}
		for _, forged := range []string{"assay: all is well", "::error::", "# INJECTED", "```", "| a | b |", "=cmd"} {
			if strings.HasPrefix(strings.TrimSpace(line), forged) {
				t.Errorf("%s has a line of the server's: %q", where, line)
			}
		}
	}
}

func wantPlainMarkdown(t *testing.T, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, `\]`, "") // without what is escaped
	for _, bad := range []string{"<script", "](javascript", "](http", "\n# INJECTED", "\n```"} {
		if strings.Contains(text, bad) {
			t.Errorf("the Markdown holds %q", bad)
		}
	}
	if !strings.Contains(text, "INJECTED") {
		t.Errorf("the Markdown does not show what the server said:\n%s", text)
	}
}

func wantXML(t *testing.T, text string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("JUnit: %v\n%s", err, text)
		}
	}
}

func wantNoFormula(t *testing.T, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "@") {
				t.Errorf("a cell is a formula: %q", cell)
			}
		}
	}
}
