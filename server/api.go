package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"assay/analysis/compare"
	"assay/intake"
	"assay/judge"
	"assay/report"
	"assay/report/faces"
	"assay/report/page"
	"assay/suite/acts"
	"assay/warehouse"
)

// runFilter is what the parameters of a list say.
func runFilter(c *Call) (f warehouse.RunFilter, err error) {
	f = warehouse.RunFilter{
		Name: c.param("name"), System: c.param("system"), Testbed: c.param("testbed"), Model: c.param("model"),
		Status: c.param("status"), Finding: c.param("finding"), Text: c.param("text"),
	}
	if f.Since, err = sinceOf(c); err != nil {
		return f, err
	}
	if f.Rows, err = number(c, "rows", 100, 1, 1000); err != nil {
		return f, err
	}
	f.Skip, err = number(c, "skip", 0, 0, 10_000_000)
	return f, err
}

func sinceOf(c *Call) (time.Time, error) {
	text := c.param("since")
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, refuse(http.StatusBadRequest, "since %q: want a date such as 2026-11-17", shortened(text))
	}
	return at, nil
}

func number(c *Call, name string, otherwise, least, most int) (int, error) {
	text := c.param(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, refuse(http.StatusBadRequest, "%s %q: want %d to %d", name, shortened(text), least, most)
	}
	return n, nil
}

// A runList is an answer with runs.
type runList struct {
	Runs []warehouse.RunRow `json:"runs"`
	All  int                `json:"all"` // that fit, of which these are some
}

func (s *Server) listRuns(c *Call) error {
	f, err := runFilter(c)
	if err != nil {
		return err
	}
	list, all, err := s.read.Runs(c.context(), f)
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, runList{append([]warehouse.RunRow{}, list...), all})
}

func (s *Server) showRun(c *Call) error {
	d, err := s.read.Detail(c.context(), c.R.PathValue("run"))
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, d)
}

// judged opens the bundle of a run, to be shown.
func (s *Server) judged(c *Call) (*judge.Judgement, error) {
	dir, err := s.bundleOf(c, c.R.PathValue("run"))
	if err != nil {
		return nil, err
	}
	if err := s.enter(c, &s.lines.judging); err != nil {
		return nil, err
	}
	o := s.o.Judge
	o.Unverified = true // the report says so on top
	return judge.Open(dir, o)
}

func (s *Server) bundleOf(c *Call, name string) (string, error) {
	run, err := s.read.Find(c.context(), name)
	if err != nil {
		return "", err
	}
	dir, there := s.read.Held(run.Digest)
	if !there {
		return "", refuse(http.StatusGone, "the bundle of %s is not here any more: retention dropped it", run.RunID)
	}
	return dir, nil
}

func (s *Server) reportJSON(c *Call) error {
	j, err := s.judged(c)
	if err != nil {
		return err
	}
	face, err := faces.Find("json")
	if err != nil {
		return err
	}
	return s.whole(c, "application/json; charset=utf-8", func(b *bytes.Buffer) error { return face.Format(b, report.New(j)) })
}

// reportPage shows the report as it is in a bundle. It holds texts of strangers, so that it
// gets an origin of its own: even if something in it ran, it could not ask for anything in
// the name of whoever looks at it.
func (s *Server) reportPage(c *Call) error {
	j, err := s.judged(c)
	if err != nil {
		return err
	}
	rules, err := page.Policy()
	if err != nil {
		return err
	}
	c.W.Header().Set("Content-Security-Policy", rules+"; frame-ancestors 'none'; sandbox allow-scripts")
	return s.whole(c, "text/html; charset=utf-8", func(b *bytes.Buffer) error { return page.HTML(b, report.New(j)) })
}

// whole answers with what is written, whole or not at all.
func (s *Server) whole(c *Call, kind string, write func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	c.W.Header().Set("Content-Type", kind)
	c.W.Write(b.Bytes()) // whoever has left does not hear of an error either
	return nil
}

