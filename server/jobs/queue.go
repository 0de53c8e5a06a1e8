package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/live"
	"assay/plan"
	"assay/spec"
)

// Options say how jobs are carried out.
type Options struct {
	Dir    string   // where jobs are kept
	Binary string   // of assay
	Env    []string // of its processes, as os.Environ; secrets only as far as Bounds name them

	Bounds Bounds
	AtOnce int           // how many run at the same time; they disturb each other
	Time   time.Duration // the longest run
	Bytes  int64         // the largest bundle

	// Keep verifies a bundle and adds it to the warehouse.
	Keep func(ctx context.Context, dir string) (runID, digest string, err error)

	// May says whether a token still allows a run when its turn comes: it may have been
	// revoked while the run waited. Nil means that it does.
	May func(token string) error

	// Over is called for every job that is over, with the token that it was asked for with. It must
	// not call the queue. Nil means that nobody wants to know.
	Over func(j Job, token string)

	Log *slog.Logger
	Now func() time.Time
}

// How many jobs there may be. The oldest that are over are forgotten: their bundles are
// in the warehouse.
const (
	mostWaiting  = 32
	mostPerToken = 8
	mostKept     = 500
)

// The ways in which a job is refused.
var (
	ErrRefused = errors.New("the run is not carried out here")
	ErrFull    = errors.New("too many runs are waiting: ask again when some have ended")
	ErrUnknown = errors.New("there is no such run that was asked for")
	ErrOther   = errors.New("another token asked for this run: its owner, or an admin, can end it")
	ErrOver    = errors.New("the run is over")
)

// A Queue is the jobs of a server.
type Queue struct {
	o Options

	mu      sync.Mutex
	jobs    map[string]*job
	waiting []string
	more    chan struct{} // holds one: somebody waits
}

// A job with what is known of it while it runs.
type job struct {
	kept
	moment  *live.Moment
	changed chan struct{} // closed when something is new
	run     context.Context
	end     context.CancelCauseFunc
}

// errCancelled ends a run that nobody wants any more.
var errCancelled = errors.New("cancelled")

// Open reads the jobs of a folder, which it makes where there is none.
func Open(o Options) (*Queue, error) {
	q := &Queue{o: o, jobs: map[string]*job{}, more: make(chan struct{}, 1)}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(o.Dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !jobName.MatchString(e.Name()) {
			continue
		}
		k, err := load(filepath.Join(o.Dir, e.Name()))
		if err != nil {
			// It was killed before the job had been accepted, or the disk is at fault.
			o.Log.Error("a run that was asked for cannot be read", "id", e.Name(), "error", err)
			continue
		}
		k.ID = e.Name()
		q.jobs[k.ID] = &job{kept: k, changed: make(chan struct{})}
	}
	for _, j := range q.sorted() {
		if j.State == Queued {
			q.waiting = append(q.waiting, j.ID)
			q.wake()
		}
	}
	return q, nil
}

func (q *Queue) place(id string) string { return filepath.Join(q.o.Dir, id) }

// sorted are all jobs, the oldest first.
func (q *Queue) sorted() []*job {
	var list []*job
	for _, j := range q.jobs {
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b *job) int {
		return cmp.Or(a.Asked.Compare(b.Asked), strings.Compare(a.ID, b.ID))
	})
	return list
}

func (q *Queue) wake() {
	select {
	case q.more <- struct{}{}:
	default: // it is said already
	}
}

