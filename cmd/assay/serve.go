package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"assay/analysis/compare"
	"assay/assistant"
	"assay/docs"
	"assay/judge"
	"assay/server"
	"assay/spec"
	"assay/tokens"
)

// A serveCall is one call of assay serve: what its flags say.
type serveCall struct {
	place      tokenPlace
	trust      trustFlags
	addr       string
	cert, key  string
	hosts      []string
	mostUpload int64
	perSecond  float64
	verbose    bool
	demo       bool
	oidc       string
	runs       runFlags
}

func serveCommand(env Env) *cobra.Command {
	var s serveCall
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the warehouse to a team: dashboard, HTTP interface, uploads",
		Long: `Serve shows the warehouse in a browser and answers programs (docs/reference/openapi.json):
what changed, alerts and what was decided about them, runs, frontier, history,
comparisons and lineage. assay push brings bundles to it; each is verified before it
counts.

Whoever asks needs a token (assay token new), or signs in with an OpenID Connect issuer:
the file of --oidc names issuers and says whom they let in for what (docs/guides/serve.md).

On loopback plain HTTP is enough; on any other address --tls-cert and --tls-key are
needed. Requests for a name that the server does not go by are refused: --host adds one
to those of the certificate.

It ends on an interrupt, once requests that are being answered are. A server that is
killed loses nothing that was accepted.

--runs has it carry out runs for those whose token has the scope run: one at a time, each
in a process of its own. Their documents may measure what --run-target names, read files
of --run-files and use credentials of --run-env; they start no program, and go nowhere
else. A run that ends with the server is kept as far as it came.

--demo measures the simulator a dozen times into
a folder of its own and shows that, to look around.`,
		Example: `  assay serve --warehouse /data/assay
  assay serve --addr :8443 --tls-cert cert.pem --tls-key key.pem
  assay serve --oidc sign-in.yaml
  assay serve --runs local --run-target 127.0.0.1:8000 --run-files /data/sets
  assay serve --demo`,
		Args: exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), env) },
	}
	s.place.add(cmd)
	s.trust.add(cmd)
	f := cmd.Flags()
	f.StringVar(&s.addr, "addr", "127.0.0.1:8470", "address to listen on; port 0 picks a free one")
	f.StringVar(&s.cert, "tls-cert", "", "certificate chain, as PEM")
	f.StringVar(&s.key, "tls-key", "", "private key of the certificate, as PEM")
	f.StringArrayVar(&s.hosts, "host", nil, "a name under which the server is asked for (repeatable)")
	f.Int64Var(&s.mostUpload, "max-upload", 4<<30, "largest bundle, in bytes")
	f.Float64Var(&s.perSecond, "rate", 500, "requests that one client may make in a second, over time")
	f.StringVar(&s.oidc, "oidc", "", "file that says who signs in with which OpenID Connect issuer, and what they may do")
	s.runs.add(f)
	f.BoolVar(&s.verbose, "verbose", false, "log every request")
	f.BoolVar(&s.demo, "demo", false, "serve a warehouse of its own, filled by measuring the simulator")
	return cmd
}

func (s serveCall) run(ctx context.Context, env Env) (err error) {
	switch {
	case (s.cert == "") != (s.key == ""):
		return usageError(errors.New("--tls-cert and --tls-key: want both or neither"))
	case s.mostUpload < 1:
		return usageError(fmt.Errorf("--max-upload %d: want a number of bytes", s.mostUpload))
	case s.perSecond <= 0:
		return usageError(fmt.Errorf("--rate %g: want more than 0", s.perSecond))
	}
	if err := s.runs.check(); err != nil {
		return usageError(err)
	}
	defer env.hold()() // requests that are being answered are answered
	listener, err := s.listen()
	if err != nil {
		return err
	}
	defer listener.Close() // closed by the server already, unless it did not start
	dir := s.place.warehouse.place(env)
	if s.demo {
		if dir, err = os.MkdirTemp("", "assay-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		s.place.warehouse.dir, s.place.file = dir, ""
	}
	srv, err := s.open(ctx, env, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	return s.serve(ctx, env, srv, listener, dir)
}

// listen opens the address. Tokens do not travel in the clear.
func (s *serveCall) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return nil, fmt.Errorf("--addr: %w", err)
	}
	at, ok := l.Addr().(*net.TCPAddr)
	if s.cert == "" {
		if ok && at.IP.IsLoopback() {
			return l, nil
		}
		return nil, errors.Join(usageError(fmt.Errorf("--addr %s can be reached from other machines: give --tls-cert and --tls-key, or listen on 127.0.0.1", s.addr)), l.Close())
	}
	pair, err := tls.LoadX509KeyPair(s.cert, s.key)
	if err != nil {
		return nil, errors.Join(usageError(fmt.Errorf("--tls-cert: %w", err)), l.Close())
	}
	s.hosts = append(s.hosts, pair.Leaf.DNSNames...)
	for _, ip := range pair.Leaf.IPAddresses {
		s.hosts = append(s.hosts, ip.String())
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}), nil
}

