package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"assay/warehouse"
)

// schema is where the tables are in a database that others use too.
const schema = "assay"

// A postgres is a connection. It is pgx's lower half, which speaks the protocol and signs in:
// its upper half, for every type of Go and Postgres, is three times as large, and there are
// three types here.
type postgres struct {
	conn   *pgconn.PgConn
	beside bool // what is copied goes to the schema next
}

// openPostgres connects. What the URL leaves out comes from PGPASSWORD and the others, as
// for psql.
func openPostgres(ctx context.Context, a Asked) (Reader, error) {
	config, err := pgconn.ParseConfig(a.URL.String())
	if err != nil {
		return nil, fmt.Errorf("%w: want postgres://USER@HOST/DATABASE, with the password in PGPASSWORD", err)
	}
	config.RuntimeParams["application_name"] = "assay"
	config.RuntimeParams["search_path"] = schema
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &postgres{conn: conn}, nil
}

func (p *postgres) Close() error { return p.conn.Close(context.Background()) }

// do carries out a script.
func (p *postgres) do(ctx context.Context, script string) error {
	_, err := p.conn.Exec(ctx, script).ReadAll()
	return err
}

// write runs f in a transaction, one writer at a time: the number of the lock is ours.
func (p *postgres) write(ctx context.Context, f func() error) error {
	err := p.do(ctx, "BEGIN; SELECT pg_advisory_xact_lock(1634956129)")
	if err == nil {
		err = f()
	}
	if err != nil {
		p.do(context.WithoutCancel(ctx), "ROLLBACK") // or the connection is gone, which is the same
		return err
	}
	return p.do(ctx, "COMMIT")
}

func (p *postgres) Runs(ctx context.Context) (map[string]bool, error) {
	a, err := p.ask(ctx, `SELECT artifact_manifest_digest FROM benchmark_run_fact`, -1)
	return runsIn(a), err
}

func (p *postgres) Acts(ctx context.Context) (map[int64]int64, error) {
	a, err := p.ask(ctx, `SELECT number, at_ns FROM `+schema+`.act_fact`, -1) // also where these are older
	return actsIn(a), err
}

// Add copies in one transaction.
func (p *postgres) Add(ctx context.Context, _ []string, sheets []warehouse.Sheet) error {
	return p.write(ctx, func() error { return p.addNew(ctx, sheets) })
}

// Decide drops the rows of launches that retention dropped as well.
func (p *postgres) Decide(ctx context.Context, sheets []warehouse.Sheet) error {
	return p.write(ctx, func() error {
		if err := p.addNew(ctx, sheets); err != nil {
			return err
		}
		return p.do(ctx, `DELETE FROM launch_metric_fact WHERE fact IN (SELECT fact FROM metric_fact WHERE artifact_manifest_digest IN (SELECT artifact_manifest_digest FROM dropped_fact))`)
	})
}

// addNew copies the rows of sheets whose keys are not there: runs share dimensions, and
// somebody else may have copied a run since it was looked for.
func (p *postgres) addNew(ctx context.Context, sheets []warehouse.Sheet) error {
	for _, s := range sheets {
		if len(s.Rows) == 0 {
			continue
		}
		name := s.Table.Name
		err := p.do(ctx, fmt.Sprintf(`CREATE TEMP TABLE copied_%s (LIKE %s) ON COMMIT DROP`, name, name))
		if err == nil {
			_, err = p.conn.CopyFrom(ctx, strings.NewReader(copyText(s.Rows)), fmt.Sprintf(`COPY pg_temp.copied_%s (%s) FROM STDIN`, name, strings.Join(s.Table.Names(), ", ")))
		}
		if err == nil {
			err = p.do(ctx, fmt.Sprintf(`INSERT INTO %s SELECT * FROM pg_temp.copied_%s ON CONFLICT DO NOTHING`, name, name))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

var copyEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x00", "")

// copyText is rows as COPY reads them. A text has no zero byte there.
func copyText(rows [][]any) string {
	var out strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				out.WriteByte('\t')
			}
			switch v := cell.(type) {
			case nil:
				out.WriteString(`\N`)
			case string:
				copyEscapes.WriteString(&out, v)
			case float64:
				out.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
			default:
				fmt.Fprint(&out, v)
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// Query answers in a transaction that only reads and is never committed.
func (p *postgres) Query(ctx context.Context, statement string, limit warehouse.Limit) (a warehouse.Answer, err error) {
	ctx, limit, stop, err := warehouse.Ask(ctx, statement, limit)
	if err != nil {
		return a, err
	}
	defer stop()
	if err := p.do(ctx, fmt.Sprintf("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path = %s; SET LOCAL statement_timeout = %d", schema, limit.Time.Milliseconds())); err != nil {
		return a, postgresFault(ctx, err)
	}
	defer p.do(context.WithoutCancel(ctx), "ROLLBACK") // there is nothing to keep
	a, err = p.ask(ctx, statement, limit.Rows)
	return a, postgresFault(ctx, err)
}

// ask reads at most so many rows of an answer; -1 means all. The extended protocol takes
// one statement alone.
func (p *postgres) ask(ctx context.Context, statement string, most int) (a warehouse.Answer, err error) {
	rows := p.conn.ExecParams(ctx, statement, nil, nil, nil, nil)
	for _, field := range rows.FieldDescriptions() {
		a.Columns = append(a.Columns, field.Name)
	}
	a.Rows = [][]any{}
	for rows.NextRow() {
		if len(a.Rows) == most {
			a.More = true
			continue // what is under way has to be read
		}
		row := make([]any, len(a.Columns))
		for i, text := range rows.Values() {
			if text == nil {
				continue
			}
			if row[i], err = postgresCell(rows.FieldDescriptions()[i].DataTypeOID, string(text)); err != nil {
				break
			}
		}
		a.Rows = append(a.Rows, row)
	}
	_, closed := rows.Close()
	return a, errors.Join(closed, err)
}

// postgresFault tells what the server refuses from a server that is gone.
func postgresFault(ctx context.Context, err error) error {
	var refused *pgconn.PgError
	const canceled = "57014"
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refused) && refused.Code == canceled:
		return fmt.Errorf("the query took too long: narrow it, or allow more with --time: %w", err)
	case errors.As(err, &refused):
		return fmt.Errorf("%w: %w", warehouse.ErrQuery, err)
	}
	return err
}

// The types of Postgres whose texts are numbers.
const (
	oidBool, oidInt8, oidInt2, oidInt4        = 16, 20, 21, 23
	oidFloat4, oidFloat8, oidNumeric   uint32 = 700, 701, 1700
)

// postgresCell is a value as a whole number, a number or a text. Sums of whole numbers are
// numeric there, and so are averages.
func postgresCell(oid uint32, text string) (any, error) {
	switch oid {
	case oidBool:
		return map[string]int64{"t": 1}[text], nil
	case oidInt8, oidInt2, oidInt4:
		return strconv.ParseInt(text, 10, 64)
	case oidNumeric:
		if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
			return whole, nil
		}
		fallthrough
	case oidFloat4, oidFloat8:
		number, err := strconv.ParseFloat(text, 64)
		return finite(number), err
	}
	return text, nil
}
