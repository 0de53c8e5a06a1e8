package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/secret"
	"assay/warehouse"
)

// A clickHouse is a server's HTTP interface, which is the same in servers of eight years.
//
// There are no transactions over several tables. So the rows of a run carry the attempt
// that wrote them, the last row of an attempt says that it is whole, and what people read
// are views of the rows of the first whole attempt for each run. An attempt that was killed
// is never seen; two at the same time are seen once.
type clickHouse struct {
	at       url.URL // without a query
	database string
	header   http.Header
	client   *http.Client
	known    map[string]bool // settings that the server has, of those that are asked for
	beside   bool            // views still show the rows of older tables
}

// sameAnswers are the settings under which the server answers as SQL says. A server that
// is too old for one of them does without it.
var sameAnswers = map[string]string{
	"join_use_nulls":                           "1", // a row without a partner has nulls, not zeros
	"aggregate_functions_null_for_empty":       "1", // so has the sum of no rows
	"union_default_mode":                       "DISTINCT",
	"except_default_mode":                      "DISTINCT",
	"intersect_default_mode":                   "DISTINCT",
	"prefer_column_name_to_alias":              "1",
	"transform_null_in":                        "0",
	"cast_keep_nullable":                       "1",
	"allow_experimental_correlated_subqueries": "1",
}

// exactRows are the settings under which the server keeps what it is given.
var exactRows = map[string]string{
	"precise_float_parsing":        "1",
	"async_insert":                 "0",
	"input_format_null_as_default": "0",
	"insert_deduplicate":           "0",
	"insert_null_as_default":       "0",
	"wait_end_of_query":            "1",
}

func openClickHouse(ctx context.Context, a Asked) (Reader, error) {
	lookup := func(name string) string { value, _ := a.Lookup(name); return value }
	at := url.URL{Scheme: "http", Host: a.URL.Host, Path: "/"}
	if secure, _ := strconv.ParseBool(a.URL.Query().Get("secure")); secure {
		at.Scheme = "https"
	}
	if a.URL.Hostname() == "" {
		return nil, fmt.Errorf("%w: no host; want clickhouse://USER@HOST:8123/DATABASE", ErrAddress)
	}
	if a.URL.Port() == "" {
		at.Host = net.JoinHostPort(a.URL.Hostname(), map[string]string{"http": "8123", "https": "8443"}[at.Scheme])
	}
	password, given := a.URL.User.Password()
	if !given {
		password = lookup("CLICKHOUSE_PASSWORD")
	}
	if password != "" && at.Scheme == "http" && !secret.Loopback(a.URL.Hostname()) {
		return nil, fmt.Errorf("%w: the password would go to %s unencrypted: add ?secure=true", ErrAddress, at.Host)
	}
	c := &clickHouse{
		at: at, database: cmp.Or(strings.Trim(a.URL.Path, "/"), "assay"), known: map[string]bool{},
		header: http.Header{
			"X-Clickhouse-User": {cmp.Or(a.URL.User.Username(), lookup("CLICKHOUSE_USER"), "default")},
			"X-Clickhouse-Key":  {password},
		},
		client: &http.Client{CheckRedirect: secret.SameHost},
	}
	if !plainName(c.database) {
		return nil, fmt.Errorf("%w: the database %q: want letters, digits and underscores", ErrAddress, c.database)
	}
	return c, c.learn(ctx)
}

func plainName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// learn asks which settings the server has.
func (c *clickHouse) learn(ctx context.Context) error {
	for _, table := range []string{"settings", "merge_tree_settings"} {
		a, err := c.ask(ctx, `SELECT name FROM system.`+table, nil)
		if err != nil {
			return err
		}
		for _, row := range a.Rows {
			c.known[fmt.Sprint(row[0])] = true
		}
	}
	return nil
}

func (c *clickHouse) Close() error { c.client.CloseIdleConnections(); return nil }

func (c *clickHouse) Runs(ctx context.Context) (map[string]bool, error) {
	a, err := c.ask(ctx, "SELECT DISTINCT of_run FROM "+c.database+"."+wholeRun, nil)
	return runsIn(a), err
}

func (c *clickHouse) Acts(ctx context.Context) (map[int64]int64, error) {
	a, err := c.ask(ctx, "SELECT number, at_ns FROM "+c.database+".act_fact", nil)
	return actsIn(a), err
}

