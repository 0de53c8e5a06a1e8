package warehouse

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// A Limit bounds a query. The zero value takes the usual ones.
type Limit struct {
	Rows int           // zero means 10000
	Time time.Duration // zero means 30 s

	// Sound leaves the numbers of runs that are void, did not complete or were retracted
	// out of every table, for those who repeat numbers without looking at the run.
	Sound bool
}

func (l Limit) withDefaults() Limit {
	if l.Rows == 0 {
		l.Rows = 10_000
	}
	if l.Time == 0 {
		l.Time = 30 * time.Second
	}
	return l
}

// An Answer is what a query gave.
type Answer struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // of null, whole numbers, numbers and texts
	More    bool     `json:"more"` // there are more rows than the limit
}

// ErrQuery says that a query is not one that may be asked.
var ErrQuery = errors.New("query refused")

// readers are the words that a statement which only reads begins with.
var readers = []string{"SELECT", "WITH", "VALUES", "EXPLAIN"}

// attachLimit is SQLITE_LIMIT_ATTACHED: how many other databases a connection may open.
const attachLimit = 7

// Query answers a statement that only reads. The connection cannot write, nor open another
// file; beyond that the statement must be a single one, since VACUUM INTO writes a file of
// its own even where the database is read-only.
func (w *Warehouse) Query(ctx context.Context, statement string, limit Limit) (Answer, error) {
	ctx, limit, stop, err := Ask(ctx, statement, limit)
	if err != nil {
		return Answer{}, err
	}
	defer stop()
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return Answer{}, err
	}
	defer conn.Close() // it goes back to the pool
	if _, err := sqlite.Limit(conn, attachLimit, 0); err != nil {
		return Answer{}, err
	}
	if limit.Sound {
		if err := hideUnsound(ctx, conn, statement); err != nil {
			return Answer{}, err
		}
		// What hides them belongs to the connection, which therefore serves nobody else.
		defer conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	rows, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return Answer{}, asked(ctx, err)
	}
	defer rows.Close() // its error is that of rows.Err
	return answer(ctx, rows, limit)
}

// Ask refuses a statement that may not be asked, of this engine or another, and fills in
// its limits. The context ends with the time that the statement may take.
func Ask(ctx context.Context, statement string, limit Limit) (context.Context, Limit, context.CancelFunc, error) {
	if err := onlyReads(statement); err != nil {
		return ctx, limit, nil, err
	}
	limit = limit.withDefaults()
	ctx, stop := context.WithTimeoutCause(ctx, limit.Time, fmt.Errorf("the query took longer than %v: narrow it, or allow more with --time", limit.Time))
	return ctx, limit, stop, nil
}

// asked blames the time limit where that ended the query, else the statement.
func asked(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %w", ErrQuery, err)
}

func answer(ctx context.Context, rows *sql.Rows, limit Limit) (a Answer, err error) {
	if a.Columns, err = rows.Columns(); err != nil {
		return a, err
	}
	a.Rows = [][]any{}
	for rows.Next() {
		if len(a.Rows) == limit.Rows {
			a.More = true
			return a, nil
		}
		row, places := make([]any, len(a.Columns)), make([]any, len(a.Columns))
		for i := range row {
			places[i] = &row[i]
		}
		if err := rows.Scan(places...); err != nil {
			return a, err
		}
		for i, cell := range row {
			if blob, is := cell.([]byte); is {
				row[i] = string(blob)
			}
		}
		a.Rows = append(a.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return a, asked(ctx, err)
	}
	return a, nil
}

// onlyReads refuses what is not one statement that reads.
func onlyReads(statement string) error {
	code := strings.TrimSpace(bare(statement))
	code = strings.TrimSpace(strings.TrimSuffix(code, ";"))
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	word := strings.ToUpper(code)
	if end := strings.IndexFunc(word, func(r rune) bool { return !letter(r) }); end >= 0 {
		word = word[:end]
	}
	switch {
	case code == "":
		return fmt.Errorf("%w: it is empty", ErrQuery)
	case strings.Contains(code, ";"):
		return fmt.Errorf("%w: want one statement, without a semicolon in it", ErrQuery)
	case !slices.Contains(readers, word):
		return fmt.Errorf("%w: it begins with %q, and only %s read: the catalogue is written by assay keep alone", ErrQuery, word, strings.Join(readers, ", "))
	}
	return nil
}

// bare is a statement without its comments, texts and quoted names, which may hold
// anything.
func bare(statement string) string {
	var out strings.Builder
	for i := 0; i < len(statement); {
		end, ok := "", false
		switch rest := statement[i:]; {
		case strings.HasPrefix(rest, "--"):
			end, ok = "\n", true
		case strings.HasPrefix(rest, "/*"):
			end, ok = "*/", true
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			end, ok = rest[:1], true
		case rest[0] == '[':
			end, ok = "]", true
		}
		if !ok {
			out.WriteByte(statement[i])
			i++
			continue
		}
		out.WriteByte(' ')
		from := min(i+len(end), len(statement)) // an opening is as long as its end, but for --, whose second dash is skipped with the rest
		skip := strings.Index(statement[from:], end)
		if skip < 0 {
			return out.String()
		}
		i = from + skip + len(end)
	}
	return out.String()
}
