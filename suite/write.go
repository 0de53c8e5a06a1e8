package suite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"assay/visible"
)

// The files of a suite.
const (
	LedgerFile    = "suite_steps.json"
	AlignmentFile = "mlperf_alignment.json"
	CoverageFile  = "benchmark_coverage_analysis.json"
	CardFile      = "scorecard.json"
	TextFile      = "scorecard.txt"
	MarkdownFile  = "scorecard.md"
	ManifestFile  = "manifest.json"
)

// write keeps the card in its parts, and last the digests of everything.
func (c Card) write(dir string) error {
	for _, f := range []struct {
		name    string
		content any
	}{{LedgerFile, c.Rows}, {AlignmentFile, c.Alignment}, {CoverageFile, c.Coverage}, {CardFile, c}} {
		data, err := json.MarshalIndent(f.content, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	for name, face := range map[string]func(io.Writer) error{TextFile: c.Text, MarkdownFile: c.Markdown} {
		var b bytes.Buffer
		if err := face(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return writeManifest(dir)
}

// writeManifest lists every file of the suite with its digest. Bundles have
// manifests of their own, which are listed among the files.
func writeManifest(dir string) error {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err != nil { // a profiler's report is large
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = "sha256:" + hex.EncodeToString(sum.Sum(nil))
		return err
	})
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(map[string]any{"version": Version, "files": files}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ManifestFile), append(data, '\n'), 0o644)
}

// Text writes the card for a terminal.
func (c Card) Text(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "suite %s, %s, on %s\n", c.Preset, c.RunID, c.Device)
	c.answers(&b, "\n%s: %s\n", "  %s\n", "  open: %s\n")
	fmt.Fprintln(&b)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "step\toutcome\ttook\tbundle or reason")
	for _, r := range c.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.Name, r.Outcome, r.took(), r.where())
	}
	t.Flush()
	fmt.Fprintln(&b)
	for _, line := range c.summary() {
		fmt.Fprintln(&b, line)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Markdown writes the card for a page.
func (c Card) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Suite %s\n\n%s, on %s\n", c.Preset, c.RunID, c.Device)
	c.answers(&b, "\n## %s: %s\n\n", "- %s\n", "- open: %s\n")
	fmt.Fprint(&b, "\n## Ledger\n\n| step | outcome | took | bundle or reason |\n| --- | --- | --- | --- |\n")
	for _, r := range c.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Name, r.Outcome, r.took(), visible.Markdown(r.where()))
	}
	fmt.Fprint(&b, "\n## Scorecard\n\n")
	for _, line := range c.summary() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c Card) answers(b *bytes.Buffer, head, item, open string) {
	for _, l := range c.Layers {
		fmt.Fprintf(b, head, l.Name, l.Question)
		for _, text := range l.Answers {
			fmt.Fprintf(b, item, text)
		}
		for _, text := range l.Open {
			fmt.Fprintf(b, open, text)
		}
	}
}

func (r Row) took() string {
	if r.ExitCode == nil {
		return "–"
	}
	return r.End.Sub(r.Start).Round(100 * time.Millisecond).String()
}

func (r Row) where() string {
	if r.Outcome == Ran {
		return r.Bundle
	}
	return r.Reason
}

func (c Card) summary() []string {
	list := []string{
		fmt.Sprintf("MLPerf alignment: %s", c.Alignment.Overall),
		fmt.Sprintf("coverage: %.3g %% of the subsystems (%s), %.3g %% more by stand-ins that do not count; %.3g %% of the advanced signals", c.Coverage.Score, c.Coverage.Class, c.Coverage.StandIns, c.Coverage.AdvScore),
	}
	list = append(list, c.nodeLines()...)
	for _, p := range c.Profiles {
		list = append(list, p.text())
	}
	for _, g := range c.Gates {
		list = append(list, g.text())
	}
	return append(list,
		fmt.Sprintf("bottleneck: %s (%s): %s", c.Bottleneck.Type, c.Bottleneck.Confidence, c.Bottleneck.Reasons[0]),
		fmt.Sprintf("score %.3g of 100; gates: %s", c.Score, map[string]string{Pass: "all kept", Fail: "missed", NoGates: "none in this preset"}[c.PassFail]),
	)
}
