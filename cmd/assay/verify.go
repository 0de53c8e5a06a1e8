package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/intake"
)

func verifyCommand(env Env) *cobra.Command {
	var keys []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "Check that a run was not changed, and who signed it",
		Long: `Verify hashes every file of a bundle again and checks the manifest's own bytes,
missing and added files, the frozen spec and plan, the ledger of launches, the
order of times, the tables and the signatures, and holds against each other what
the bundle says in several places. It names every file that fails.

Without --key it says who signed, which proves nothing until you trust that key:
whoever changes every place alike can sign the whole anew with a key of their own.
With --key one of the given keys must have signed.

Exit codes: 0 verified, 2 usage error or not a bundle, 4 NOT VERIFIED.`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(_ *cobra.Command, args []string) error {
			return verify(env, args[0], keys, asJSON)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key to trust (repeatable); see assay keygen")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// verify prints the report on one bundle and ends with exitUnverified when it fails.
func verify(env Env, dir string, keyFiles []string, asJSON bool) error {
	trust, err := trustFlags{keys: keyFiles}.trust(env)
	if err != nil {
		return err
	}
	r, err := bundle.VerifyFor(dir, trust)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(env.Stdout, r)
	} else {
		err = printVerification(env.Stdout, r)
	}
	if err == nil && !r.Verified {
		err = silent(exitUnverified)
	}
	return err
}

func loadPublicKeys(paths []string) ([]bundle.PublicKey, error) {
	var keys []bundle.PublicKey
	for _, path := range paths {
		text, err := intake.ReadFile(path, mostKey)
		if err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
		key, err := bundle.ParsePublicKey(text)
		if err != nil {
			return nil, fmt.Errorf("--key %s: %w", path, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func printVerification(w io.Writer, r bundle.Report) error {
	for _, c := range r.Checks {
		word := "ok"
		if !c.OK {
			word = "FAILED"
		}
		if _, err := fmt.Fprintf(w, "%-7s %-10s %s\n", word, c.Name, c); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		if _, err := fmt.Fprintf(w, "%-7s %-10s %s\n", "note", "", note); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, verdict(r))
	return err
}

func verdict(r bundle.Report) string {
	if !r.Verified {
		return fmt.Sprintf("NOT VERIFIED: %d failed of %d checks", len(r.Failures()), len(r.Checks))
	}
	who := "signed by " + r.Signature.KeyID
	switch r.Signature.State {
	case bundle.SignatureNone:
		who = "UNSIGNED"
	case bundle.SignatureUntrusted:
		who += ", key not trusted: pass --key, for anybody can sign a bundle anew"
	}
	text := fmt.Sprintf("verified: run %s (%s), %s", r.RunID, r.Status, who)
	if n := len(r.Added); n > 0 {
		text += fmt.Sprintf("; not covered: %s added after sealing", counted(n, "file"))
	}
	return text
}
