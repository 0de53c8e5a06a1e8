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

// A refusal is an answer of the server that another try would not change.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("the server refused: %s (%d)", r.text, r.status) }

// Push brings the bundle in dir, whose manifest has the digest, to the server.
func (c *Client) Push(ctx context.Context, dir, digest string) (kept Kept, err error) {
	err = c.retried(ctx, func() error {
		return c.ask(ctx, "GET", "/api/v1/runs/"+strings.TrimPrefix(digest, "sha256:"), nil, nil, &kept)
	})
	var no *refusal
	if err == nil || !errors.As(err, &no) || no.status != http.StatusNotFound {
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
	var at struct {
		ID     string `json:"id"`
		Offset int64  `json:"offset"`
	}
	err = c.retried(ctx, func() error {
		// Begun again, it says how far it got.
		if err := c.ask(ctx, "POST", "/api/v1/uploads", bytes.NewReader(promise), nil, &at); err != nil {
			return err
		}
		if err := c.send(ctx, dir, at.ID, at.Offset); err != nil {
			return err
		}
		return c.ask(ctx, "POST", "/api/v1/uploads/"+at.ID+"/finish", nil, nil, &kept)
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

// tries is how often something is tried before it is given up.
const tries = 6

// retried tries again what failed for a reason that passes: no connection, a server that is
// busy or that is being restarted.
func (c *Client) retried(ctx context.Context, f func() error) error {
	pause := c.Pause
	if pause == 0 {
		pause = time.Second
	}
	for n := 1; ; n++ {
		err := f()
		var no *refusal
		if err == nil || n == tries || errors.As(err, &no) && !passing(no.status) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(pause):
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
		return &refusal{answer.StatusCode, said.Error}
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(data, into)
}