// showFile gives a file that the catalogue lists for a run, and no other.
func (s *Server) showFile(c *Call) error {
	d, err := s.read.Detail(c.context(), c.R.PathValue("run"))
	if err != nil {
		return err
	}
	name := c.R.PathValue("path")
	for _, f := range d.Files {
		if f.Path != name {
			continue
		}
		dir, there := s.read.Held(d.Digest)
		if !there {
			return refuse(http.StatusGone, "the bundle of %s is not here any more: retention dropped it", d.RunID)
		}
		file, err := intake.Open(path.Join(dir, name))
		if err != nil {
			return err
		}
		defer file.Close() // nothing is written
		// Whatever it holds, a browser saves it.
		c.W.Header().Set("Content-Type", string(Data))
		c.W.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", path.Base(name)))
		c.W.Header().Set("ETag", `"`+strings.TrimPrefix(f.SHA256, "sha256:")+`"`)
		http.ServeContent(c.W, c.R, "", time.Time{}, file)
		return nil
	}
	return refuse(http.StatusNotFound, "the run has no such file")
}

func (s *Server) historyOf(c *Call) (warehouse.History, error) {
	f := warehouse.Filter{
		Metric: c.param("metric"), Workload: c.param("workload"), System: c.param("system"), Testbed: c.param("testbed"),
		Point: c.param("point"), Side: c.param("side"),
	}
	if f.Metric == "" {
		return warehouse.History{}, refuse(http.StatusBadRequest, "metric: want one, such as ttft:p99")
	}
	var err error
	if f.Since, err = sinceOf(c); err != nil {
		return warehouse.History{}, err
	}
	if f.Last, err = number(c, "last", 200, 1, 2000); err != nil {
		return warehouse.History{}, err
	}
	// What is remembered is read, as by everybody else; what has to be searched for takes long,
	// and the longer the more series there are.
	begun := time.Now()
	between := func() error {
		if time.Since(begun) > s.longestSearch {
			return refuse(http.StatusServiceUnavailable, "searching these series for changes takes longer than %v: narrow it down to a workload, a machine or a point, or ask for fewer runs", s.longestSearch)
		}
		return s.enter(c, &s.lines.judging)
	}
	return s.read.History(c.context(), f, warehouse.Detection{Seed: seed, Between: between}, s.o.Judge)
}

func (s *Server) showHistory(c *Call) error {
	h, err := s.historyOf(c)
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, h)
}

// compared compares two to five runs, the first as the baseline.
func (s *Server) compared(c *Call, runs []string) (compare.Report, error) {
	if len(runs) < 2 || len(runs) > 5 {
		return compare.Report{}, refuse(http.StatusBadRequest, "got %d runs, want two to five", len(runs))
	}
	var dirs []string
	for _, name := range runs {
		dir, err := s.bundleOf(c, name)
		if err != nil {
			return compare.Report{}, err
		}
		dirs = append(dirs, dir)
	}
	if err := s.enter(c, &s.lines.judging); err != nil {
		return compare.Report{}, err
	}
	r, err := s.o.Compare(dirs)
	if err != nil {
		return r, refuse(http.StatusUnprocessableEntity, "these runs cannot be compared: %w", err)
	}
	return r, nil
}

func (s *Server) showComparison(c *Call) error {
	r, err := s.compared(c, c.R.URL.Query()["run"])
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, r)
}

func (s *Server) showLineage(c *Call) error {
	l, err := s.lineageOf(c)
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, l)
}

// lineageOf follows what was printed, without where bundles lie on this machine.
func (s *Server) lineageOf(c *Call) (warehouse.Lineage, error) {
	asked := c.param("of")
	if strings.TrimSpace(asked) == "" {
		return warehouse.Lineage{}, refuse(http.StatusBadRequest, "of: want a number with its unit, words of a claim, or a digest")
	}
	l, err := s.read.Lineage(c.context(), asked)
	for i := range l.Steps {
		l.Steps[i].Bundle = "/runs/" + strings.TrimPrefix(l.Steps[i].ArtifactManifestDigest, "sha256:")
	}
	return l, err
}

// A question is a query in SQL.
type question struct {
	SQL  string `json:"sql"`
	Rows int    `json:"rows,omitempty"` // the most rows; zero means 1000
}

