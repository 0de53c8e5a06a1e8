package server

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/bundle"
	"assay/bundle/parcel"
	"assay/secret"
	"assay/server/jobs"
	"assay/server/signin"
	"assay/tokens"
	"assay/warehouse"
)

// policy tells browsers what pages may do: everything comes from here, nothing
// inline runs, nobody may frame it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler answers requests. From outside in: headers that hold for every answer, the
// limit on requests, the name that was asked for, where the request comes from, and then,
// for each route, who asks and what was sent.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.routes {
		mux.Handle(route.Method+" "+route.Path, s.one(route))
	}
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refused(w, r, Route{Kind: JSON}, tokens.Token{}, refuse(http.StatusForbidden, "the request comes from another site"))
	}))
	inner := crossOrigin.Handler(s.found(mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.headers(w.Header())
		switch {
		case !s.requests.allow(clientOf(r), 1, s.o.Now()):
			w.Header().Set("Retry-After", "1")
			s.refused(w, r, Route{Kind: JSON}, tokens.Token{}, refuse(http.StatusTooManyRequests, "too many requests: wait a second"))
		case !s.hostKnown(r.Host):
			s.refused(w, r, Route{Kind: JSON}, tokens.Token{}, refuse(http.StatusMisdirectedRequest, "host %q is not served here: start assay serve with --host for another name", shortened(r.Host)))
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// found answers for what the table does not have: with the mux's status, in our words, so
// that no text of a stranger's stands in the answer.
func (s *Server) found(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		var allowed []string
		for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "DELETE"} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "" {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			s.refused(w, r, Route{Kind: JSON}, tokens.Token{}, refuse(http.StatusNotFound, "there is nothing here"))
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.refused(w, r, Route{Kind: JSON}, tokens.Token{}, refuse(http.StatusMethodNotAllowed, "want %s", strings.Join(allowed, " or ")))
	})
}

func (s *Server) headers(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if s.o.Secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// hostKnown reports whether the server goes by a name: a page of another site that points
// its own name at this address is not served.
func (s *Server) hostKnown(hostport string) bool {
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return secret.Loopback(host) || slices.ContainsFunc(s.o.Hosts, func(known string) bool { return strings.EqualFold(known, host) })
}

// one answers for a route.
func (s *Server) one(route Route) http.Handler {
	label := route.Method + " " + route.Path
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s.counters.begin()
		c := &Call{R: r, route: route}
		defer c.place.give()
		seen := &status{ResponseWriter: w, code: http.StatusOK, place: &c.place}
		// A panic counts too, and goes on to net/http, which ends the connection.
		defer func() { s.counters.end(label, seen.code, time.Since(start)) }()
		token, err := s.whoIs(r, route.Scope)
		if err != nil {
			s.unknown(seen, r, route, token, err)
			return
		}
		if route.Stream {
			leave, err := s.streams.enter(token.ID)
			if err != nil {
				s.refused(seen, r, route, token, err)
				return
			}
			defer leave()
			ctx, stop := lasting(w, r, min(longestStream, token.Expires.Sub(s.o.Now())), s.ending)
			defer stop()
			r = r.WithContext(ctx)
		}
		c.W, c.R, c.Token = seen, r, token
		if err = s.sent(c); err == nil {
			err = s.takeTurn(c)
		}
		if err == nil {
			err = route.Handle(c)
		}
		if err != nil {
			s.refused(seen, r, route, c.Token, err)
			return
		}
		if changes(r.Method) {
			s.record(r, token, seen.code, c.note)
		}
		s.o.Log.Debug("answered", "method", r.Method, "path", r.URL.Path, "status", seen.code, "token", token.ID, "took", time.Since(start))
	})
}

// longestStream is how long an answer may go on; who wants more asks again.
const longestStream = 30 * time.Minute

// lasting lifts the limit that is for answers with an end, and gives a context that ends
// after a time, which is that of the token at most, or with the server.
func lasting(w http.ResponseWriter, r *http.Request, lasts time.Duration, ending context.Context) (context.Context, context.CancelFunc) {
	// A writer that has no deadlines, as in tests, needs none lifted.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(lasts))
	ctx, stop := context.WithTimeout(r.Context(), lasts)
	forget := context.AfterFunc(ending, stop)
	return ctx, func() { forget(); stop() }
}

func changes(method string) bool { return method != http.MethodGet && method != http.MethodHead }

// whoIs finds the token of a request: in its header, one of ours or of an issuer, or, for
// browsers, of its session.
func (s *Server) whoIs(r *http.Request, want tokens.Scope) (tokens.Token, error) {
	if want == "" {
		return tokens.Token{}, nil
	}
	now := s.o.Now()
	if r.Header.Get("Authorization") != "" {
		if text, err := tokens.Bearer(r); err == nil && s.o.SignIn != nil && signin.IsToken(text) {
			t, err := s.o.SignIn.Check(r.Context(), text, now)
			return t, cmp.Or(err, t.Allowed(want))
		}
		return s.o.Tokens.Authenticate(r, want, now)
	}
	one, ok := s.sessions.of(r, now, s.secure)
	if !ok {
		return tokens.Token{}, tokens.ErrNone
	}
	if one.issued {
		return one.token, one.token.Allowed(want)
	}
	t, err := s.o.Tokens.Current(one.token.ID, now)
	return t, cmp.Or(err, t.Allowed(want))
}

