package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/intake"
	"assay/server/client"
	"assay/warehouse"
)

// tokenVariable holds the token of assay push.
const tokenVariable = "ASSAY_TOKEN"

func pushCommand(env Env) *cobra.Command {
	var to, tokenFile string
	var asJSON bool
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "push BUNDLE… --to URL",
		Short: "Send bundles to the warehouse of an assay server",
		Long: `Push sends bundles to a server (assay serve), which verifies each and keeps it. A bundle
counts once push has said so. What the server has already is not sent again, a transfer
that broke off goes on where it stopped, and who pushes what another is pushing waits for
that one.

The token comes from ASSAY_TOKEN or from a file, never from the command line, which
others can read. Exit codes: 0 kept, 1 could not be kept, 2 usage error, 4 a bundle was
changed after sealing. The other bundles are sent all the same.`,
		Example: `  ASSAY_TOKEN=$(cat token) assay push runs/* --to https://bench.example.com
  assay push runs/RUN --to http://127.0.0.1:8470 --token-file token`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(fmt.Errorf("missing argument: a bundle (usage: %s)", cmd.UseLine()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			token, _ := lookupIn(env)(tokenVariable)
			if tokenFile != "" {
				text, err := intake.ReadFile(tokenFile, 1<<16)
				if err != nil {
					return usageError(fmt.Errorf("--token-file: %w", err))
				}
				token = string(text)
			}
			c, err := client.New(to, token)
			if err != nil {
				return usageError(err)
			}
			kept, err := pushAll(cmd.Context(), env, trust, c, args, asJSON)
			if asJSON {
				return errors.Join(err, printJSON(env.Stdout, kept))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "address of the server")
	f.StringVar(&tokenFile, "token-file", "", "file that holds the token; by default "+tokenVariable+" does")
	f.BoolVar(&asJSON, "json", false, "print what was kept as JSON")
	trust.add(cmd)
	return cmd
}

// pushAll sends each bundle by itself: what is wrong with one is no reason to lose the
// others.
func pushAll(ctx context.Context, env Env, trust trustFlags, c *client.Client, bundles []string, quiet bool) ([]client.Kept, error) {
	list := []client.Kept{}
	var faults []error
	for _, dir := range bundles {
		j, err := trust.decide(env, dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		kept, err := c.Push(ctx, dir, j.Bundle.Manifest.Digest)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", dir, err))
			continue
		}
		list = append(list, kept)
		if quiet {
			continue
		}
		if err := tellKept(env, warehouse.Kept{RunID: kept.RunID, Digest: kept.Digest, Status: bundle.Status(kept.Status), New: kept.New}); err != nil {
			return list, err
		}
	}
	return list, errors.Join(faults...)
}
