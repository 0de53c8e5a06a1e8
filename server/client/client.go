// Package client brings bundles to an assay server: it asks whether the server has the
// bundle, sends what is missing, and goes on where a connection broke off.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"assay/bundle/parcel"
	"assay/intake"
	"assay/secret"
)

// chunk is how much is sent in one request: little enough that not much is sent twice.
const chunk = 8 << 20

// mostAnswer is the longest answer that is read.
const mostAnswer = 1 << 20

// A Client speaks to one server.
type Client struct {
	url   string
	token string
	http  *http.Client

	// Pause is how long to wait before trying again. Zero means a second, twice as long
	// each time.
	Pause time.Duration
}

// New checks the address. A token is not sent in the clear to another machine.
func New(address, token string) (*Client, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--to %q: %w", address, err)
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil:
		return nil, fmt.Errorf("--to %q: want the address of a server, such as https://bench.example.com", address)
	case u.Scheme == "http" && !secret.Loopback(u.Hostname()):
		return nil, fmt.Errorf("--to %q: want https, since the token would be readable on its way", address)
	case strings.TrimSpace(token) == "":
		return nil, errors.New("no token: set ASSAY_TOKEN, or name a file with --token-file (assay token new makes one)")
	}
	return &Client{
		url: strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, "/"), token: strings.TrimSpace(token),
		http: &http.Client{CheckRedirect: secret.SameHost, Timeout: 15 * time.Minute},
	}, nil
}

// Kept says what became of a bundle.
type Kept struct {
	RunID  string `json:"runID"`
	Digest string `json:"digest"`
	Status string `json:"status"`
	New    bool   `json:"new"` // false where the server had it
}

// A refusal is an answer of the server that is none of those that were hoped for.
type refusal struct {
	status int
	text   string
	after  time.Duration // when to ask again, where the server says so
}

func (r *refusal) Error() string { return fmt.Sprintf("the server refused: %s (%d)", r.text, r.status) }

func refusedWith(err error, status int) bool {
	var no *refusal
	return errors.As(err, &no) && no.status == status
}

// Push brings the bundle in dir, whose manifest has the digest, to the server. Where another
// client sends the same bundle at the same time, it waits for that one, and goes on where it
// broke off.
func (c *Client) Push(ctx context.Context, dir, digest string) (kept Kept, err error) {
	there := func() error {
		return c.ask(ctx, "GET", "/api/v1/runs/"+strings.TrimPrefix(digest, "sha256:"), nil, nil, &kept)
	}
	err = c.retried(ctx, func() (bool, error) { return false, there() })
	if !refusedWith(err, http.StatusNotFound) {
		return kept, err
	}
	size, sum, err := parcel.Measure(dir)
	if err != nil {
		return kept, err
	}
	promise, err := json.Marshal(map[string]any{"bytes": size, "sha256": sum})
	if err != nil {
		return kept, err
	}
	far := int64(-1) // how much of it the server had at the last try
	var last error
	err = c.retried(ctx, func() (moved bool, err error) {
		if last != nil { // meanwhile another may have brought it
			if err := there(); !refusedWith(err, http.StatusNotFound) {
				return false, err
			}
		}
		defer func() { last = err }()
		var at struct {
			ID     string `json:"id"`
			Offset int64  `json:"offset"`
		}
		// Begun again, it says how far it got.
		if err := c.ask(ctx, "POST", "/api/v1/uploads", bytes.NewReader(promise), nil, &at); err != nil {
			return false, err
		}
		moved, far = at.Offset > far, max(far, at.Offset)
		if moved && refusedWith(last, http.StatusConflict) {
			return true, last // another is sending: what both send comes once
		}
		if err = c.send(ctx, dir, at.ID, at.Offset); err == nil {
			err = c.ask(ctx, "POST", "/api/v1/uploads/"+at.ID+"/finish", nil, nil, &kept)
		}
		if refusedWith(err, http.StatusNotFound) {
			err = &refusal{status: http.StatusConflict, text: "another client finished this upload, or gave it up"}
		}
		return moved, err
	})
	return kept, err
}

// send sends the parcel of dir from an offset on.
func (c *Client) send(ctx context.Context, dir, id string, offset int64) error {
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := parcel.Pack(w, dir)
		w.CloseWithError(err)
		packed <- err
	}()
	err := c.chunks(ctx, r, id, offset)
	r.CloseWithError(errors.New("nobody reads on"))
	if packErr := <-packed; err == nil {
		err = packErr
	}
	return err
}

func (c *Client) chunks(ctx context.Context, r io.Reader, id string, offset int64) error {
	if _, err := io.CopyN(io.Discard, r, offset); err != nil {
		return err
	}
	buffer := make([]byte, chunk)
	for {
		n, err := io.ReadFull(r, buffer)
		if n == 0 && err == io.EOF {
			return nil
		}
		if err != nil && err != io.ErrUnexpectedEOF {
			return err
		}
		if err := c.ask(ctx, "PATCH", "/api/v1/uploads/"+id, bytes.NewReader(buffer[:n]), http.Header{"Upload-Offset": {fmt.Sprint(offset)}}, nil); err != nil {
			return err
		}
		offset += int64(n)
	}
}

// tries is how often something is tried without getting further before it is given up.
const tries = 6

// longestPause is how long a server may have somebody wait before the next try.
const longestPause = 30 * time.Second

// retried tries again what failed for a reason that passes: no connection, a server that is
// busy or that is being restarted, another client that sends the same. A try reports whether
// it found more done than the one before.
func (c *Client) retried(ctx context.Context, try func() (moved bool, err error)) error {
	first := c.Pause
	if first == 0 {
		first = time.Second
	}
	pause := first
	for n := 1; ; n++ {
		moved, err := try()
		if moved {
			n, pause = 1, first
		}
		var no *refusal
		refused := errors.As(err, &no)
		if err == nil || n == tries || refused && !passing(no.status) {
			return err
		}
		wait := pause
		if refused {
			wait = max(wait, min(no.after, longestPause))
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(wait):
			pause *= 2
		}
	}
}

// passing reports whether another try may be answered otherwise. A conflict is: the offset is
// asked for again.
func passing(status int) bool {
	return status == http.StatusConflict || status == http.StatusTooManyRequests || status >= 500
}

func (c *Client) ask(ctx context.Context, method, path string, body io.Reader, header http.Header, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if method == "POST" && body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // it was read, or nobody wants it
	data, err := intake.ReadAll("the answer of the server", answer.Body, mostAnswer)
	if answer.StatusCode >= 300 {
		var said struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(data, &said) != nil || said.Error == "" {
			said.Error = answer.Status
		}
		no := &refusal{status: answer.StatusCode, text: said.Error}
		if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 {
			no.after = time.Duration(min(seconds, 3600)) * time.Second
		}
		return no
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(data, into)
}