// Check reads a document and says why it would not be carried out.
func (q *Queue) Check(source []byte, launcher string) (spec.Run, error) {
	if len(q.o.Bounds.Launchers) == 0 {
		return spec.Run{}, fmt.Errorf("%w: assay serve --runs local, or slurm, allows it", ErrRefused)
	}
	if !slices.Contains(q.o.Bounds.Launchers, launcher) {
		hint := "assay serve --runs names what is"
		if launcher == "kubernetes" {
			hint = "apply the document with kubectl, and assay operator carries it out"
		}
		return spec.Run{}, fmt.Errorf("%w: launcher %q is not allowed (%s): %s", ErrRefused, launcher, strings.Join(q.o.Bounds.Launchers, ", "), hint)
	}
	document, faults := spec.Parse("the document", source)
	if !spec.Valid(faults) {
		var all []error
		for _, f := range faults {
			all = append(all, f)
		}
		return spec.Run{}, fmt.Errorf("%w: it is not valid:\n%w", ErrRefused, errors.Join(all...))
	}
	if document.Run == nil {
		return spec.Run{}, fmt.Errorf("%w: it is a %s, want a BenchmarkRun", ErrRefused, document.Kind)
	}
	if err := q.o.Bounds.Check(*document.Run); err != nil {
		return spec.Run{}, fmt.Errorf("%w:\n%w", ErrRefused, err)
	}
	if _, err := plan.New(*document.Run); err != nil {
		return spec.Run{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return *document.Run, nil
}

// Ask takes a document into the queue. It is carried out also by a server that is started
// again, once Ask has returned.
func (q *Queue) Ask(token, by string, source []byte, launcher string) (Job, error) {
	run, err := q.Check(source, launcher)
	if err != nil {
		return Job{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	own := 0
	for _, id := range q.waiting {
		if q.jobs[id].Token == token {
			own++
		}
	}
	if len(q.waiting) >= mostWaiting || own >= mostPerToken {
		return Job{}, ErrFull
	}
	var bits [8]byte
	rand.Read(bits[:]) // it never fails
	k := kept{Token: token, Job: Job{ID: "job-" + hex.EncodeToString(bits[:]), Name: run.Metadata.Name, By: by, Launcher: launcher, State: Queued, Asked: q.o.Now().UTC()}}
	dir := q.place(k.ID)
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, documentFile), source, 0o600)
	}
	if err == nil {
		err = save(dir, k)
	}
	if err != nil {
		return Job{}, errors.Join(err, os.RemoveAll(dir))
	}
	q.jobs[k.ID] = &job{kept: k, changed: make(chan struct{})}
	q.waiting = append(q.waiting, k.ID)
	q.forget()
	q.wake()
	return k.Job, nil
}

// forget drops the oldest jobs that are over.
func (q *Queue) forget() {
	list := q.sorted()
	for _, j := range list {
		if len(q.jobs) <= mostKept {
			return
		}
		if !j.State.Over() {
			continue
		}
		delete(q.jobs, j.ID)
		if err := os.RemoveAll(q.place(j.ID)); err != nil {
			q.o.Log.Error("forget a run that is over", "id", j.ID, "error", err)
		}
	}
}

// Cancel ends a job that waits or runs.
func (q *Queue) Cancel(id, token string, admin bool) (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	switch {
	case j == nil:
		return Job{}, ErrUnknown
	case j.Token != token && !admin:
		return Job{}, ErrOther
	case j.State.Over():
		return Job{}, ErrOver
	case j.State == Queued:
		q.waiting = slices.DeleteFunc(q.waiting, func(w string) bool { return w == id })
		return q.set(j, Cancelled, "before it began"), nil
	}
	if j.end != nil {
		j.end(errCancelled)
	}
	return j.Job, nil
}

// set gives a job another state and writes it down; the caller holds the lock. What cannot
// be written is not lost: the server knows it, and the next one finds what was before.
func (q *Queue) set(j *job, s State, why string) Job {
	now := q.o.Now().UTC()
	j.State, j.Why = s, why
	switch {
	case s == Running:
		j.Began = &now
	case s.Over():
		j.Ended, j.end = &now, nil
	}
	if err := save(q.place(j.ID), j.kept); err != nil {
		q.o.Log.Error("write down a run that was asked for", "id", j.ID, "error", err)
	}
	if s.Over() {
		// The document may hold what is nobody's business; the bundle has what it needs.
		if err := os.RemoveAll(filepath.Join(q.place(j.ID), documentFile)); err != nil {
			q.o.Log.Error("remove a document", "id", j.ID, "error", err)
		}
	}
	if s.Over() && q.o.Over != nil {
		q.o.Over(j.Job, j.Token)
	}
	j.tell()
	return j.Job
}

// tell says that something is new.
func (j *job) tell() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// List is every job, the newest first.
func (q *Queue) List() []Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := []Job{}
	for _, j := range slices.Backward(q.sorted()) {
		list = append(list, j.Job)
	}
	return list
}

// Look is a job as it is now, what was last seen of its run, and a channel that is closed
// when something is new.
func (q *Queue) Look(id string) (Job, *live.Moment, <-chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil {
		return Job{}, nil, nil, ErrUnknown
	}
	return j.Job, j.moment, j.changed, nil
}
