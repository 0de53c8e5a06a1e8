package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"assay/warehouse"
)

// next is the schema in which tables of this version are filled while people still read
// older ones.
const next = schema + "_next"

var postgresTypes = map[warehouse.Kind]string{warehouse.Text: `text COLLATE "C"`, warehouse.Integer: "bigint", warehouse.Real: "double precision"}

// postgresIndexes are those that the usual questions want.
const postgresIndexes = `
CREATE INDEX run_by_time ON benchmark_run_fact (workload_spec_digest, created_ns);
CREATE INDEX run_by_name ON benchmark_run_fact (name, created_ns);
CREATE INDEX metric_by_name ON metric_fact (metric, statistic, artifact_manifest_digest);
CREATE INDEX metric_by_run ON metric_fact (artifact_manifest_digest);
CREATE INDEX act_by_run ON act_fact (artifact_manifest_digest, act);`

// Prepare makes the tables in one transaction.
func (p *postgres) Prepare(ctx context.Context) (older map[string]bool, err error) {
	err = p.write(ctx, func() error {
		at, err := p.version(ctx, schema)
		if err != nil {
			return err
		}
		switch {
		case at == 0:
			return p.make(ctx, schema)
		case at >= warehouse.Version():
			return notNewer(at)
		}
		a, err := p.ask(ctx, `SELECT artifact_manifest_digest FROM `+schema+`.benchmark_run_fact`, -1)
		if err != nil {
			return err
		}
		older = runsIn(a)
		return p.resume(ctx)
	})
	if err == nil {
		p.beside = older != nil
	}
	return older, err
}

// resume goes on where an earlier call was ended: tables of this version that are being
// filled stay, those of an older one were given up.
func (p *postgres) resume(ctx context.Context) error {
	at, err := p.version(ctx, next)
	if err == nil {
		err = notNewer(at)
	}
	if err == nil && at != 0 && at < warehouse.Version() {
		err, at = p.do(ctx, "DROP SCHEMA "+next+" CASCADE"), 0
	}
	switch {
	case err != nil:
		return err
	case at == 0:
		return p.make(ctx, next)
	}
	return p.do(ctx, "SET search_path = "+next)
}

// version is that of the tables in a schema; 0 where there are none.
func (p *postgres) version(ctx context.Context, in string) (int, error) {
	a, err := p.ask(ctx, `SELECT to_regclass('`+in+`.schema_version') IS NOT NULL`, 1)
	if err != nil || a.Rows[0][0] != int64(1) {
		return 0, err
	}
	if a, err = p.ask(ctx, `SELECT max(version) FROM `+in+`.schema_version`, 1); err != nil {
		return 0, err
	}
	at, _ := a.Rows[0][0].(int64)
	return int(at), nil
}

// make makes tables and views in a schema, which must not be there but for the usual one,
// and has what follows meant for it.
func (p *postgres) make(ctx context.Context, in string) error {
	script := "CREATE SCHEMA "
	if in == schema {
		script += "IF NOT EXISTS "
	}
	script += fmt.Sprintf("%s; SET search_path = %s; CREATE TABLE schema_version (version bigint PRIMARY KEY); INSERT INTO schema_version VALUES (%d);", in, in, warehouse.Version())
	for _, t := range warehouse.Tables {
		var columns []string
		for _, c := range t.Columns {
			columns = append(columns, c.Name+" "+postgresTypes[c.Kind]+map[bool]string{false: " NOT NULL"}[c.Null])
		}
		script += fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s));\n", t.Name, strings.Join(columns, ", "), strings.Join(t.Key, ", "))
	}
	for _, v := range warehouse.Views {
		script += fmt.Sprintf("CREATE VIEW %s AS %s;\n", v.Name, v.Text)
	}
	return p.do(ctx, script+postgresIndexes)
}

// replaceScript lets those read the new tables who may read the older ones, and gives the
// new ones their name. Views have the tables that they were made of, whatever those are called.
const replaceScript = `DO $$ DECLARE given record; BEGIN
	FOR given IN SELECT DISTINCT table_name, CASE grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident(grantee) END AS grantee
		FROM information_schema.role_table_grants WHERE table_schema = '` + schema + `' AND privilege_type = 'SELECT' AND grantee <> current_user
		AND to_regclass('` + next + `.' || quote_ident(table_name)) IS NOT NULL
	LOOP
		EXECUTE format('GRANT USAGE ON SCHEMA ` + next + ` TO %s', given.grantee);
		EXECUTE format('GRANT SELECT ON ` + next + `.%I TO %s', given.table_name, given.grantee);
	END LOOP;
END $$;
ALTER SCHEMA ` + schema + ` RENAME TO %[1]s;
ALTER SCHEMA ` + next + ` RENAME TO ` + schema + `;
SET search_path = ` + schema

// removeScript removes a schema with its tables and views, unless something of others depends
// on them.
const removeScript = `DO $$ DECLARE list text; BEGIN
	SELECT string_agg(format('%%I.%%I', schemaname, viewname), ', ') INTO list FROM pg_views WHERE schemaname = '%[1]s';
	IF list IS NOT NULL THEN EXECUTE 'DROP VIEW ' || list; END IF;
	SELECT string_agg(format('%%I.%%I', schemaname, tablename), ', ') INTO list FROM pg_tables WHERE schemaname = '%[1]s';
	IF list IS NOT NULL THEN EXECUTE 'DROP TABLE ' || list; END IF;
END $$;
DROP SCHEMA %[1]s`

// Replace renames schemas in one transaction, and then removes the older one. Where views
// of others read from that, it stays as assay_version_N.
func (p *postgres) Replace(ctx context.Context) error {
	if !p.beside {
		return nil
	}
	var aside string
	err := p.write(ctx, func() error {
		at, err := p.version(ctx, schema)
		if err != nil {
			return err
		}
		if at >= warehouse.Version() {
			return errors.New("somebody else has replaced the older tables meanwhile: copy again")
		}
		aside = fmt.Sprintf("%s_version_%d", schema, at)
		return p.do(ctx, strings.ReplaceAll(replaceScript, "%[1]s", aside))
	})
	if err != nil {
		return err
	}
	p.beside = false
	err = p.write(ctx, func() error { return p.do(ctx, fmt.Sprintf(removeScript, aside)) })
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "2BP01" { // dependent objects still exist
		return nil
	}
	return err
}