func (s serveCall) open(ctx context.Context, env Env, dir string) (*server.Server, error) {
	trust, err := s.trust.trust(env)
	if err != nil {
		return nil, err
	}
	level := slog.LevelInfo
	if s.verbose {
		level = slog.LevelDebug
	}
	ask, err := assistant.New(assistant.Options{Version: version(), Warehouse: dir, Trust: trust, Docs: docs.Pages})
	if err != nil {
		return nil, err
	}
	carried, err := s.runs.options(env)
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewJSONHandler(env.Stderr, &slog.HandlerOptions{Level: level}))
	issuers, err := s.issuers(env, log)
	if err != nil {
		return nil, err
	}
	return server.New(ctx, server.Options{
		SignIn: issuers,
		Jobs:   carried,
		Routes: assistantRoutes(ask.Handler()),
		Dir:    dir, Tokens: s.place.open(env), Version: version(), Judge: judge.Options{Trust: trust, Version: version()},
		Compare:   func(dirs []string) (compare.Report, error) { return compareKept(env, s.trust, dirs) },
		Contracts: sync.OnceValues(func() (any, error) { return spec.Contracts() }), // every schema is made for it
		Hosts:     s.hosts, Secure: s.cert != "", MostUpload: s.mostUpload, PerSecond: s.perSecond,
		Log: log,
	})
}

// assistantRoutes lets assistants ask the warehouse over the Model Context Protocol, with
// the tokens that everybody else has.
func assistantRoutes(h http.Handler) (list []server.Route) {
	turns := map[string]server.Turn{http.MethodPost: server.Asking} // what is asked may take as long as a query
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		list = append(list, server.Route{
			Method: method, Path: "/mcp", Scope: tokens.Read, Most: assistant.MostMessage, Kind: server.JSON,
			About:  "The Model Context Protocol, streamable HTTP.",
			Turn:   turns[method],
			Stream: method == http.MethodGet, // where the server speaks without being asked
			Handle: func(c *server.Call) error { h.ServeHTTP(c.W, c.R); return nil },
		})
	}
	return list
}

// compareKept compares bundles of the warehouse as assay compare does.
func compareKept(env Env, trust trustFlags, dirs []string) (compare.Report, error) {
	ask := compareCall{trust: trust, options: compare.Options{Power: .8}}
	bundles := newReader(env, trust)
	sides, err := ask.openSides(bundles, dirs)
	if err != nil {
		return compare.Report{}, err
	}
	return bundles.Compare(sides, ask.options)
}

// graceful is how long requests may take once the server is asked to end.
const graceful = 20 * time.Second

func (s serveCall) serve(ctx context.Context, env Env, srv *server.Server, l net.Listener, dir string) error {
	scheme := "http"
	if s.cert != "" {
		scheme = "https"
	}
	address := scheme + "://" + l.Addr().String() + "/"
	h := srv.HTTP()
	tended, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer func() { stop(); beside.Wait() }()
	beside.Go(func() { srv.Tend(tended) })
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	fmt.Fprintf(env.Stdout, "serving %s at %s\n", dir, address)
	if s.demo {
		beside.Go(func() { s.fill(tended, env, address, dir) })
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop() // what goes on beside requests begins nothing more
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceful)
	defer cancel()
	err := h.Shutdown(wait)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(err, h.Close())
	}
	fmt.Fprintln(env.Stderr, "the server has ended")
	return err
}

// demoToken makes the token of a demonstration.
func demoToken(file *tokens.File, scope tokens.Scope) (string, error) {
	text, t, err := tokens.New("demonstration", scope, time.Now(), 24*time.Hour)
	if err != nil {
		return "", err
	}
	return text, file.Add(t)
}
