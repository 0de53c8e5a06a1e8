package run

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"assay/record"
	"assay/visible"
)

// reachTimeout bounds the look at one address before the run.
const reachTimeout = 10 * time.Second

// reachable fails early, with advice, when nothing can be asked at a target:
// nobody listens, its name cannot be found, or its certificate is not trusted.
func reachable(ctx context.Context, c connection) error {
	for _, raw := range c.reached() {
		u, err := url.Parse(raw)
		if err != nil {
			return fmt.Errorf("target.url: %w", err)
		}
		secured := u.Scheme == "https" && c.client.Proxy == nil // what is behind a proxy is not looked at
		if err := reach(ctx, u, secured, c.client.TLS); err != nil {
			return fmt.Errorf("nothing answers at %s: %w; %s", u.Redacted(), err, reachAdvice(err))
		}
	}
	return nil
}

// reach opens a connection as requests will, and closes it again.
func reach(ctx context.Context, u *url.URL, secured bool, with *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme])
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return err
	}
	defer conn.Close()
	if !secured {
		return nil
	}
	cfg := &tls.Config{}
	if with != nil {
		cfg = with.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName = u.Hostname()
	}
	return tls.Client(conn, cfg).HandshakeContext(ctx)
}

// reachAdvice says what to do about a target that cannot be reached.
func reachAdvice(err error) string {
	var name *net.DNSError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var mismatch x509.HostnameError
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &name):
		return "correct the host in target.url, or this machine's name resolution"
	case errors.As(err, &unknown):
		return "set target.tls.caFile to the certificate of the authority that signed the server's"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "renew the server's certificate, or set this machine's clock right"
	case errors.As(err, &mismatch):
		return "use a name of the certificate in target.url, or set target.tls.serverName to one"
	case errors.As(err, &header):
		return "the server does not speak TLS: use http:// in target.url"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "start the server, correct target.url, or let assay start it with target.server"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "the server or a firewall takes connections and does not answer: look at the server"
	}
	return "start the server, correct target.url or target.tls, or let assay start it with target.server"
}

// tellFailure records the first request of a point that ended in each way that
// counts against the system, so that a reader need not search for it.
func (l *activeLaunch) tellFailure(r record.Request) error {
	if l.at.outcomes[r.Result] > 1 {
		return nil
	}
	text := fmt.Sprintf("request %d: %s", r.ID, r.Result)
	if r.Status != 0 {
		text += fmt.Sprintf(" with status %d", r.Status)
	}
	if r.Error != "" {
		text += ": " + r.Error
	}
	if l.firstFailure == "" {
		l.firstFailure = fmt.Sprintf("the first was %s; %s", visible.Line(text), failureAdvice(r))
	}
	l.live.Tell(text)
	row := record.Event{At: r.Done, Name: record.RequestFailed, Point: r.Point, Detail: text}
	if err := l.to.event(row); err != nil {
		return fmt.Errorf("record event %s: %w", row.Name, err)
	}
	return nil
}

// tooLong reports whether a server says that a request has more tokens than it takes,
// in the words of vLLM, SGLang, llama.cpp and OpenAI.
func tooLong(said string) bool {
	said = strings.ToLower(said)
	return slices.ContainsFunc([]string{"context length", "context size", "context window", "max_model_len", "maximum context", "context_length_exceeded"}, func(words string) bool {
		return strings.Contains(said, words)
	})
}

// failureAdvice says what to do about a system that fails every request.
func failureAdvice(r record.Request) string {
	switch {
	case r.Result == record.Connect:
		return "see that the server runs and can be reached"
	case r.Status == 401 || r.Status == 403:
		return "give credentials with target.auth or target.headers"
	case r.Status == 404:
		return "see that target.url, target.api and target.model are what the server has"
	case r.Status == 429:
		return "the server limits requests: lower load.concurrency or load.rate, or ask for a higher limit"
	case (r.Status == 400 || r.Status == 413 || r.Status == 422) && tooLong(r.Error):
		return "prompts and answers are longer than the server's context: ask less (--input-tokens, --output-tokens or workload.sequenceLengthMix), or start the server with a longer one"
	case r.Status == 400 || r.Status == 422:
		return "the server does not understand the request: see target.api and target.extraBody, and leave out what it refuses with target.omitBody"
	case r.Result == record.Timeout || r.Result == record.IdleTime:
		return "the server does not answer in time: look at it, or raise target.timeout or target.idleTimeout"
	case r.Result == record.TooLarge:
		return "the server answers more than assay takes: look at what it sends, or raise target.answerLimit"
	case r.Result == record.Dropped:
		return "raise load.maxInFlight or lower load.rate"
	}
	return "look at the server's log"
}
