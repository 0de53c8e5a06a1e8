package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"assay/bundle/parcel"
	"assay/intake"
	"assay/judge"
	"assay/warehouse"
)

// uploads are bundles on their way. Each is a folder with what was promised and what came
// of it; nothing of it is in the warehouse before it is whole and verified.
type uploads struct {
	dir  string
	most int64
	now  func() time.Time

	mu   sync.Mutex
	busy map[string]chan struct{} // those that somebody is adding to; closed when that is over
}

const (
	promiseFile = "promise.json"
	dataFile    = "data"
	unpackedDir = "bundle"

	mostUploads   = 64               // that are open at once
	uploadTime    = 24 * time.Hour   // after which one that nobody finished is dropped
	mostChunk     = 64 << 20         // of one request
	slowestUpload = 64 << 10         // bytes in a second
	patience      = 30 * time.Second // beyond that
	longestFinish = 10 * time.Minute // that verifying and keeping a bundle may take
)

// A promise is what an upload will be.
type promise struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the parcel, in hexadecimal
}

// An upload is how far one is.
type upload struct {
	ID     string `json:"id"`
	Offset int64  `json:"offset"` // of the first byte that is missing
	Bytes  int64  `json:"bytes"`
}

var (
	digestText = regexp.MustCompile(`^[0-9a-f]{64}$`)
	uploadName = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// uploadID names the upload of a parcel by a token.
func uploadID(token, digest string) string {
	sum := sha256.Sum256([]byte(token + " " + digest))
	return hex.EncodeToString(sum[:16])
}

// begin opens an upload, or finds the one that the same token began for the same parcel.
func (u *uploads) begin(token string, p promise) (upload, error) {
	switch {
	case !digestText.MatchString(p.SHA256):
		return upload{}, refuse(http.StatusBadRequest, "sha256: want 64 hexadecimal digits")
	case p.Bytes <= 0:
		return upload{}, refuse(http.StatusBadRequest, "bytes %d: want the size of the parcel", p.Bytes)
	case p.Bytes > u.most:
		return upload{}, refuse(http.StatusRequestEntityTooLarge, "the parcel has %d bytes, and at most %d are taken (assay serve --max-upload)", p.Bytes, u.most)
	}
	id := uploadID(token, p.SHA256)
	u.mu.Lock()
	defer u.mu.Unlock()
	if one, err := u.state(id); err == nil {
		if one.Bytes != p.Bytes {
			return one, refuse(http.StatusConflict, "an upload of this digest was begun with %d bytes", one.Bytes)
		}
		return one, nil
	}
	open, err := os.ReadDir(u.dir)
	if err != nil {
		return upload{}, err
	}
	if len(open) >= mostUploads {
		return upload{}, refuse(http.StatusServiceUnavailable, "%d uploads are under way, which is as many as there may be: try again in a while", len(open))
	}
	data, err := json.Marshal(p)
	if err != nil {
		return upload{}, err
	}
	// Made beside its place and renamed: an upload that has a name is whole.
	part, err := os.MkdirTemp(u.dir, ".new-")
	if err != nil {
		return upload{}, err
	}
	err = errors.Join(os.WriteFile(filepath.Join(part, promiseFile), data, 0o600), os.WriteFile(filepath.Join(part, dataFile), nil, 0o600))
	if err == nil {
		err = os.Rename(part, filepath.Join(u.dir, id))
	}
	if err != nil {
		return upload{}, errors.Join(err, os.RemoveAll(part))
	}
	return upload{ID: id, Bytes: p.Bytes}, nil
}

// errNoUpload says that there is no such upload.
var errNoUpload = &fault{http.StatusNotFound, errors.New("there is no such upload: it was finished, it is older than a day, or another token began it")}

func (u *uploads) state(id string) (upload, error) {
	p, err := u.promised(id)
	if err != nil {
		return upload{}, err
	}
	info, err := os.Stat(filepath.Join(u.dir, id, dataFile))
	if err != nil {
		return upload{}, err
	}
	return upload{ID: id, Offset: info.Size(), Bytes: p.Bytes}, nil
}

func (u *uploads) promised(id string) (p promise, err error) {
	if !uploadName.MatchString(id) {
		return p, errNoUpload
	}
	data, err := intake.ReadFile(filepath.Join(u.dir, id, promiseFile), 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return p, errNoUpload
	}
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(data, &p)
}

// own refuses an upload that another token began, as if there were none: its id alone
// lets nobody read, spoil or finish it.
func (u *uploads) own(token, id string) error {
	p, err := u.promised(id)
	if err == nil && uploadID(token, p.SHA256) != id {
		return errNoUpload
	}
	return err
}

// hold keeps others from adding to an upload meanwhile.
func (u *uploads) hold(id string) (release func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.busy[id] != nil {
		return nil, errAdding
	}
	if u.busy == nil {
		u.busy = map[string]chan struct{}{}
	}
	over := make(chan struct{})
	u.busy[id] = over
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.busy, id)
		close(over)
	}, nil
}

