package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

// operatorProgram carries runs on Kubernetes out. Its clients of a cluster are as large as
// half of this program, which most people use without one.
const operatorProgram = "assay-operator"

func operatorCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "operator [flags]",
		Short: "Carry BenchmarkRun objects of a Kubernetes cluster out",
		Long: "Start " + operatorProgram + ", which carries BenchmarkRun objects of a Kubernetes cluster out. It is a program\n" +
			"of its own, looked for beside this one and on the path. Its flags are its own: assay operator --help.",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := besideOrOnPath(operatorProgram)
			if err != nil {
				return err
			}
			return startProgram(cmd.Context(), env, path, args)
		},
	}
}

// besideOrOnPath finds a program of ours.
func besideOrOnPath(name string) (string, error) {
	if own, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(own), name); executable(beside) {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside this program nor on the path: take it from the same release, or build it (make operator) and put it there", name)
	}
	return path, nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// startProgram runs a program in place of this one and ends as it does.
func startProgram(ctx context.Context, env Env, path string, args []string) error {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = env.Stdin, env.Stdout, env.Stderr, env.Environ()
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return silent(exit.ExitCode())
	}
	return err
}
