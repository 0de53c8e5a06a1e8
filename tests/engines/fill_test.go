package engines

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"assay/tests/whole"
	"assay/warehouse"
	"assay/warehouse/engine"
)

var lookup = os.LookupEnv

// everything counts the rows of each table, and how many runs have them.
var everything = func() (list []string) {
	for _, table := range warehouse.Tables {
		list = append(list, fmt.Sprintf("SELECT count(*) AS n FROM %s", table.Name))
	}
	return list
}()

// equal wants as many rows as the warehouse has, in every table.
func equal(t *testing.T, r engine.Reader, w *warehouse.Warehouse) {
	t.Helper()
	for _, statement := range everything {
		want, err := w.Query(t.Context(), statement, warehouse.Limit{})
		must(t, err)
		got, err := r.Query(t.Context(), statement, warehouse.Limit{})
		if err == nil {
			err = differs(got, want)
		}
		if err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// none wants no row of any run.
func none(t *testing.T, r engine.Reader, when string) {
	t.Helper()
	for _, statement := range everything {
		a, err := r.Query(t.Context(), statement, warehouse.Limit{})
		must(t, err)
		if a.Rows[0][0] != int64(0) && !strings.Contains(statement, "act_fact") {
			t.Errorf("%s: %s gives %v, want none", when, statement, a.Rows[0][0])
		}
	}
}

// A copy to Postgres that fails in its last table leaves nothing of the others.
func TestPostgresWholeOrNot(t *testing.T) {
	whole.Engines(t)
	w := filled(t, 9)
	m := opened(t, address("postgres", Postgres(t), "postgres"), w).(engine.Mirror)
	_, err := m.Prepare(t.Context())
	must(t, err)
	digests, err := w.Digests(t.Context())
	must(t, err)
	sheets, err := w.SheetsOf(t.Context(), digests)
	must(t, err)
	last := sheets[len(sheets)-1].Rows[0]
	kept := last[0]
	last[0] = nil // which the column does not allow
	if err := m.Add(t.Context(), digests, sheets); err == nil {
		t.Error("rows without a key were copied")
	}
	none(t, m, "after a copy that failed")
	last[0] = kept
	must(t, fill(t, w, m, 11, 0))
	must(t, fill(t, w, m, 0, 11))
	equal(t, m, w)
}

// A copy to ClickHouse that ends at any request leaves nothing to be seen, and the next one
// makes it whole; two at the same time are seen once.
func TestClickHouseWholeOrNot(t *testing.T) {
	whole.Engines(t)
	w := filled(t, 9)
	server := ClickHouse(t)
	var left atomic.Int64 // requests until the network is gone
	left.Store(1 << 40)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Query().Get("query"), "INSERT") && left.Add(-1) < 0 {
			panic(http.ErrAbortHandler)
		}
		u, _ := url.Parse("http://" + server)
		u.RawQuery = r.URL.RawQuery
		next, err := http.NewRequest(r.Method, u.String(), r.Body)
		if err != nil {
			panic(err)
		}
		next.Header, next.ContentLength = r.Header.Clone(), r.ContentLength
		answer, err := http.DefaultClient.Do(next)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer answer.Body.Close()
		out.WriteHeader(answer.StatusCode)
		io.Copy(out, answer.Body)
	}))
	t.Cleanup(proxy.Close)
	at := address("clickhouse", strings.TrimPrefix(proxy.URL, "http://"), "benchmarks")
	m := opened(t, at, w).(engine.Mirror)
	_, err := m.Prepare(t.Context())
	must(t, err)
	for _, requests := range []int64{0, 3, 11} { // a batch is an insert for each table, and one that says that it is whole
		left.Store(requests)
		if _, err := engine.Fill(t.Context(), w, m); err == nil {
			t.Fatalf("a copy of %d requests came to its end", requests)
		}
		left.Store(1 << 40)
		none(t, m, fmt.Sprintf("after %d requests", requests))
	}
	var group sync.WaitGroup
	faults := make([]error, 2)
	for i := range faults {
		group.Go(func() {
			r, err := engine.Open(t.Context(), at, lookup, w)
			if err == nil {
				_, err = engine.Fill(t.Context(), w, r.(engine.Mirror))
			}
			faults[i] = err
		})
	}
	group.Wait()
	must(t, errors.Join(faults...))
	equal(t, m, w)
	must(t, fill(t, w, m, 0, 11))
	equal(t, m, w)
}

// A server of 2018 takes the copy over the same HTTP interface, and makes an older one again,
// keeps everybody from writing, and wants its password, which no error tells.
func TestOldClickHouse(t *testing.T) {
	whole.Engines(t)
	w := filled(t, 9)
	at := OldClickHouse(t)
	m := opened(t, address("clickhouse", at, "benchmarks"), w).(engine.Mirror)
	must(t, fill(t, w, m, 11, 0))
	must(t, fill(t, w, m, 0, 11))
	equal(t, m, w)
	for _, statement := range []string{"SELECT * FROM url('http://127.0.0.1:1/', CSV, 'x String')", "SELECT 1 FROM system.one SETTINGS readonly = 0"} {
		if _, err := m.Query(t.Context(), statement, warehouse.Limit{}); !errors.Is(err, warehouse.ErrQuery) {
			t.Errorf("%q: %v, want it refused", statement, err)
		}
	}
	asVersion3(t, at)
	must(t, fill(t, w, opened(t, address("clickhouse", at, "benchmarks"), w).(engine.Mirror), 11, 0))
	equal(t, m, w)
	wrong := "wrong-password-1234"
	_, err := engine.Open(t.Context(), strings.Replace(address("clickhouse", at, "benchmarks"), url.UserPassword(User, Password).String(), User+":"+wrong, 1), lookup, w)
	if err == nil || strings.Contains(err.Error(), wrong) {
		t.Errorf("a wrong password: %v, want a refusal without the password in it", err)
	}
}

// A mirror of one warehouse refuses another.
func TestMirrorOfAnother(t *testing.T) {
	whole.Engines(t)
	at := address("postgres", Postgres(t), "postgres")
	one := filled(t, 9)
	m := opened(t, at, one).(engine.Mirror)
	must(t, fill(t, one, m, 11, 0))
	if _, err := engine.Fill(t.Context(), filled(t, 10), m); !errors.Is(err, engine.ErrAnother) {
		t.Errorf("%v, want it refused", err)
	}
	wrong := "wrong-password-1234"
	_, err := engine.Open(t.Context(), strings.Replace(at, url.UserPassword(User, Password).String(), User+":"+wrong, 1), lookup, one)
	if err == nil || strings.Contains(err.Error(), wrong) || !strings.Contains(err.Error(), "password authentication failed") {
		t.Errorf("a wrong password: %v, want a refusal without the password in it", err)
	}
}