// errAdding says that an upload is another's for the moment.
var errAdding = &fault{http.StatusConflict, errors.New("somebody is adding to this upload")}

// holdNext is hold, once others are done: whoever pushes what another pushes waits for that.
// What they did may have been the end of the upload.
func (u *uploads) holdNext(ctx context.Context, id string) (release func(), err error) {
	for {
		if release, err = u.hold(id); err == nil {
			return release, nil
		}
		u.mu.Lock()
		over := u.busy[id]
		u.mu.Unlock()
		if over == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-over:
		}
	}
}

// add appends what r holds at an offset. What came is kept, also where the connection broke
// off: whoever sends asks how far it got.
func (u *uploads) add(id string, offset int64, r io.Reader) (upload, error) {
	one, err := u.state(id)
	if err != nil {
		return one, err
	}
	if offset != one.Offset {
		return one, refuse(http.StatusConflict, "Upload-Offset %d: want %d", offset, one.Offset)
	}
	f, err := os.OpenFile(filepath.Join(u.dir, id, dataFile), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return one, err
	}
	n, copied := io.Copy(f, io.LimitReader(r, one.Bytes-offset))
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return one, err
	}
	one.Offset += n
	if copied != nil {
		return one, bodyFault(copied)
	}
	if more, _ := io.CopyN(io.Discard, r, 1); more > 0 {
		return one, refuse(http.StatusRequestEntityTooLarge, "more was sent than the %d bytes that were promised", one.Bytes)
	}
	return one, nil
}

// unpack checks that an upload is what was promised, and unpacks it.
func (u *uploads) unpack(id string) (dir string, err error) {
	p, err := u.promised(id)
	if err != nil {
		return "", err
	}
	f, err := intake.Open(filepath.Join(u.dir, id, dataFile))
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing is written
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return "", err
	}
	if n != p.Bytes {
		return "", refuse(http.StatusConflict, "%d of %d bytes are here: send the rest first", n, p.Bytes)
	}
	if hex.EncodeToString(sum.Sum(nil)) != p.SHA256 {
		return "", errors.Join(refuse(http.StatusUnprocessableEntity, "what was sent has another digest than was promised: begin again"), u.drop(id))
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	dir = filepath.Join(u.dir, id, unpackedDir)
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return "", err
	}
	return dir, parcel.Unpack(f, dir)
}

func (u *uploads) drop(id string) error { return os.RemoveAll(filepath.Join(u.dir, id)) }

// sweep drops uploads that nobody finished.
func (u *uploads) sweep() {
	entries, err := os.ReadDir(u.dir)
	if err != nil {
		return // there is nothing to sweep, or the next request says why
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(u.dir, e.Name(), dataFile))
		if err == nil && u.now().Sub(info.ModTime()) < uploadTime {
			continue
		}
		if release, err := u.hold(e.Name()); err == nil {
			os.RemoveAll(filepath.Join(u.dir, e.Name())) // what stays is tried again in an hour
			release()
		}
	}
}

func (s *Server) beginUpload(c *Call) error {
	var p promise
	if err := c.take(&p); err != nil {
		return err
	}
	one, err := s.uploads.begin(c.Token.ID, p)
	if err != nil {
		return err
	}
	return c.give(http.StatusCreated, one)
}

