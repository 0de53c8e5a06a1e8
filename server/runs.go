package server

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/live"
	"assay/server/jobs"
	"assay/tokens"
	"assay/unit"
)

// openJobs opens the queue of runs. It holds its place among those who do something heavy
// while a bundle is judged, as uploads do.
func (s *Server) openJobs() (*jobs.Queue, error) {
	o := s.o.Jobs
	o.Dir, o.Log, o.Now, o.Bytes = filepath.Join(s.o.Dir, "jobs"), s.o.Log, s.o.Now, s.o.MostUpload
	if o.Time == 0 {
		o.Time = time.Hour
	}
	o.Keep = func(ctx context.Context, dir string) (string, string, error) {
		kept, err := s.keep(ctx, dir)
		return kept.RunID, kept.Digest, err
	}
	o.Over = s.jobOver
	o.May = func(token string) error {
		if s.o.SignIn.Knows(token) {
			return nil // it was allowed when it was asked for; what an issuer signs has ended since
		}
		t, err := s.o.Tokens.Current(token, s.o.Now())
		if err == nil {
			err = t.Allowed(tokens.Run)
		}
		return err
	}
	return jobs.Open(o)
}

// jobOver writes down what became of a run, beside who asked for it.
func (s *Server) jobOver(j jobs.Job, token string) {
	why := strings.TrimSpace(string(j.State) + " " + j.Digest + " " + j.Why)
	err := s.audit.write(auditLine{At: s.o.Now().UTC(), Token: token, Name: j.By, Method: "RUN", Path: "/api/v1/jobs/" + j.ID, Why: shortened(why)})
	if err != nil {
		s.o.Log.Error("write the audit log", "error", err)
	}
}

// A jobList is an answer with jobs.
type jobList struct {
	Jobs []jobs.Job `json:"jobs"`
}

// A jobNow is a job with what was last seen of its run.
type jobNow struct {
	jobs.Job
	Now *live.Moment `json:"now"` // null before anything was seen
}

// documentKinds are what a document may be sent as.
var documentKinds = []string{"application/json", "application/yaml", "application/x-yaml", "text/yaml"}

func (s *Server) askRun(c *Call) error {
	kind, _, err := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(documentKinds, kind) {
		return refuse(http.StatusUnsupportedMediaType, "Content-Type %q: want %s", shortened(c.R.Header.Get("Content-Type")), strings.Join(documentKinds, ", "))
	}
	source, err := io.ReadAll(c.R.Body)
	if err != nil {
		return bodyFault(err)
	}
	job, err := s.ask(c, source, c.param("launcher"))
	if err != nil {
		return err
	}
	c.W.Header().Set("Location", "/api/v1/jobs/"+job.ID)
	return c.give(http.StatusAccepted, job)
}

func (s *Server) ask(c *Call, source []byte, launcher string) (jobs.Job, error) {
	if launcher == "" {
		launcher = "local"
	}
	job, err := s.jobs.Ask(c.Token.ID, c.Token.Name, source, launcher)
	c.note = job.ID
	return job, err
}

func (s *Server) cancelRun(c *Call) error {
	job, err := s.cancel(c)
	if err != nil {
		return err
	}
	return c.give(http.StatusAccepted, job)
}

func (s *Server) cancel(c *Call) (jobs.Job, error) {
	return s.jobs.Cancel(c.R.PathValue("run"), c.Token.ID, c.Token.Scope.Covers(tokens.Admin))
}

func (s *Server) listJobs(c *Call) error { return c.give(http.StatusOK, jobList{s.jobs.List()}) }

func (s *Server) showJob(c *Call) error {
	job, now, _, err := s.jobs.Look(c.R.PathValue("run"))
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, jobNow{job, now})
}

// runEvents tells what happens to a job: what is new when it is, and nothing twice, so
// that a reader who falls behind misses moments and not the outcome.
func (s *Server) runEvents(c *Call) error {
	id := c.R.PathValue("run")
	if _, _, _, err := s.jobs.Look(id); err != nil {
		return err
	}
	out, err := begin(c, s.slowest)
	if err != nil {
		return nil // nobody listens any more
	}
	beat := time.NewTicker(s.heartbeat)
	defer beat.Stop()
	for {
		job, now, changed, err := s.jobs.Look(id)
		if err != nil {
			return nil // it was forgotten
		}
		kind := "state"
		if job.State.Over() {
			kind = "end"
		}
		if !out.send(kind, jobNow{job, now}) || kind == "end" {
			return nil
		}
		if !s.await(c, changed, beat.C, out) {
			return nil
		}
	}
}

