package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/analysis/compare"
)

// An again is what a comparison was asked to do about two runs that were made one
// after the other: measure both in one, in blocks.
type again struct {
	wanted, run bool
	out, key    string
}

// measure writes the document of one run of both sides and, where that was asked
// for, carries it out and compares its sides.
func (a again) measure(ctx context.Context, env Env, ask compareCall, args []string) error {
	if len(args) != 2 {
		return usageError(fmt.Errorf("--again: got %s, want a baseline and one candidate", counted(len(args), "bundle")))
	}
	sides, err := ask.openSides(newReader(env, ask.trust), args)
	if err != nil {
		return err
	}
	text, err := compare.Again(sides[0], sides[1])
	if err != nil {
		return usageError(fmt.Errorf("--again: %w", err))
	}
	path := filepath.Join(a.out, "again.yaml")
	if err := errors.Join(os.MkdirAll(a.out, 0o755), os.WriteFile(path, text, 0o644)); err != nil {
		return err
	}
	if !a.run {
		fmt.Fprintf(env.Stdout, "wrote %s: both systems in one run, in interleaved blocks\nassay run %s --out %s\n", path, path, a.out)
		return nil
	}
	source, document, err := readRun(path)
	if err != nil {
		return err
	}
	dir, err := carryOut(ctx, Env{Stdin: env.Stdin, Stdout: env.Stderr, Stderr: env.Stderr, Environ: env.Environ},
		job{source: source, run: document, out: a.out, keyFile: a.key, format: "text"})
	if dir != "" {
		fmt.Fprintf(env.Stderr, "bundle %s\n", dir)
	}
	if err != nil {
		return err
	}
	ask.baseline = ""
	return ask.run(ctx, env, []string{dir})
}
