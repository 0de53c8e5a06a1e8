package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/plan"
)

// A sequel is what is done once the bundle of a run is sealed.
type sequel struct {
	suites, keep bool
	place        warehouseFlag
}

func (s *sequel) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.suites, "suites", false, "then carry out the other suites of the document's layers, each by its own command")
	cmd.Flags().BoolVar(&s.keep, "keep", false, "keep the bundle in the warehouse, as assay keep does")
	s.place.add(cmd)
}

// follow does it after a run that left dir and ended with err. A run that failed is kept
// like any other, and no suite follows it.
func (s sequel) follow(cmd *cobra.Command, env Env, j job, dir string, err error) error {
	if s.keep && dir != "" {
		_, keepErr := keepAll(context.WithoutCancel(cmd.Context()), env, trustFlags{}, s.place.place(env), []string{dir}, false, false)
		err = errors.Join(err, keepErr)
	}
	if s.suites && err == nil {
		return runSuites(cmd, env, j, filepath.Base(dir))
	}
	return err
}

// runSuites carries out the suites of the document's enabled layers that its own run is
// not: each by the command that plan names, as a process of its own, so that what one does
// to its host ends with it. One that fails is named, and the others go on.
func runSuites(cmd *cobra.Command, env Env, j job, runID string) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	p, err := plan.New(j.run)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	var faults []error
	for _, path := range p.Paths() {
		if path.Here {
			continue
		}
		args, err := ownCommand(cmd.Root(), path.Command, variables(env, runID))
		if err == nil && !filepath.IsLocal(path.Suite) {
			err = errors.New("its name is that of its folder: give it one without .. or a leading /")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("suite %s: %w", path.Suite, err))
			continue
		}
		fmt.Fprintf(env.Stderr, "suite %s (%s): assay %s\n", path.Suite, path.Layer, strings.Join(args, " "))
		suite := exec.CommandContext(ctx, binary, append(args, "--out", filepath.Join(j.out, path.Suite))...)
		suite.Env, suite.Stdout, suite.Stderr = env.Environ(), env.Stdout, env.Stderr
		suite.Cancel = func() error { return suite.Process.Signal(os.Interrupt) } // it seals what it has
		if err := suite.Run(); err != nil {
			faults = append(faults, fmt.Errorf("suite %s: assay %s: %w", path.Suite, strings.Join(args, " "), err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(faults...)
}

// variables are what a repoCommand may name as ${NAME}: the run's id, and the environment.
func variables(env Env, runID string) func(string) (string, bool) {
	lookup := lookupIn(env)
	return func(name string) (string, bool) {
		if name == "RUN_ID" {
			return runID, true
		}
		return lookup(name)
	}
}

// ownCommand is the command line of a suite without this program's name. A document starts
// nothing but assay: what its repoCommand says besides is for people to start.
func ownCommand(root *cobra.Command, text string, lookup func(string) (string, bool)) (args []string, err error) {
	for word := range strings.FieldsSeq(text) {
		var lacking []string
		word = os.Expand(word, func(name string) string {
			value, known := lookup(name)
			if !known {
				lacking = append(lacking, name)
			}
			return value
		})
		if len(lacking) > 0 {
			return nil, fmt.Errorf("%s: set %s in the environment first", text, strings.Join(lacking, ", "))
		}
		args = append(args, word)
	}
	if len(args) > 0 && args[0] == root.Name() {
		args = args[1:]
	}
	if err := measures(root, text, args); err != nil {
		return nil, err
	}
	return args, nil
}

// measures refuses what is no measurement: a document that somebody hands over may cost
// time, and may not change what others rely on, such as the warehouse, an accepted
// baseline or a node.
func measures(root *cobra.Command, text string, args []string) error {
	found, _, err := root.Find(args)
	if err != nil || found == root {
		return fmt.Errorf("%q is no command of assay: start it yourself", text)
	}
	verb := found
	for verb.Parent() != root {
		verb = verb.Parent()
	}
	isMeasurement := verb.GroupID == measureGroup || verb.Name() == "cluster"
	isAct := found.CommandPath() == "assay suite accept"
	if !isMeasurement || isAct || found.Flags().Lookup("out") == nil {
		return fmt.Errorf("%q measures nothing that leaves a bundle: start it yourself", text)
	}
	if slices.ContainsFunc(args, func(word string) bool { return word == "--suites" || strings.HasPrefix(word, "--suites=") }) {
		return fmt.Errorf("%q would start suites of its own, perhaps these: leave --suites out", text)
	}
	return nil
}
