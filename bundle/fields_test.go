package bundle

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"assay/record"
)

// batchesOf reads a table in its order, but for some columns.
func batchesOf[T any](t *testing.T, b *Bundle, table string, n int, without ...string) []T {
	t.Helper()
	rows := make([]T, n)
	var mu sync.Mutex
	seen := 0
	check(t, Batches(b, 0, table, 3, without, func(place int64, some []T) error {
		mu.Lock()
		defer mu.Unlock()
		seen += copy(rows[place:], some)
		return nil
	}))
	if seen != n {
		t.Fatalf("%d rows, want %d", seen, n)
	}
	return rows
}

// requestTable is a bundle with a table requests of the rows given, which may be of
// another type than assay's.
func requestTable[T any](t *testing.T, rows []T) (b *Bundle, path string) {
	t.Helper()
	b = unsealed(t, func(dir string) {
		path = filepath.Join(dir, segmentName(Requests, 0, 0))
		writeTable(t, path, rows, 700)
	})
	return b, path
}

// Batches holds every field of every row, nulls too, and leaves out what nobody wants.
func TestBatchesOfFields(t *testing.T) {
	t.Parallel()
	want := fill[record.Request](3000, 2)
	b, _ := requestTable(t, want)
	if got := batchesOf[record.Request](t, b, Requests, len(want)); !reflect.DeepEqual(got, want) {
		t.Error("the rows differ from those written")
	}
	got := batchesOf[record.Request](t, b, Requests, len(want), "text", "server_request_id")
	for i := range want {
		want[i].Text, want[i].ServerID = "", ""
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("without two columns the rows differ from those written in the others")
	}
}

// Files of others hold columns in other forms, or lack some, and are read all the same.
func TestBatchesOfForeignFields(t *testing.T) {
	t.Parallel()
	type foreign struct {
		ID    *int64 `parquet:"request"`   // may be null
		Point int64  `parquet:"point"`     // wider
		Phase string `parquet:"phase"`     // no dictionary
		Done  int64  `parquet:"done_ns"`   // no delta
		New   string `parquet:"something"` // unknown
	}
	type lacking struct {
		ID *int64 `parquet:"request"`
	}
	one := int64(7)
	wide, _ := requestTable(t, []foreign{{&one, 3, "measure", 11, "x"}, {nil, 4, "warmup", 12, "y"}})
	want := []record.Request{{ID: 7, Point: 3, Phase: record.Measure, Done: 11}, {Point: 4, Phase: record.Warmup, Done: 12}}
	if got := batchesOf[record.Request](t, wide, Requests, 2); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	few, _ := requestTable(t, []lacking{{nil}, {&one}})
	want = []record.Request{{}, {ID: 7}}
	if got := batchesOf[record.Request](t, few, Requests, 2); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A damaged table ends in rows or an error and never in a panic.
func TestBatchesOfADamagedTable(t *testing.T) {
	t.Parallel()
	b, path := requestTable(t, fill[record.Request](40, 3))
	whole := readAll(t, path)
	refused := 0
	for i := 0; i < len(whole); i += 17 {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0xff
		check(t, os.WriteFile(path, damaged, 0o644))
		if Batches(b, 0, Requests, 1, nil, func(int64, []record.Request) error { return nil }) != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no damage was found")
	}
}
