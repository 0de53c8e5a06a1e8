package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/assistant"
	"assay/child"
	"assay/docs"
	"assay/intake"
	"assay/secret"
)

// mcpTokenVariable names the token of assay mcp --http where --token-file does not.
const mcpTokenVariable = "ASSAY_MCP_TOKEN"

const mcpLong = `Mcp answers an assistant over the Model Context Protocol: on standard input and output, as
assistants start it, or with --http to those who send its token. It shows, compares and
gates bundles, asks the warehouse, and makes, checks and plans documents. See
docs/guides/assistant.md for how assistants are set up.

It sees the folders of --folder and the warehouse, and nothing else; links that lead out of
them lead nowhere. It writes nothing. With --allow-run it also measures: only documents that
were planned first, one at a time, after asking the user where the assistant can do that.
Runs go into --out. A document may name programs that a run starts: allow runs only to an
assistant that may start programs anyway.

Every number comes with its unit, interval, n, the digest of its bundle and the sentence that
may be quoted of it, if there is one. Void and retracted runs answer with why instead.

--http takes a loopback address alone. The token is that of --token-file or ` + mcpTokenVariable + `;
without either a new one is made, and printed on standard error.

Exit codes: 0 the assistant is done, 1 could not be served, 2 usage error.`

// A mcpCall is what assay mcp was asked for.
type mcpCall struct {
	place     warehouseFlag
	trust     trustFlags
	folders   []string
	http      string
	tokenFile string
	allowRun  bool
	out       string
}

func mcpCommand(env Env) *cobra.Command {
	var call mcpCall
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer an assistant over the Model Context Protocol",
		Long:  mcpLong,
		Example: `  assay mcp --folder runs
  assay mcp --folder runs --allow-run --http 127.0.0.1:8091 --token-file token`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return call.serve(cmd.Context(), env) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&call.folders, "folder", nil, "folder of bundles and documents that it may read (repeatable)")
	f.StringVar(&call.http, "http", "", "serve streamable HTTP at this loopback address, such as 127.0.0.1:8091, in place of standard input and output")
	f.StringVar(&call.tokenFile, "token-file", "", "file of the token that clients of --http must send")
	f.BoolVar(&call.allowRun, "allow-run", false, "let it measure, after asking")
	f.StringVarP(&call.out, "out", "o", "", "with --allow-run: folder for the bundles; by default the first --folder")
	call.place.add(cmd)
	call.trust.add(cmd)
	return cmd
}

func (c mcpCall) serve(ctx context.Context, env Env) error {
	trust, err := c.trust.trust(env)
	if err != nil {
		return err
	}
	o := assistant.Options{Version: version(), Folders: c.folders, Warehouse: c.place.place(env), Trust: trust, Docs: docs.Pages}
	switch {
	case c.allowRun && len(c.folders) == 0:
		return usageError(errors.New("--allow-run: want a --folder, where documents and bundles lie"))
	case c.allowRun && c.out == "":
		c.out = c.folders[0]
	case c.allowRun:
		o.Folders = append(o.Folders, c.out)
	case c.out != "":
		return usageError(errors.New("--out: want it with --allow-run"))
	}
	if c.allowRun {
		o.Run = ownRunner(env, c.out)
	}
	s, err := assistant.New(o)
	if err != nil {
		return usageError(err)
	}
	defer env.hold()() // a run that is asked to end seals what it has
	if c.http != "" {
		return c.listen(ctx, env, s)
	}
	in, closes := env.Stdin.(io.ReadCloser)
	if !closes {
		in = io.NopCloser(env.Stdin)
	}
	err = s.Serve(ctx, in, unclosed{unfiltered(env.Stdout)})
	if ctx.Err() != nil {
		return nil // it was asked to end
	}
	return err
}

// An unclosed is a writer that others may not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// listen serves HTTP until the context ends.
func (c mcpCall) listen(ctx context.Context, env Env, s *assistant.Server) error {
	if err := loopback(c.http); err != nil {
		return usageError(fmt.Errorf("--http %s: %w", c.http, err))
	}
	token, err := c.token(env)
	if err != nil {
		return usageError(err)
	}
	l, err := net.Listen("tcp", c.http)
	if err != nil {
		return err
	}
	// A client that begins and goes no further must not hold a connection for ever; an
	// answer may take as long as a run does.
	server := &http.Server{Handler: assistant.RequireToken(token, s.Handler()), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 32 << 10}
	fmt.Fprintf(env.Stderr, "serving MCP at http://%s\n", l.Addr())
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.Close()
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	if server.Shutdown(grace) != nil { // a client keeps a stream open
		server.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// loopback refuses every address that another machine could reach.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return errors.New("want HOST:PORT, such as 127.0.0.1:8091")
	}
	if !secret.Loopback(host) {
		return errors.New("want a loopback address: there is no TLS, and whoever hears the token has it; reach it from elsewhere through ssh -L")
	}
	return nil
}

// token is the one that clients must send.
func (c mcpCall) token(env Env) (string, error) {
	token, _ := lookupIn(env)(mcpTokenVariable)
	if c.tokenFile != "" {
		text, err := intake.ReadFile(c.tokenFile, mostKey)
		if err != nil {
			return "", fmt.Errorf("--token-file: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	switch {
	case token == "" && c.tokenFile != "":
		return "", fmt.Errorf("--token-file %s is empty", c.tokenFile)
	case token == "":
		token = rand.Text()
		fmt.Fprintf(env.Stderr, "token %s\n", token)
	case len(token) < 16:
		return "", errors.New("the token has fewer than 16 characters, which can be guessed: leave it out, and one is made")
	}
	return token, nil
}

// ownRunner measures with this program, in a process of its own: what an assistant
// asks meanwhile is no part of the process that measures.
func ownRunner(env Env, out string) assistant.Runner {
	return func(ctx context.Context, job assistant.Job) (dir string, err error) {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		args := []string{"run", job.File, "--out", out, "--format", "json", "--progress", "plain"}
		if job.Quick {
			args = append(args, "--quick")
		}
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Env, cmd.SysProcAttr = env.Environ(), child.Apart()
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it seals what it has
		cmd.WaitDelay = time.Minute
		story, err := cmd.StderrPipe()
		if err != nil {
			return "", err
		}
		if err := cmd.Start(); err != nil {
			return "", err
		}
		dir, last := listenTo(story, job.Progress)
		if err := cmd.Wait(); err != nil {
			return dir, fmt.Errorf("assay run: %w: %s", err, last)
		}
		return dir, nil
	}
}

// listenTo passes the lines of a run on. It returns the folder of the bundle, which a run
// names at its end, and the last lines before that.
func listenTo(story io.Reader, progress func(string)) (dir, last string) {
	var tail []string
	lines := bufio.NewScanner(story)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, is := strings.CutPrefix(line, "bundle "); is {
			dir = name
			continue
		}
		progress(line)
		tail = append(tail[max(0, len(tail)-9):], line)
	}
	io.Copy(io.Discard, story) // of a line that is too long the rest
	return dir, strings.Join(tail, "\n")
}
