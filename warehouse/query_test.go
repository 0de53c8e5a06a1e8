package warehouse

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Whatever writes, opens a file or runs a second statement is refused, and leaves nothing.
func TestQueryRefuses(t *testing.T) {
	dir := t.TempDir()
	must(t, writerOnce(t, dir))
	w, err := Open(t.Context(), dir)
	must(t, err)
	defer w.Close()
	evil := filepath.Join(t.TempDir(), "evil.db")
	for _, statement := range []string{
		"", "  ", "-- nothing", "/* SELECT 1 */",
		"INSERT INTO stale VALUES ('a', 'b')", "UPDATE stale SET day = ''", "DELETE FROM stale", "DROP TABLE stale",
		"CREATE TABLE x (y)", "PRAGMA query_only = 0", "ATTACH '" + evil + "' AS e", "VACUUM", "VACUUM INTO '" + evil + "'", "BEGIN",
		"WITH a AS (SELECT 1) DELETE FROM stale", "WITH a AS (SELECT 1) INSERT INTO stale SELECT 'a', 'b' FROM a",
		"SELECT 1; VACUUM INTO '" + evil + "'", "SELECT 1;\nDELETE FROM stale", "SELECT 'a;' ; DELETE FROM stale",
		"SELECT 1 /* ; */ ; VACUUM INTO '" + evil + "'", "SELECT 1 -- x\n; VACUUM INTO '" + evil + "'",
		"/* SELECT */ DELETE FROM stale", "SELECT \"a\"\"\"; DELETE FROM stale", "SELECT [;]; DELETE FROM stale",
		"SELECT load_extension('x')", "SELECT no_such_column", "SELECT writefile('" + evil + "', 'x')",
	} {
		if _, err := w.Query(t.Context(), statement, Limit{}); !errors.Is(err, ErrQuery) {
			t.Errorf("%q: %v, want it refused", statement, err)
		}
	}
	if _, err := os.Stat(evil); err == nil {
		t.Errorf("a query wrote %s", evil)
	}
}

func writerOnce(t *testing.T, dir string) error {
	w, err := OpenWriter(t.Context(), dir)
	if err != nil {
		return err
	}
	return w.Close()
}

func TestQueryAnswers(t *testing.T) {
	dir := t.TempDir()
	must(t, writerOnce(t, dir))
	w, err := Open(t.Context(), dir)
	must(t, err)
	defer w.Close()
	f := func(statement, want string) {
		t.Helper()
		if got := ask(t, w, statement); got != want {
			t.Errorf("%s = %s, want %s", statement, got, want)
		}
	}
	f("SELECT 'a;b'", "a;b")
	f("select 1 -- one;\n", "1")
	f("WITH a (x) AS (VALUES (2)) SELECT x FROM a;", "2")
	f("VALUES (3)", "3")
	f("SELECT 'it''s; DELETE'", "it's; DELETE")
	a, err := w.Query(t.Context(), "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) SELECT i FROM n", Limit{Rows: 10})
	if err != nil || len(a.Rows) != 10 || !a.More {
		t.Errorf("%d rows, more %v, %v; want the first 10 of more", len(a.Rows), a.More, err)
	}
	_, err = w.Query(t.Context(), "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", Limit{Time: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "longer than 50ms") {
		t.Errorf("a query without end: %v, want the time limit", err)
	}
}
