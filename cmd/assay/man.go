package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Man writes a manual page for every command into DIR, such as
~/.local/share/man/man1. Read them with man assay, man assay-run and so on.`,
		Args: exactArgs(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			// A fixed date: the same program writes the same pages.
			header := &doc.GenManHeader{Title: "ASSAY", Section: "1", Source: "assay " + version(), Date: &time.Time{}}
			if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
				return fmt.Errorf("manual pages: %w", err)
			}
			_, err := fmt.Fprintf(env.Stderr, "manual pages are in %s\n", args[0])
			return err
		},
	}
	return cmd
}
