// Command assay measures distributed AI systems and says how sure it is.
//
// Each file beside this one holds one verb: flags in, exit code out. To add a
// verb, write one file with one constructor and list it in commands.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"assay/accuracy/sandbox"
	"assay/bundle"
	"assay/cmd/assay/start"
	"assay/intake"
	"assay/judge/pair"
	"assay/visible"
)

func main() {
	// A process that this program started to hold generated code is no command.
	if status, entered := sandbox.Enter(os.Args); entered {
		os.Exit(status)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// Whoever asks for SIGPIPE is not killed by it: a write to a reader that has seen
	// enough becomes an error, which Main takes for what it is. Programs that are
	// started from here get the usual signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// Only libraries write to the standard logger, net/http among them: it prints what
	// it dislikes about a server's answer, as often as the server likes. What matters of
	// it is in the records.
	log.SetOutput(io.Discard)
	env := Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ, held: new(heldWork)}
	start.Ended()
	done := make(chan int, 1)
	go func() { done <- Main(ctx, env) }()          // ends with the program
	os.Exit(await(done, signals, env.held, cancel)) // the only exit of a command
}

// An Env is everything the program may touch outside itself. Tests make their
// own.
type Env struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        func() []string // as os.Environ

	held *heldWork // nil means that no signals come; see hold
}

// Exit codes are part of the command's contract: CI branches on them.
const (
	exitOK      = 0
	exitFailed  = 1 // could not do it
	exitUsage   = 2 // usage error
	exitVerdict = 3 // did it, and the answer is bad

	exitUnverified = 4 // the evidence is not what was sealed

	exitAdvisory    = 5 // an advisory verdict, and nothing against it
	exitAdvisoryBad = 6 // an advisory verdict, and it is bad
)

// An exitError is an error that knows its exit code. One with an empty message
// has already said everything on stdout.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError marks err as the caller's mistake: exit code 2.
func usageError(err error) error { return &exitError{exitUsage, err} }

// silent ends the program with code after the answer has been printed.
func silent(code int) error { return &exitError{code: code} }

// Main runs the program and returns its exit code.
func Main(ctx context.Context, env Env) int {
	root := &cobra.Command{
		Use:           "assay",
		Short:         "Honest benchmarks for distributed AI",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	env.Stdout, env.Stderr = &visible.Writer{To: env.Stdout}, &visible.Writer{To: env.Stderr}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	addCommands(root, env)
	err := knownVerb(root, env.Args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitOK // a reader that has seen enough is not a failure
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(env.Stderr, "assay:", text)
	}
	return codeOf(err)
}

// codeOf is the exit code of an error: one code for one fault, whatever the verb.
func codeOf(err error) int {
	var exit *exitError
	var seal *bundle.SealError
	var refused *intake.Error
	switch {
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &seal):
		return exitUnverified
	case errors.As(err, &refused), errors.Is(err, bundle.ErrNotBundle), errors.Is(err, pair.ErrAsked):
		return exitUsage // what was named is not there, or is something else
	}
	return exitFailed
}

// unfiltered is what w writes to, for what is no text: workbooks and the screen.
// Everything else that is shown passes a visible.Writer, so that what a stranger
// said cannot act on a terminal.
func unfiltered(w io.Writer) io.Writer {
	if filter, ok := w.(*visible.Writer); ok {
		return filter.To
	}
	return w
}

// printJSON writes v for programs, as every --json does.
func printJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(visible.JSON(text.Bytes()))
	return err
}
