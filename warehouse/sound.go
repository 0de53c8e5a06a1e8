package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"

	"modernc.org/sqlite"
)

// numberTables are the tables and views that hold results, each with the condition on a
// row of it that its run is one of sound_run.
var numberTables = []struct{ name, of string }{
	{"metric_fact", "artifact_manifest_digest"},
	{"claim_fact", "artifact_manifest_digest"},
	{"serving_outcome_fact", "artifact_manifest_digest"},
	{"training_outcome_fact", "artifact_manifest_digest"},
	{"telemetry_slice_fact", "artifact_manifest_digest"},
	{"launch_metric_fact", "(SELECT m.artifact_manifest_digest FROM main.metric_fact m WHERE m.fact = t.fact)"},
}

// soundRun are the runs whose numbers mean something.
const soundRun = `SELECT artifact_manifest_digest FROM main.current_run WHERE status = 'completed' AND coalesce(worst_finding, '') <> 'void'`

// otherSchemas finds names by which a statement could reach the tables that are hidden.
var otherSchemas = regexp.MustCompile(`(?i)\b(main|temp)\b`)

// lengthLimit is SQLITE_LIMIT_LENGTH: the bytes of a text or a row. The largest that the
// catalogue has is the environment of a run, of some tens of thousands.
const lengthLimit, mostCell = 0, 256 << 10

// hideUnsound lays a view over each table of results that leaves out what is not sound.
// The file itself stays read-only: the views are in the connection's own memory.
func hideUnsound(ctx context.Context, conn *sql.Conn, statement string) error {
	if word := otherSchemas.FindString(statement); word != "" {
		return fmt.Errorf("%w: leave out the word %q: tables are named without a schema", ErrQuery, word)
	}
	// A single cell could fill the memory otherwise: hex(zeroblob(1000000000)).
	if _, err := sqlite.Limit(conn, lengthLimit, mostCell); err != nil {
		return err
	}
	script := "PRAGMA temp_store = MEMORY; PRAGMA query_only = 0;"
	for _, t := range numberTables {
		script += fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT t.* FROM main.%s t WHERE %s IN (%s);", t.name, t.name, t.of, soundRun)
	}
	_, err := conn.ExecContext(ctx, script+"PRAGMA query_only = 1;")
	return err
}
