package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assay/bundle"
)

func recoverCommand(env Env) *cobra.Command {
	var key string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "recover BUNDLE",
		Short: "Save what a killed run has measured",
		Long: `Recover seals the bundle of a run that was killed. Launches that had ended stay
as they are; those that were running are entered as aborted, with all rows that
reached the disk. The bundle's status is partial, and every face says so.

Recover refuses while the run still goes on, and leaves a sealed bundle alone.

Exit codes: 0 sealed, 1 failed, 2 usage error, 4 it was sealed and then changed.`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(cmd *cobra.Command, args []string) error {
			signer, err := loadSigner(key)
			if err != nil {
				return usageError(err)
			}
			before, err := bundle.Open(args[0])
			if err != nil {
				return err
			}
			defer env.hold()()
			m, err := bundle.Recover(cmd.Context(), args[0], bundle.SealOptions{Signer: signer})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(env.Stdout, m)
			}
			return printRecovery(env.Stdout, m, before.Sealed)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "private key to sign with (see assay keygen); without it the bundle is unsigned")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the manifest as JSON")
	return cmd
}

func printRecovery(w io.Writer, m *bundle.Manifest, wasSealed bool) error {
	if wasSealed {
		_, err := fmt.Fprintf(w, "run %s was sealed already (%s); nothing to recover\n", m.RunID, m.Status)
		return err
	}
	for _, l := range m.Launches {
		text := string(l.Outcome)
		if l.Reason != "" {
			text += ": " + l.Reason
		}
		if _, err := fmt.Fprintf(w, "launch %d  %s\n", l.Index+1, text); err != nil {
			return err
		}
	}
	for _, warning := range m.Warnings {
		if _, err := fmt.Fprintf(w, "warning   %s\n", warning); err != nil {
			return err
		}
	}
	who := "UNSIGNED"
	if m.Signer.KeyID != bundle.Unsigned {
		who = "signed by " + m.Signer.KeyID
	}
	_, err := fmt.Fprintf(w, "sealed run %s as %s: %d launches, %d files, %s\ndigest %s\n", m.RunID, m.Status, len(m.Launches), len(m.Files), who, m.Digest)
	return err
}
