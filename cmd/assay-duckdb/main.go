// Command assay-duckdb answers one question with DuckDB, for assay query --on duckdb: the
// question comes as JSON on standard input, the answer goes as JSON to standard output.
// It is a module and a program of its own, since DuckDB is 59 MB of C++ and assay is built
// without a C compiler.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// A question is what assay asks.
type question struct {
	Setup     []string `json:"setup"`     // statements that make views, before anything is locked
	Folders   []string `json:"folders"`   // the only ones from which files are read
	Statement string   `json:"statement"` // what is asked
	Rows      int      `json:"rows"`      // the most rows of the answer
}

// An answer is what DuckDB says. Numbers are texts: JSON does not tell 3 from 3.0.
type answer struct {
	Columns []string `json:"columns"`
	Rows    [][]cell `json:"rows"`
	More    bool     `json:"more"`
	Refused string   `json:"refused,omitempty"` // why the statement is none that may be asked
}

// A cell is its kind and its text; null has no kind.
type cell [2]string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	var q question
	if err := json.NewDecoder(in).Decode(&q); err != nil {
		return fmt.Errorf("assay query --on duckdb calls this program; its question cannot be read: %w", err)
	}
	a, err := ask(ctx, q)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(a)
}

func ask(ctx context.Context, q question) (a answer, err error) {
	db, err := sql.Open("duckdb", "") // in memory: nothing that a statement makes outlives it
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return a, err
	}
	defer conn.Close() // with the database
	for _, statement := range append(q.Setup, locks(q.Folders)...) {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return a, fmt.Errorf("%s: %w", statement, err)
		}
	}
	if err := reads(ctx, conn, q.Statement); err != nil {
		return answer{Refused: err.Error()}, nil
	}
	rows, err := conn.QueryContext(ctx, q.Statement)
	if err != nil {
		return answer{Refused: err.Error()}, nil
	}
	defer rows.Close() // its error is that of rows.Err
	return take(rows, q.Rows)
}

// locks leave a statement nothing but the folders to read from, and no setting to change.
func locks(folders []string) []string {
	var quoted []string
	for _, folder := range folders {
		quoted = append(quoted, "'"+strings.ReplaceAll(folder, "'", "''")+"'")
	}
	return []string{
		"SET allowed_directories = [" + strings.Join(quoted, ", ") + "]", "SET enable_external_access = false",
		"SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false", "SET lock_configuration = true",
	}
}

// reads refuses a statement that is no SELECT by DuckDB's own reading of it.
func reads(ctx context.Context, conn *sql.Conn, statement string) error {
	return conn.Raw(func(driver any) error {
		prepared, err := driver.(*duckdb.Conn).PrepareContext(ctx, statement)
		if err != nil {
			return err
		}
		defer prepared.Close() // nothing was asked through it
		kind, err := prepared.(*duckdb.Stmt).StatementType()
		if err == nil && kind != duckdb.STATEMENT_TYPE_SELECT && kind != duckdb.STATEMENT_TYPE_EXPLAIN {
			err = errors.New("it is no statement that only reads")
		}
		return err
	})
}

func take(rows *sql.Rows, most int) (a answer, err error) {
	if a.Columns, err = rows.Columns(); err != nil {
		return a, err
	}
	a.Rows = [][]cell{}
	for rows.Next() {
		if len(a.Rows) == most {
			a.More = true
			return a, nil
		}
		values, places := make([]any, len(a.Columns)), make([]any, len(a.Columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return a, err
		}
		row := make([]cell, len(values))
		for i, value := range values {
			row[i] = cellOf(value)
		}
		a.Rows = append(a.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return answer{Refused: err.Error()}, nil // such as a text that is no number
	}
	return a, nil
}

// cellOf is a value as a whole number, a number or a text, whatever DuckDB's type for it is.
func cellOf(value any) cell {
	switch v := value.(type) {
	case nil:
		return cell{}
	case bool:
		return map[bool]cell{true: {"integer", "1"}, false: {"integer", "0"}}[v]
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return cell{"integer", fmt.Sprint(v)}
	case *big.Int: // the sum of whole numbers
		return cell{"integer", v.String()}
	case float32:
		return real(float64(v))
	case float64:
		return real(v)
	case duckdb.Decimal:
		return real(v.Float64())
	case []byte:
		return cell{"text", string(v)}
	case time.Time:
		return cell{"text", v.Format(time.RFC3339Nano)}
	}
	return cell{"text", fmt.Sprint(value)}
}

func real(v float64) cell {
	if math.IsNaN(v) || math.IsInf(v, 0) { // what others call null
		return cell{}
	}
	return cell{"real", strconv.FormatFloat(v, 'g', -1, 64)}
}