func (s *Server) showUpload(c *Call) error {
	id := c.R.PathValue("id")
	if err := s.uploads.own(c.Token.ID, id); err != nil {
		return err
	}
	one, err := s.uploads.state(id)
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, one)
}

func (s *Server) addUpload(c *Call) error {
	id := c.R.PathValue("id")
	if err := s.uploads.own(c.Token.ID, id); err != nil {
		return err
	}
	offset, err := strconv.ParseInt(c.R.Header.Get("Upload-Offset"), 10, 64)
	if err != nil {
		return refuse(http.StatusBadRequest, "Upload-Offset %q: want where the bytes begin", shortened(c.R.Header.Get("Upload-Offset")))
	}
	if c.R.ContentLength < 0 {
		return refuse(http.StatusLengthRequired, "want a Content-Length")
	}
	// Once another is done, its offset is behind what is sent here: whoever sends learns how
	// far it got.
	ctx, stop := context.WithTimeout(c.context(), patience/2)
	defer stop()
	release, err := s.uploads.holdNext(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	// Slow senders have time in proportion to what they send, and no more.
	allowed := patience + time.Duration(c.R.ContentLength/slowestUpload)*time.Second
	control := http.NewResponseController(c.W)
	if err := errors.Join(control.SetReadDeadline(time.Now().Add(allowed)), control.SetWriteDeadline(time.Now().Add(allowed+patience))); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	one, err := s.uploads.add(id, offset, c.R.Body)
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, one)
}

func (s *Server) dropUpload(c *Call) error {
	id := c.R.PathValue("id")
	if err := s.uploads.own(c.Token.ID, id); err != nil {
		return err
	}
	release, err := s.uploads.hold(id)
	if err != nil {
		return err
	}
	defer release()
	if err := s.uploads.drop(id); err != nil {
		return err
	}
	c.W.WriteHeader(http.StatusNoContent)
	return nil
}

// finishUpload verifies a bundle and keeps it. It counts once this answers.
func (s *Server) finishUpload(c *Call) error {
	if err := http.NewResponseController(c.W).SetWriteDeadline(time.Now().Add(longestFinish + patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	ctx, stop := context.WithTimeout(c.context(), longestFinish/2) // that of another, which is the same work
	defer stop()
	id := c.R.PathValue("id")
	if err := s.uploads.own(c.Token.ID, id); err != nil {
		return err
	}
	release, err := s.uploads.holdNext(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	if err := s.enter(c, &s.lines.keeping); err != nil {
		return err
	}
	dir, err := s.uploads.unpack(id)
	if err != nil {
		return err
	}
	kept, err := s.keep(c.context(), dir)
	if statusOf(err) == http.StatusUnprocessableEntity {
		// It will never verify: what is left of it helps nobody.
		return errors.Join(err, s.uploads.drop(id))
	}
	if err != nil {
		return err
	}
	if err := s.uploads.drop(id); err != nil {
		s.o.Log.Error("remove a finished upload", "error", err)
	}
	return c.give(http.StatusOK, keptAnswer{RunID: kept.RunID, Digest: kept.Digest, Status: string(kept.Status), New: kept.New})
}

// keep verifies a bundle, judges it again and adds it to the warehouse.
func (s *Server) keep(ctx context.Context, dir string) (kept warehouse.Kept, err error) {
	o := s.o.Judge
	o.Derive, o.Unverified = true, false
	j, err := judge.Open(dir, o)
	if err != nil {
		return kept, &fault{http.StatusUnprocessableEntity, fmt.Errorf("the bundle is not kept: %w", err)}
	}
	err = s.write(ctx, func(w *warehouse.Warehouse) (err error) {
		kept, err = w.Keep(ctx, j, s.o.Now())
		return err
	})
	if err == nil {
		s.changed()
	}
	return kept, err
}

// A keptAnswer says what became of a bundle, without where it lies.
type keptAnswer struct {
	RunID  string `json:"runID"`
	Digest string `json:"digest"`
	Status string `json:"status"`
	New    bool   `json:"new"`
}