// await waits until something is new. It ends with the request, and with the token.
func (s *Server) await(c *Call, changed <-chan struct{}, beat <-chan time.Time, out *stream) bool {
	for {
		select {
		case <-c.context().Done():
			return false
		case <-changed:
			return true
		case <-beat:
			if _, err := s.whoIs(c.R, c.route.Scope); err != nil || out.write(": alive\n\n") != nil {
				return false
			}
		}
	}
}

func (s *Server) jobsPage(c *Call) error { return s.showJobs(c, http.StatusOK, "", "") }

// showJobs lists jobs, with the document that was refused where one was.
func (s *Server) showJobs(c *Call, status int, document, problem string) error {
	return s.page(c, status, "jobs", struct {
		frame
		Jobs              []jobs.Job
		Launchers         []string
		May               bool
		Document, Problem string
	}{frameOf(c, "Runs that were asked for"), s.jobs.List(), s.o.Jobs.Bounds.Launchers, c.Token.Scope.Covers(tokens.Run), document, problem})
}

func (s *Server) jobForm(c *Call) error {
	if err := form(c); err != nil {
		return err
	}
	document := c.R.PostForm.Get("document")
	job, err := s.ask(c, []byte(document), c.R.PostForm.Get("launcher"))
	if code := statusOf(err); err != nil && code != http.StatusInternalServerError {
		return s.showJobs(c, code, document, err.Error())
	}
	if err != nil {
		return err
	}
	http.Redirect(c.W, c.R, "/jobs/"+job.ID, http.StatusSeeOther)
	return nil
}

func (s *Server) cancelForm(c *Call) error {
	if err := form(c); err != nil {
		return err
	}
	job, err := s.cancel(c)
	if err != nil {
		return err
	}
	http.Redirect(c.W, c.R, "/jobs/"+job.ID, http.StatusSeeOther)
	return nil
}

// A momentRow is a figure of a run that goes on; the script of the page fills in newer ones
// by its key.
type momentRow struct{ Key, Name, Value string }

func (s *Server) jobPage(c *Call) error {
	job, now, _, err := s.jobs.Look(c.R.PathValue("run"))
	if err != nil {
		return err
	}
	if now == nil {
		now = &live.Moment{}
	}
	return s.page(c, http.StatusOK, "job", struct {
		frame
		Job    jobs.Job
		Rows   []momentRow
		Share  float64
		Client string
		Cancel bool
	}{frameOf(c, "Run "+job.Name), job, momentRows(now), 100 * orZero(now.Share), now.Client, !job.State.Over() && c.Token.Scope.Covers(tokens.Run)})
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

func momentRows(m *live.Moment) []momentRow {
	shown := func(v *float64, u unit.Unit) string {
		if v == nil {
			return "–"
		}
		return unit.Format(*v, u)
	}
	return []momentRow{
		{"stage", "stage", m.Stage},
		{"launch", "launch", fmt.Sprintf("%d of %d", m.Launch, m.Launches)},
		{"point", "point", m.Point},
		{"left", "left", shown(m.Left, unit.Second)},
		{"requests", "requests", fmt.Sprint(m.Requests)},
		{"failed", "of them failed", fmt.Sprint(m.Failed)},
		{"inFlight", "in flight", fmt.Sprint(m.InFlight)},
		{"achieved", "answers", shown(m.Achieved, unit.RequestPerSecond)},
		{"tokens", "output tokens", shown(m.Tokens, unit.TokenPerSecond)},
		{"ttftP50", "TTFT p50", shown(m.TTFT, unit.Second)},
		{"ttftP99", "TTFT p99", shown(m.Tail, unit.Second)},
		{"e2eP50", "end to end p50", shown(m.E2E, unit.Second)},
	}
}