// Add inserts the rows of every table, and then that they are whole.
func (c *clickHouse) Add(ctx context.Context, digests []string, sheets []warehouse.Sheet) error {
	attempt := time.Now().UTC().Format("20060102T150405.000000000") + rand.Text()
	for _, s := range sheets {
		if err := c.insert(ctx, rowsOf(s.Table), s.Table.Names(), s.Rows, func(i int) (string, string) { return s.Of[i], attempt }); err != nil {
			return err
		}
	}
	return c.insert(ctx, wholeRun, nil, make([][]any, len(digests)), func(i int) (string, string) { return digests[i], attempt })
}

// Decide inserts what is not there. Twice the same row is seen once.
func (c *clickHouse) Decide(ctx context.Context, sheets []warehouse.Sheet) error {
	for _, s := range sheets {
		keys := strings.Join(s.Table.Key, ", ")
		a, err := c.ask(ctx, fmt.Sprintf("SELECT %s FROM %s.%s", keys, c.database, rowsOf(s.Table)), nil)
		if err != nil {
			return err
		}
		there := map[string]bool{}
		for _, row := range a.Rows {
			there[fmt.Sprint(row)] = true
		}
		names := s.Table.Names()
		fresh := slices.DeleteFunc(slices.Clone(s.Rows), func(row []any) bool {
			var key []any
			for _, name := range s.Table.Key {
				key = append(key, row[slices.Index(names, name)])
			}
			return there[fmt.Sprint(key)]
		})
		if err := c.insert(ctx, rowsOf(s.Table), names, fresh, func(int) (string, string) { return "", "" }); err != nil {
			return err
		}
	}
	return nil
}

// insert sends rows as JSON, each with its run and attempt, in one statement.
func (c *clickHouse) insert(ctx context.Context, table string, names []string, rows [][]any, of func(i int) (run, attempt string)) error {
	if len(rows) == 0 {
		return nil
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for i, row := range rows {
		entry := map[string]any{}
		entry["of_run"], entry["attempt"] = of(i)
		for k, name := range names {
			if row[k] != nil { // what is left out is null
				entry[name] = row[k]
			}
		}
		if err := encoder.Encode(entry); err != nil {
			return err
		}
	}
	columns := strings.Join(append([]string{"of_run", "attempt"}, names...), ", ")
	if err := c.send(ctx, fmt.Sprintf("INSERT INTO %s (%s) FORMAT JSONEachRow", table, columns), &body, c.database); err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	return nil
}

// send has the server do something.
func (c *clickHouse) send(ctx context.Context, statement string, body io.Reader, database string) error {
	settings := url.Values{}
	if database != "" {
		settings.Set("database", database)
	}
	c.settle(settings, exactRows)
	if strings.HasPrefix(statement, "CREATE VIEW") || strings.HasPrefix(statement, "CREATE OR REPLACE VIEW") {
		c.settle(settings, sameAnswers)
	}
	_, err := c.post(ctx, statement, body, settings)
	return err
}

func (c *clickHouse) settle(settings url.Values, wanted map[string]string) {
	for name, value := range wanted {
		if c.known[name] || name == "wait_end_of_query" {
			settings.Set(name, value)
		}
	}
}

// mostAnswer bounds what is read of an answer.
const mostAnswer = 256 << 20

func (c *clickHouse) post(ctx context.Context, statement string, body io.Reader, settings url.Values) ([]byte, error) {
	at := c.at
	if body == nil {
		body = strings.NewReader(statement)
	} else {
		settings.Set("query", statement)
	}
	at.RawQuery = settings.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), body)
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	answer, err := c.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var fault *url.Error // its text has the statement in it, and the settings
		if errors.As(err, &fault) {
			err = fault.Err
		}
		return nil, fmt.Errorf("ClickHouse at %s: %w", c.at.Host, err)
	}
	defer answer.Body.Close() // everything was read
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("ClickHouse at %s: %w", c.at.Host, err)
	case len(data) > mostAnswer:
		return nil, fmt.Errorf("%w: the answer has more than %d MB: narrow it", warehouse.ErrQuery, mostAnswer>>20)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("ClickHouse at %s lets %s not in: set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD: %s", c.at.Host, c.header.Get("X-Clickhouse-User"), secret.Head(string(data), 500))
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%w: %s", errRefused, strings.TrimSpace(secret.Head(string(data), 2000)))
	}
	return data, nil
}

// errRefused says that the server would not do it.
var errRefused = errors.New("ClickHouse refuses")
