// Package engine has other engines hold and answer what the catalogue of a warehouse says:
// the same tables and columns, by one list (warehouse.Tables), in the types of each.
//
//	postgres://USER@HOST/DATABASE     in the schema assay, one transaction for each batch of runs
//	clickhouse://USER@HOST:8123/DATABASE   over HTTP; ?secure=true for HTTPS
//	duckdb:                           reads the Parquet tables of the warehouse; nothing is copied
//
// A run's rows appear whole or not at all, and once, however often and by however many they
// are copied. What is asked only reads.
//
// To add an engine, write one file with a Reader, and a Mirror where it has to be filled,
// and list it in All.
package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"assay/secret"
	"assay/warehouse"
)

// A Reader answers statements that only read.
type Reader interface {
	Query(ctx context.Context, statement string, limit warehouse.Limit) (warehouse.Answer, error)
	Close() error
}

// A Mirror holds a copy of what the catalogue says.
type Mirror interface {
	Reader

	// Prepare makes tables and views where there are none. Where there are those of an
	// older version, it makes new ones beside them and gives the runs that the older ones
	// have: people read these until Replace.
	Prepare(ctx context.Context) (older map[string]bool, err error)

	// Replace puts what was filled beside older tables in their place. It does nothing
	// where there were none.
	Replace(ctx context.Context) error

	// Runs are the digests of those that are there whole, in tables of this version.
	Runs(ctx context.Context) (map[string]bool, error)

	// Add copies runs, all of them whole or not at all. Runs that are there stay as they are.
	Add(ctx context.Context, digests []string, sheets []warehouse.Sheet) error

	// Acts are the times of the acts that people read there, by their number.
	Acts(ctx context.Context) (map[int64]int64, error)

	// Decide adds what was decided about runs later, and drops what retention dropped.
	Decide(ctx context.Context, sheets []warehouse.Sheet) error
}

// An Asked is what somebody wants from an engine.
type Asked struct {
	URL       *url.URL
	Lookup    func(string) (string, bool) // the environment, as os.LookupEnv
	Warehouse *warehouse.Warehouse        // whose files are read, by engines that do
}

// A Kind is an engine.
type Kind struct {
	Schemes []string
	Form    string // of the URL, for messages
	Open    func(ctx context.Context, a Asked) (Reader, error)
}

// All lists the engines.
var All = []Kind{
	{[]string{"postgres", "postgresql"}, "postgres://USER@HOST/DATABASE", openPostgres},
	{[]string{"clickhouse"}, "clickhouse://USER@HOST:8123/DATABASE", openClickHouse},
	{[]string{"duckdb"}, "duckdb:", openDuckDB},
}

// ErrAddress says that a URL names no engine.
var ErrAddress = errors.New("no such engine")

// Open connects to the engine of a URL. The errors of it and of the reader name no
// password.
func Open(ctx context.Context, address string, lookup func(string) (string, bool), w *warehouse.Warehouse) (Reader, error) {
	u, err := url.Parse(address)
	if err != nil { // its error has the URL in it, and that the password
		return nil, fmt.Errorf("%w: the URL cannot be read; want %s", ErrAddress, forms())
	}
	scheme := u.Scheme
	if address == "duckdb" {
		scheme = address
	}
	for _, kind := range All {
		if !slices.Contains(kind.Schemes, scheme) {
			continue
		}
		hidden := hider(u, lookup)
		r, err := kind.Open(ctx, Asked{u, lookup, w})
		if err != nil {
			return nil, hidden.err(err)
		}
		if m, is := r.(Mirror); is {
			return discreet{m, hidden}, nil
		}
		return r, nil
	}
	return nil, fmt.Errorf("%w: %q; want %s", ErrAddress, scheme, forms())
}

func forms() string {
	var list []string
	for _, kind := range All {
		list = append(list, kind.Form)
	}
	return strings.Join(list, ", ")
}

// Name is a URL as messages show it.
func Name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the engine"
	}
	return u.Redacted()
}

// A hidden knows the secrets that no message may have in it.
type hidden struct{ finder *secret.Finder }

func hider(u *url.URL, lookup func(string) (string, bool)) hidden {
	var values []string
	if password, given := u.User.Password(); given {
		values = append(values, password)
	}
	for name, list := range u.Query() {
		if secret.Named(name) {
			values = append(values, list...)
		}
	}
	for _, name := range []string{"PGPASSWORD", "CLICKHOUSE_PASSWORD"} {
		if value, _ := lookup(name); value != "" {
			values = append(values, value)
		}
	}
	return hidden{secret.NewFinder(values)}
}

// err is an error whose text has no secret in it, and which still is what it was.
func (h hidden) err(err error) error {
	if err == nil {
		return nil
	}
	text := h.finder.Hide(err.Error())
	if text == err.Error() {
		return err
	}
	return redacted{text, err}
}

type redacted struct {
	text string
	of   error
}

func (r redacted) Error() string        { return r.text }
func (r redacted) Is(target error) bool { return errors.Is(r.of, target) }

// A discreet mirror tells no secrets in its errors.
type discreet struct {
	of     Mirror
	hidden hidden
}

func (d discreet) Query(ctx context.Context, statement string, limit warehouse.Limit) (warehouse.Answer, error) {
	a, err := d.of.Query(ctx, statement, limit)
	return a, d.hidden.err(err)
}

func (d discreet) Prepare(ctx context.Context) (map[string]bool, error) {
	older, err := d.of.Prepare(ctx)
	return older, d.hidden.err(err)
}

func (d discreet) Replace(ctx context.Context) error { return d.hidden.err(d.of.Replace(ctx)) }

func (d discreet) Runs(ctx context.Context) (map[string]bool, error) {
	runs, err := d.of.Runs(ctx)
	return runs, d.hidden.err(err)
}

func (d discreet) Add(ctx context.Context, digests []string, sheets []warehouse.Sheet) error {
	return d.hidden.err(d.of.Add(ctx, digests, sheets))
}

func (d discreet) Acts(ctx context.Context) (map[int64]int64, error) {
	list, err := d.of.Acts(ctx)
	return list, d.hidden.err(err)
}

func (d discreet) Decide(ctx context.Context, sheets []warehouse.Sheet) error {
	return d.hidden.err(d.of.Decide(ctx, sheets))
}

func (d discreet) Close() error { return d.hidden.err(d.of.Close()) }
