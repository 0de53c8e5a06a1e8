package main

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/tokens"
	"assay/visible"
)

// tokensFile is where the tokens of a warehouse are kept, unless --tokens names another.
const tokensFile = "tokens.json"

// A tokenPlace says which file of tokens a command is about.
type tokenPlace struct {
	warehouse warehouseFlag
	file      string
}

func (p *tokenPlace) add(cmd *cobra.Command) {
	p.warehouse.add(cmd)
	cmd.Flags().StringVar(&p.file, "tokens", "", "file of the tokens; by default "+tokensFile+" in the warehouse")
}

func (p tokenPlace) open(env Env) *tokens.File {
	if p.file != "" {
		return tokens.Open(p.file)
	}
	return tokens.Open(filepath.Join(p.warehouse.place(env), tokensFile))
}

// A newToken is a token that was just made, with the secret that is shown once.
type newToken struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Scope   tokens.Scope `json:"scope"`
	Expires time.Time    `json:"expires"`
	Token   string       `json:"token"`
}

func tokenCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke tokens of assay serve",
		Long: `Token looks after who may use a server (assay serve). A token is shown once, when it is
made: only its hash is kept. It has one scope: read looks at everything, write also
adds bundles and decides about alerts, run also has the server carry runs out (assay serve
--runs), admin also decides about runs.`,
		Args: exactArgs(0, "new, list or revoke"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tokenNewCommand(env), tokenListCommand(env), tokenRevokeCommand(env))
	return cmd
}

func tokenNewCommand(env Env) *cobra.Command {
	var place tokenPlace
	var name, scope string
	var days int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "new --name NAME --scope SCOPE",
		Short: "Make a token, which is shown once",
		Example: `  assay token new --name ci --scope write --days 90
  assay token new --name maria --scope read`,
		Args: exactArgs(0, "none; name it with --name"),
		RunE: func(*cobra.Command, []string) error {
			if days < 1 || days > 3650 {
				return usageError(fmt.Errorf("--days %d: want 1 to 3650", days))
			}
			text, t, err := tokens.New(name, tokens.Scope(scope), time.Now(), time.Duration(days)*24*time.Hour)
			if err != nil {
				return usageError(err)
			}
			if err := place.open(env).Add(t); err != nil {
				return err
			}
			if asJSON {
				return printJSON(env.Stdout, newToken{t.ID, t.Name, t.Scope, t.Expires, text})
			}
			fmt.Fprintf(env.Stderr, "token %s for %s: %s, until %s; it is shown this once\n", t.ID, visible.Line(t.Name), t.Scope, t.Expires.Format(time.DateOnly))
			_, err = fmt.Fprintln(env.Stdout, text)
			return err
		},
	}
	place.add(cmd)
	f := cmd.Flags()
	f.StringVar(&name, "name", "", "who or what uses it; stands in the audit log and beside decisions")
	f.StringVar(&scope, "scope", string(tokens.Read), "read, write, run or admin")
	f.IntVar(&days, "days", 90, "how long it counts")
	f.BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func tokenListCommand(env Env) *cobra.Command {
	var place tokenPlace
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tokens, without their secrets",
		Args:  exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			list, err := place.open(env).List()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
			for _, t := range list {
				state := "until " + t.Expires.Format(time.DateOnly)
				if !time.Now().Before(t.Expires) {
					state = "expired " + t.Expires.Format(time.DateOnly)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.ID, t.Scope, state, visible.Line(t.Name))
			}
			return w.Flush()
		},
	}
	place.add(cmd)
	return cmd
}

func tokenRevokeCommand(env Env) *cobra.Command {
	var place tokenPlace
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "End a token at once",
		Args:  exactArgs(1, "the id of a token (assay token list)"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := place.open(env).Revoke(args[0]); err != nil {
				return usageError(err)
			}
			_, err := fmt.Fprintf(env.Stdout, "%s is revoked\n", args[0])
			return err
		},
	}
	place.add(cmd)
	return cmd
}