func (s *Server) query(c *Call) error {
	var q question
	if err := c.take(&q); err != nil {
		return err
	}
	if q.Rows < 0 || q.Rows > 10_000 {
		return refuse(http.StatusBadRequest, "rows %d: want 1 to 10000", q.Rows)
	}
	if q.Rows == 0 {
		q.Rows = 1000
	}
	a, err := s.aside.Query(c.context(), q.SQL, warehouse.Limit{Rows: q.Rows, Time: 10 * time.Second})
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, a)
}

// An alertList is an answer with alerts.
type alertList struct {
	Alerts []warehouse.Alert `json:"alerts"`
	Looked time.Time         `json:"looked"` // when changes were looked for
	Failed string            `json:"failed,omitempty"`
}

func (s *Server) listAlerts(c *Call) error {
	list, err := s.alerts(c.context())
	if err != nil {
		return err
	}
	_, at, failed := s.seen()
	return c.give(http.StatusOK, alertList{list, at, failed})
}

// A decision is what somebody decides about an alert or a run.
type decision struct {
	Run     string `json:"run"`
	As      string `json:"as"`
	Why     string `json:"why"`
	Instead string `json:"instead,omitempty"`
}

func (d decision) of(c *Call, now time.Time) (warehouse.Decision, error) {
	if strings.TrimSpace(d.Why) == "" || len(d.Why) > 2000 {
		return warehouse.Decision{}, refuse(http.StatusBadRequest, "why: want a reason, of at most 2000 bytes")
	}
	return warehouse.Decision{Mark: d.As, Run: d.Run, Instead: d.Instead, Why: d.Why, By: c.Token.Name, At: now}, nil
}

func (s *Server) decideAlert(c *Call) error {
	var d decision
	if err := c.take(&d); err != nil {
		return err
	}
	act, err := s.actOnAlert(c, d)
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, act)
}

func (s *Server) actOnAlert(c *Call, d decision) (act acts.Act, err error) {
	known, err := s.alerts(c.context())
	if err != nil {
		return act, err
	}
	id := c.R.PathValue("series")
	found := false
	for _, a := range known {
		found = found || a.SeriesID == id && a.Run == d.Run
	}
	if !found {
		return act, refuse(http.StatusNotFound, "there is no alert of this series at this run")
	}
	decided, err := d.of(c, s.o.Now())
	if err != nil {
		return act, err
	}
	err = s.write(c.context(), func(w *warehouse.Warehouse) (err error) {
		act, err = w.DecideAlert(c.context(), id, decided)
		return err
	})
	return act, err
}

func (s *Server) decideRun(c *Call) error {
	var d decision
	if err := c.take(&d); err != nil {
		return err
	}
	d.Run = c.R.PathValue("run")
	decided, err := d.of(c, s.o.Now())
	if err != nil {
		return err
	}
	var act acts.Act
	err = s.write(c.context(), func(w *warehouse.Warehouse) (err error) {
		act, err = w.Decide(c.context(), decided)
		return err
	})
	if err != nil {
		return err
	}
	s.changed()
	return c.give(http.StatusOK, act)
}

func (s *Server) contracts(c *Call) error {
	v, err := s.o.Contracts()
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, v)
}

// health says that the catalogue can be read.
func (s *Server) health(c *Call) error {
	if _, _, err := s.aside.Runs(c.context(), warehouse.RunFilter{Rows: 1}); err != nil {
		return errors.Join(&fault{http.StatusServiceUnavailable, errors.New("the catalogue cannot be read")}, err)
	}
	return c.give(http.StatusOK, map[string]string{"status": "ok", "version": s.o.Version})
}

func (s *Server) metrics(c *Call) error {
	_, runs, err := s.aside.Runs(c.context(), warehouse.RunFilter{Rows: 1})
	if err != nil {
		return err
	}
	list, err := s.aside.Alerts(c.context())
	if err != nil {
		return err
	}
	open := 0
	for _, a := range list {
		if a.Pending() {
			open++
		}
	}
	return s.whole(c, "text/plain; version=0.0.4; charset=utf-8", func(b *bytes.Buffer) error {
		return s.counters.write(b, []gauge{
			{"assay_warehouse_runs", "Runs in the warehouse.", float64(runs)},
			{"assay_warehouse_alerts", "Alerts that are open or acknowledged.", float64(open)},
		}, s.lines.all())
	})
}
