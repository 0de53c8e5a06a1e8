package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/warehouse"
)

func markCommand(env Env) *cobra.Command {
	var place warehouseFlag
	var d warehouse.Decision
	var asJSON bool
	var marks []string
	for _, m := range warehouse.Marks {
		marks = append(marks, fmt.Sprintf("  %-11s %s", m.Name, m.Doc))
	}
	cmd := &cobra.Command{
		Use:   "mark RUN --as MARK --why REASON",
		Short: "Accept, publish, retract or supersede a run of the warehouse",
		Long: `Mark writes down what somebody decided about a run. RUN is its id, its digest or the
beginning of one. Nothing is edited: the decision is a new line of acts.jsonl, which has
the digest of the line before, and a later one may take it back.

` + strings.Join(marks, "\n") + `

Exit codes: 0 done, 2 usage error.`,
		Example: `  assay mark 20261117_061825__run__nightly --as accepted --why "new driver, 2 % slower, agreed"
  assay mark 3f7a90c2b1de --as superseded --instead 91bc02aa77f0 --why "wrong model"`,
		Args: exactArgs(1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if strings.TrimSpace(d.Why) == "" {
				return usageError(errors.New("--why: say why"))
			}
			w, err := openWarehouse(cmd.Context(), place.place(env))
			if err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return err
			}
			if w, err = warehouse.OpenWriter(cmd.Context(), place.place(env)); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
			d.Run, d.At = args[0], time.Now()
			act, err := w.Decide(cmd.Context(), d)
			switch {
			case errors.Is(err, warehouse.ErrUnknownRun), errors.Is(err, warehouse.ErrDecision):
				return usageError(err)
			case err != nil:
				return err
			case asJSON:
				return printJSON(env.Stdout, act)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s is %s\n", act.Subject, act.Act)
			return err
		},
	}
	place.add(cmd)
	f := cmd.Flags()
	f.StringVar(&d.Mark, "as", "", "accepted, published, retracted, superseded or restored")
	f.StringVar(&d.Instead, "instead", "", "the run that counts in its place, of one that is superseded")
	f.StringVar(&d.Why, "why", "", "the reason, which is kept")
	f.StringVar(&d.By, "by", "", "who decided, which is kept")
	f.BoolVar(&asJSON, "json", false, "print the act as JSON")
	return cmd
}
