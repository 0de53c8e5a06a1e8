package run

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"assay/child"
	"assay/intake"
	"assay/plan"
	"assay/spec"
	"assay/target"
	"assay/workload/token"
)

// A connection is the target as a plan describes it, with its secrets revealed.
// It never enters a bundle.
type connection struct {
	client  target.Config
	dialect target.Dialect
	server  *target.ServerConfig // nil when the target is already there
	metrics []string             // where the target may publish its own counters
	secrets []string             // every confidential value, for the redactor
}

// connect reveals what the plan's target needs. lookup is as os.LookupEnv.
func connect(p plan.Plan, lookup func(string) (string, bool)) (connection, error) {
	t := p.Target()
	dialect, err := target.Find(t.API)
	if err != nil {
		return connection{}, err
	}
	c := connection{dialect: dialect, secrets: spec.Secrets(p.Run)}
	r := &revealer{lookup: lookup}
	c.client = target.Config{
		URLs:        urls(t),
		Header:      r.header(t),
		Query:       r.query(t),
		Ask:         ask(p.Decided()),
		Timeout:     t.Timeout.Std(),
		Idle:        t.IdleTimeout.Std(),
		AnswerLimit: int64(t.AnswerLimit),
		Connections: mostConnections(p),
		KeepText:    keepText(p.Decided()) || liveHistory(p),
		Reader:      t.Reader,
		Readers:     p.Load().Readers,
		HTTP2:       t.HTTP2,
	}
	if spec.AnswersText(p.Workload().Prompt.Task) {
		c.client.CountText = token.Default().Count
	}
	if t.Proxy != "" {
		if c.client.Proxy, err = target.ParseProxy(t.Proxy); err != nil {
			return connection{}, err
		}
	}
	c.metrics = r.metrics(t)
	if err := c.cloud(t.Auth.Kind, lookup); err != nil {
		return connection{}, err
	}
	if c.client.TLS, err = tlsConfig(t.TLS); err != nil {
		return connection{}, err
	}
	switch {
	case t.Server != nil && t.API == spec.APICommand:
		c.client.Program = r.server(t)
	case t.Server != nil:
		c.server = r.server(t)
		c.server.TLS = c.client.TLS
	}
	c.secrets = append(c.secrets, r.revealed...)
	return c, r.err
}

// cloud adds the credentials of a cloud, for the kinds that name one. Headers
// that the user set stay.
func (c *connection) cloud(kind string, lookup func(string) (string, bool)) error {
	if !slices.ContainsFunc(target.Clouds, func(c target.Cloud) bool { return c.Name == kind }) {
		return nil
	}
	found, err := target.FindCredentials(kind, target.Host{Lookup: lookup, ReadFile: readSecret, Now: time.Now})
	if err != nil {
		return fmt.Errorf("target.auth: %w", err)
	}
	for name, values := range found.Header {
		if c.client.Header.Get(name) == "" {
			c.client.Header[name] = values
		}
	}
	c.client.Sign = found.Sign
	c.secrets = append(c.secrets, found.Secrets...)
	return nil
}

// A revealer resolves secrets and remembers them; the first error sticks.
type revealer struct {
	lookup   func(string) (string, bool)
	revealed []string
	err      error
}

func (r *revealer) reveal(what string, s spec.Secret) string {
	value, err := s.Reveal(r.lookup, readSecret)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", what, err)
	}
	if !s.IsLiteral() {
		r.revealed = append(r.revealed, value)
	}
	return value
}

func (r *revealer) header(t *spec.Target) http.Header {
	header := http.Header{}
	for name, value := range t.Headers {
		header.Set(name, r.reveal("target.headers."+name, value))
	}
	secret := spec.Secret{Env: t.Auth.Env, File: t.Auth.File}
	switch t.Auth.Kind {
	case spec.AuthBearer:
		header.Set("Authorization", "Bearer "+r.reveal("target.auth", secret))
	case spec.AuthHeader:
		header.Set(t.Auth.Header, r.reveal("target.auth", secret))
	}
	return header
}

func (r *revealer) query(t *spec.Target) url.Values {
	query := url.Values{}
	for name, value := range t.Query {
		query.Set(name, r.reveal("target.query."+name, value))
	}
	return query
}

func (r *revealer) server(t *spec.Target) *target.ServerConfig {
	s := t.Server
	cfg := &target.ServerConfig{
		Command: s.Command, Dir: s.Dir,
		ReadyTimeout: s.Ready.Timeout.Std(), ReadyInterval: s.Ready.Interval.Std(), StopTimeout: s.StopTimeout.Std(),
	}
	cpus, node, err := s.Pin.At(0)
	if err == nil {
		cfg.Place, err = child.At(cpus, node, spec.CPUList)
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("target.server.pin: %w", err)
	}
	if t.API != spec.APICommand {
		cfg.ReadyURL = r.below(urls(t)[0], s.Ready.Path)
	}
	for name, value := range s.Env {
		cfg.Env = append(cfg.Env, name+"="+r.reveal("target.server.env."+name, value))
	}
	slices.Sort(cfg.Env)
	return cfg
}

// below is the address of path at the target.
func (r *revealer) below(raw, path string) string {
	u, err := target.Below(raw, path)
	if err != nil {
		if r.err == nil {
			r.err = err
		}
		return ""
	}
	return u.String()
}

func urls(t *spec.Target) []string {
	switch {
	case len(t.URLs) > 0:
		return t.URLs
	case t.API == spec.APICommand:
		return nil
	}
	return []string{t.URL}
}

// reached is where the first connections go.
func (c connection) reached() []string {
	if c.client.Proxy != nil {
		return []string{c.client.Proxy.String()}
	}
	return c.client.URLs
}

// proxy is what a transport beside the client's needs to go the same way.
func (c connection) proxy() func(*http.Request) (*url.URL, error) {
	if c.client.Proxy == nil {
		return nil
	}
	return http.ProxyURL(c.client.Proxy)
}

func ask(s spec.RunSpec) target.Ask {
	temperature := s.Load.Temperature
	return target.Ask{
		Model:       s.Target.Model,
		Stream:      s.Load.Stream == nil || *s.Load.Stream,
		Temperature: &temperature,
		IgnoreEOS:   s.Load.IgnoreEOS,
		ExtraBody:   s.Target.ExtraBody,
		Omit:        s.Target.OmitBody,
	}
}

// mostConnections is the largest number of requests in flight at any point.
func mostConnections(p plan.Plan) int {
	most := 1
	for _, point := range p.Points {
		most = max(most, point.Concurrency, point.MaxInFlight)
	}
	return most
}

const (
	mostSecret       = 1 << 20 // of files with keys, tokens and credentials
	mostCertificates = 16 << 20
)

// readSecret reads a file that the spec or the cloud's own configuration names.
func readSecret(path string) ([]byte, error) { return intake.ReadFile(path, mostSecret) }

func tlsConfig(t spec.TLS) (*tls.Config, error) {
	cfg := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify}
	if t.CAFile != "" {
		pem, err := intake.ReadFile(t.CAFile, mostCertificates)
		if err != nil {
			return nil, fmt.Errorf("target.tls.caFile: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("target.tls.caFile %s holds no certificate in PEM form", t.CAFile)
		}
	}
	if t.CertFile != "" {
		pair, err := keyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("target.tls.certFile: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

func keyPair(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := intake.ReadFile(certFile, mostCertificates)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := readSecret(keyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}
