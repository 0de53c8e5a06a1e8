package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/visible"
	"assay/warehouse"
)

func queryCommand(env Env) *cobra.Command {
	var place warehouseFlag
	var limit warehouse.Limit
	var format, on string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "query SQL",
		Short: "Ask the catalogue of the warehouse in SQL",
		Long: `Query answers one SELECT over the catalogue of the warehouse, in SQLite's SQL. It reads:
whatever would write, open another file or run a second statement is refused.

Tables of facts: benchmark_run_fact, launch_fact, metric_fact (one row per run, point, metric
and statistic, with interval, n and estimator), launch_metric_fact, serving_outcome_fact,
training_outcome_fact, telemetry_slice_fact, finding_fact, claim_fact, file_fact, act_fact.
Dimensions: workload_dim, software_version_dim, hardware_topology_dim, cluster_region_dim,
artifact_lineage_dim. current_run leaves out runs that were retracted or superseded.

--on has another engine answer, over the same tables and columns and in its own SQL:
duckdb reads the Parquet files of the warehouse (and, as raw_requests, raw_chunks and so on, those of
the bundles) through the program assay-duckdb; postgres://… and clickhouse://… what assay keep
--into copied there. Passwords come from PGPASSWORD or CLICKHOUSE_PASSWORD.

The same facts and dimensions lie as Parquet below tables/ in the warehouse, by day and
workload, for Polars or Spark.

Exit codes: 0 answered, 1 could not be answered in time, 2 usage error.`,
		Example: `  assay query "SELECT run_id, status FROM current_run ORDER BY created_ns DESC"
  assay query --on duckdb "SELECT day, median(ttft_p99_s) FROM serving_outcome_fact GROUP BY day ORDER BY day"
  assay query --format csv "SELECT run_id, value, low, high FROM metric_fact JOIN current_run USING (artifact_manifest_digest) WHERE metric = 'ttft.v2' AND statistic = 'p99'"`,
		Args: exactArgs(1, "a SELECT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit.Rows < 0 || limit.Time < 0 {
				return usageError(errors.New("--rows and --time: want more than 0"))
			}
			if asJSON {
				format = "json"
			}
			return query(cmd.Context(), env, place.place(env), on, args[0], limit, format)
		},
	}
	place.add(cmd)
	cmd.Flags().StringVar(&on, "on", "", "engine that answers: duckdb, postgres://… or clickhouse://…; by default the catalogue itself")
	cmd.Flags().IntVar(&limit.Rows, "rows", 10_000, "the most rows of an answer")
	cmd.Flags().DurationVar(&limit.Time, "time", 0, "the longest that a query may take; by default 30s")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	return cmd
}

// answerFormats are the ways to print an answer.
var answerFormats = map[string]func(io.Writer, warehouse.Answer) error{
	"table": answerTable,
	"csv":   answerCSV,
	"json":  func(w io.Writer, a warehouse.Answer) error { return printJSON(w, a) },
}

func query(ctx context.Context, env Env, dir, on, statement string, limit warehouse.Limit, format string) (err error) {
	write, known := answerFormats[format]
	if !known {
		return usageError(fmt.Errorf("--format %q: want table, csv or json", format))
	}
	w, err := openWarehouse(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var a warehouse.Answer
	if on == "" {
		a, err = w.Query(ctx, statement, limit)
	} else {
		a, err = queryOn(ctx, env, w, on, statement, limit)
	}
	switch {
	case errors.Is(err, warehouse.ErrQuery):
		return usageError(err)
	case err != nil:
		return err
	}
	if err := write(env.Stdout, a); err != nil {
		return err
	}
	if a.More {
		fmt.Fprintf(env.Stderr, "these are the first %d rows: there are more (--rows)\n", len(a.Rows))
	}
	return nil
}

// openWarehouse opens one to read; that there is none is the caller's mistake.
func openWarehouse(ctx context.Context, dir string) (*warehouse.Warehouse, error) {
	w, err := warehouse.Open(ctx, dir)
	if errors.Is(err, warehouse.ErrNone) {
		return nil, usageError(err)
	}
	return w, err
}

func cellTexts(row []any) []string {
	texts := make([]string, len(row))
	for i, cell := range row {
		if cell != nil {
			texts[i] = fmt.Sprint(cell)
		}
	}
	return texts
}

func answerTable(out io.Writer, a warehouse.Answer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(a.Columns, "\t"))
	for _, row := range a.Rows {
		texts := cellTexts(row)
		for i, text := range texts {
			texts[i] = visible.Line(text) // a tab or a new line in it would break the table
		}
		fmt.Fprintln(w, strings.Join(texts, "\t"))
	}
	return w.Flush()
}

func answerCSV(out io.Writer, a warehouse.Answer) error {
	w := csv.NewWriter(out)
	w.Write(a.Columns)
	for _, row := range a.Rows {
		w.Write(cellTexts(row))
	}
	w.Flush()
	return w.Error()
}
