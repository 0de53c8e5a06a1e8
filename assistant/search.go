package assistant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"assay/warehouse"
)

type searchAsk struct {
	Words string `json:"words" jsonschema:"words to look for; empty lists the newest runs"`
	Most  int    `json:"most,omitempty" jsonschema:"the most answers of each kind; 20 unless told otherwise, at most 100"`
}

// A found is what search answers.
type found struct {
	Runs  []foundRun  `json:"runs" jsonschema:"best first; their numbers come from report and claim"`
	Pages []foundPage `json:"pages" jsonschema:"of the guides; read them as resources"`
	More  bool        `json:"more"`
}

type foundRun struct {
	RunID   string `json:"runID"`
	Bundle  string `json:"bundle" jsonschema:"digest"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Created string `json:"created"`
	System  string `json:"system,omitempty"`
	Model   string `json:"model,omitempty"`
	Testbed string `json:"testbed,omitempty"`
	Worst   string `json:"worstFinding,omitempty" jsonschema:"void means that it has no numbers"`
	Kept    bool   `json:"kept" jsonschema:"in the warehouse; otherwise in a folder"`

	score int
}

type foundPage struct {
	URI   string `json:"uri"`
	Title string `json:"title"`
	Line  string `json:"line" jsonschema:"the first line that fits"`

	score int
}

// mostListed bounds the runs of the warehouse that are looked through.
const mostListed = 5000

func (s *Server) search(ctx context.Context, ask searchAsk) (found, error) {
	most := min(ask.Most, 100)
	if most <= 0 {
		most = 20
	}
	words := strings.Fields(strings.ToLower(ask.Words))
	runs, err := s.runs(ctx)
	if err != nil {
		return found{}, err
	}
	out := found{Runs: []foundRun{}, Pages: []foundPage{}}
	for _, r := range runs {
		r.score = hits(words, r.RunID, r.Bundle, r.Name, r.Status, r.System, r.Model, r.Testbed, r.Worst)
		if len(words) == 0 || r.score > 0 {
			out.Runs = append(out.Runs, r)
		}
	}
	slices.SortStableFunc(out.Runs, func(a, b foundRun) int { return cmp.Or(b.score-a.score, strings.Compare(b.Created, a.Created)) })
	if len(words) > 0 {
		if out.Pages, err = s.pages(words); err != nil {
			return out, err
		}
	}
	out.More = len(out.Runs) > most || len(out.Pages) > most
	out.Runs, out.Pages = out.Runs[:min(most, len(out.Runs))], out.Pages[:min(most, len(out.Pages))]
	return out, nil
}

// hits is how many of the words occur in the texts.
func hits(words []string, texts ...string) (n int) {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, w := range words {
		if strings.Contains(all, w) {
			n++
		}
	}
	return n
}

// runs lists what is kept and what lies in the folders, each bundle once.
func (s *Server) runs(ctx context.Context) (list []foundRun, err error) {
	err = s.remember(ctx, func(w *warehouse.Warehouse) error {
		a, err := w.Query(ctx, `SELECT run_id, artifact_manifest_digest, name, status, strftime('%Y-%m-%dT%H:%M:%SZ', created_ns / 1000000000, 'unixepoch'), system, model, testbed, coalesce(worst_finding, '')
			FROM benchmark_run_fact ORDER BY created_ns DESC`, warehouse.Limit{Rows: mostListed})
		for _, row := range a.Rows {
			text := func(i int) string { return fmt.Sprint(row[i]) }
			list = append(list, foundRun{RunID: text(0), Bundle: text(1), Name: text(2), Status: text(3), Created: text(4), System: text(5), Model: text(6), Testbed: text(7), Worst: text(8), Kept: true})
		}
		return err
	})
	if err != nil && !errors.Is(err, warehouse.ErrNone) {
		return nil, err
	}
	for _, b := range s.access.scan() {
		m := b.Manifest
		if !slices.ContainsFunc(list, func(r foundRun) bool { return r.Bundle == m.Digest }) {
			_, name, _ := strings.Cut(m.RunID, "__run__")
			list = append(list, foundRun{RunID: m.RunID, Bundle: m.Digest, Name: name, Status: string(m.Status), Created: m.Created.UTC().Format("2006-01-02T15:04:05Z")})
		}
	}
	return list, nil
}

// pages are those of the documentation that have words.
func (s *Server) pages(words []string) (list []foundPage, err error) {
	list = []foundPage{}
	err = s.eachPage(func(path, title, text string) {
		if n := hits(words, path, text); n > 0 {
			list = append(list, foundPage{URI: docPrefix + path, Title: title, Line: firstLine(words, text), score: n})
		}
	})
	slices.SortStableFunc(list, func(a, b foundPage) int { return b.score - a.score })
	return list, err
}

func firstLine(words []string, text string) string {
	best, most := "", 0
	for line := range strings.Lines(text) {
		if n := hits(words, line); n > most {
			best, most = line, n
		}
	}
	return shorten(strings.TrimSpace(best))
}

// eachPage visits the documentation.
func (s *Server) eachPage(visit func(path, title, text string)) error {
	if s.opts.Docs == nil {
		return nil
	}
	return fs.WalkDir(s.opts.Docs, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := fs.ReadFile(s.opts.Docs, path)
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		visit(path, title, string(text))
		return err
	})
}