// unknown answers somebody who may not ask: browsers are shown where to log in. Those who
// guess tokens are slowed down; a session that has ended is no guess.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request, route Route, token tokens.Token, err error) {
	guess := r.Header.Get("Authorization") != "" && !errors.Is(err, tokens.ErrNone) && !errors.Is(err, tokens.ErrScope) && !errors.Is(err, signin.ErrAway)
	if guess && !s.failures.allow(clientOf(r), 1, s.o.Now()) {
		w.Header().Set("Retry-After", "10")
		err = refuse(http.StatusTooManyRequests, "too many wrong tokens: wait a while")
	} else {
		err = &fault{signin.Status(err), err}
	}
	var f *fault
	if errors.As(err, &f) && f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="assay"`)
		if route.Kind == HTML && r.Method == http.MethodGet {
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
			return
		}
	}
	s.refused(w, r, route, token, err)
}

// sent checks what came with a request before its handler sees it.
func (s *Server) sent(c *Call) error {
	if c.route.Most == 0 && (c.R.ContentLength > 0 || len(c.R.TransferEncoding) > 0) {
		return refuse(http.StatusBadRequest, "this takes no body")
	}
	if c.R.ContentLength > c.route.Most {
		return refuse(http.StatusRequestEntityTooLarge, "the body has %d bytes, and at most %d are taken", c.R.ContentLength, c.route.Most)
	}
	c.R.Body = http.MaxBytesReader(c.W, c.R.Body, c.route.Most)
	return c.known()
}

// statuses is what errors of others mean to whoever asked.
var statuses = []struct {
	err    error
	status int
}{
	{jobs.ErrRefused, http.StatusUnprocessableEntity},
	{jobs.ErrFull, http.StatusServiceUnavailable},
	{jobs.ErrUnknown, http.StatusNotFound},
	{jobs.ErrOther, http.StatusForbidden},
	{jobs.ErrOver, http.StatusConflict},
	{warehouse.ErrUnknownRun, http.StatusNotFound},
	{warehouse.ErrNoSeries, http.StatusNotFound},
	{warehouse.ErrNoLineage, http.StatusNotFound},
	{warehouse.ErrQuery, http.StatusBadRequest},
	{warehouse.ErrDecision, http.StatusBadRequest},
	{parcel.ErrParcel, http.StatusUnprocessableEntity},
	{bundle.ErrNotBundle, http.StatusUnprocessableEntity},
}

func statusOf(err error) int {
	var f *fault
	var seal *bundle.SealError
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.As(err, &seal):
		return http.StatusUnprocessableEntity
	}
	for _, known := range statuses {
		if errors.Is(err, known.err) {
			return known.status
		}
	}
	return http.StatusInternalServerError
}

// refused answers with an error. What went wrong inside is for the log alone: it may name
// folders of this machine.
func (s *Server) refused(w http.ResponseWriter, r *http.Request, route Route, token tokens.Token, err error) {
	code, text := statusOf(err), err.Error()
	if code == http.StatusInternalServerError {
		s.o.Log.Error("could not answer", "method", r.Method, "path", r.URL.Path, "error", err)
		text = "something went wrong here; the log of the server says what"
	}
	text = strings.ReplaceAll(text, s.o.Dir, "WAREHOUSE")
	if changes(r.Method) || code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusMisdirectedRequest {
		s.record(r, token, code, text)
	}
	if later := (*busy)(nil); errors.As(err, &later) {
		w.Header().Set("Retry-After", strconv.Itoa(later.seconds))
	}
	if route.Kind == HTML {
		s.errorPage(w, code, text)
		return
	}
	c := &Call{W: w, R: r}
	c.give(code, map[string]any{"status": code, "error": text}) // a map of texts can be written
}

// record writes a line of the audit log.
func (s *Server) record(r *http.Request, t tokens.Token, status int, why string) {
	err := s.audit.write(auditLine{
		At: s.o.Now().UTC(), Token: t.ID, Name: t.Name, Client: clientOf(r), Method: shortened(r.Method), Path: shortened(r.URL.Path), Status: status, Why: shortened(why),
	})
	if err != nil {
		s.o.Log.Error("write the audit log", "error", err)
	}
}

// shortened bounds what a stranger wrote.
func shortened(text string) string { return secret.Head(text, 300) }

// status remembers what was answered, and gives a place up before it is written.
type status struct {
	http.ResponseWriter
	code  int
	place *place
}

// Write implements http.ResponseWriter.
func (s *status) Write(data []byte) (int, error) {
	s.place.give()
	return s.ResponseWriter.Write(data)
}

// WriteHeader implements http.ResponseWriter.
func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }
