package scorer

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"assay/spec"
)

// A web is an address that is posted batches.
type web struct {
	post  poster
	names []string
}

var _ Scorer = web{}

func openWeb(s spec.Scorer, env Environment) (Scorer, error) {
	post, err := newPoster(s, s.URL, env)
	return web{post, s.Scores}, err
}

// Score posts the batch. An address that does not answer in order is not asked again.
func (w web) Score(ctx context.Context, batch []Item) ([]Result, error) {
	text, err := w.post.send(ctx, wireBatch{batch})
	if err != nil {
		return nil, err
	}
	reply, err := decode(text)
	if err != nil {
		return nil, err
	}
	return match(batch, reply, w.names)
}

func (w web) Close() error {
	w.post.client.CloseIdleConnections()
	return nil
}

// A poster sends JSON to one address.
type poster struct {
	client  *http.Client
	address string
	headers http.Header
	timeout time.Duration
}

// newPoster reads the credentials and certificates of s. Redirects are not followed: the
// headers hold secrets that are meant for this address alone.
func newPoster(s spec.Scorer, address string, env Environment) (poster, error) {
	p := poster{address: address, headers: http.Header{"Content-Type": {"application/json"}}, timeout: time.Duration(s.Timeout)}
	for name, secret := range s.Headers {
		value, err := env.reveal(secret)
		if err != nil {
			return p, fmt.Errorf("scorer %s: header %s: %w", s.Name, name, err)
		}
		p.headers.Set(name, value)
	}
	secured, err := tlsConfig(s.TLS)
	if err != nil {
		return p, fmt.Errorf("scorer %s: %w", s.Name, err)
	}
	p.client = &http.Client{
		Transport:     &http.Transport{TLSClientConfig: secured, MaxIdleConnsPerHost: s.Batch},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return p, nil
}

// tlsConfig reads the files that t names.
func tlsConfig(t spec.TLS) (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: t.InsecureSkipVerify, ServerName: t.ServerName}
	if t.CAFile != "" {
		text, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("tls.caFile: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("tls.caFile %s: want certificates as PEM", t.CAFile)
		}
	}
	if t.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("tls.certFile: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// send posts body and returns what came back.
func (p poster) send(ctx context.Context, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("no reply within %s", p.timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header = p.headers.Clone()
	response, err := p.client.Do(request)
	if err != nil {
		return nil, causeOf(ctx, err)
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(response.Body, longestReply+1))
	switch {
	case err != nil:
		return nil, causeOf(ctx, err)
	case len(reply) > longestReply:
		return nil, fmt.Errorf("its reply is longer than %d MiB", longestReply>>20)
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("it answered %s: %s", response.Status, short(string(reply)))
	}
	return reply, nil
}

// causeOf says that time ran out, where that is what happened.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}
