package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"assay/record"
)

// A nullableChunk is a row of chunks as other programs write it: every column may
// be null, and there is no dictionary.
type nullableChunk struct {
	Request   *int64  `parquet:"request,optional"`
	Seq       *int32  `parquet:"seq,optional"`
	Choice    *int32  `parquet:"choice,optional"`
	At        *int64  `parquet:"at_ns,optional"`
	Kind      *string `parquet:"kind,optional"`
	Bytes     *int32  `parquet:"bytes,optional"`
	TextBytes *int32  `parquet:"text_bytes,optional"`
	Shared    *bool   `parquet:"shared_read,optional"`
}

// A dictChunk has dictionaries where assay has none, and the other way round.
type dictChunk struct {
	Request   int64            `parquet:"request,dict"`
	Seq       int32            `parquet:"seq,dict"`
	Choice    int32            `parquet:"choice"`
	At        int64            `parquet:"at_ns"`
	Kind      record.ChunkKind `parquet:"kind,plain"`
	Bytes     int32            `parquet:"bytes,dict"`
	TextBytes int32            `parquet:"text_bytes"`
	Shared    bool             `parquet:"shared_read"`
}

// streams are chunks of some requests: most in one piece, request 3 in two.
func streams() []record.Chunk {
	rows := fill[record.Chunk](9000, 1)
	for i := range rows {
		rows[i].Request = int64(i / 37)
		if i >= 8000 { // longer than what is decoded at once
			rows[i].Request = 1000
		}
	}
	rows[500].Request = 3
	return rows
}

// writeTable makes a segment in row groups of the given size.
func writeTable[T any](t *testing.T, path string, rows []T, group int64) {
	t.Helper()
	f, err := os.Create(path)
	check(t, err)
	w := parquet.NewGenericWriter[T](f, parquet.MaxRowsPerRowGroup(group), parquet.PageBufferSize(3000))
	_, err = w.Write(rows)
	check(t, errors.Join(err, w.Close(), f.Close()))
}

// unsealed is a bundle whose only launch has the segments that write makes.
func unsealed(t *testing.T, write func(dir string)) *Bundle {
	t.Helper()
	w := create(t, header())
	l := startLaunch(t, w, 0)
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	write(filepath.Join(w.Dir(), rawDir, launchDir(0)))
	b, err := Open(w.Dir())
	check(t, err)
	check(t, w.Abandon())
	return b
}

func TestPiecesHoldEveryRow(t *testing.T) {
	t.Parallel()
	want := streams()
	as := map[string]func(dir string){
		"one segment": func(dir string) {
			writeTable(t, filepath.Join(dir, segmentName(Chunks, 0, 0)), want, 1<<20)
		},
		"small row groups": func(dir string) {
			writeTable(t, filepath.Join(dir, segmentName(Chunks, 0, 0)), want, 111)
		},
		"many segments": func(dir string) {
			for i := range 90 {
				writeTable(t, filepath.Join(dir, segmentName(Chunks, i, i)), want[i*100:(i+1)*100], 1<<20)
			}
		},
		"columns that may be null": func(dir string) {
			rows := make([]nullableChunk, len(want))
			for i := range want {
				c := &want[i]
				rows[i] = nullableChunk{&c.Request, &c.Seq, &c.Choice, &c.At, (*string)(&c.Kind), &c.Bytes, &c.TextBytes, &c.Shared}
			}
			writeTable(t, filepath.Join(dir, segmentName(Chunks, 0, 0)), rows, 4000)
		},
		"other encodings": func(dir string) {
			rows := make([]dictChunk, len(want))
			for i, c := range want {
				rows[i] = dictChunk(c)
			}
			writeTable(t, filepath.Join(dir, segmentName(Chunks, 0, 0)), rows, 4000)
		},
	}
	for name, write := range as {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, %d workers", name, workers), func(t *testing.T) {
				b := unsealed(t, write)
				var mu sync.Mutex
				var pieces []Piece
				check(t, b.Pieces(0, workers, func(worker int, p Piece) error {
					if worker < 0 || worker >= workers {
						t.Errorf("worker %d of %d", worker, workers)
					}
					for _, c := range p.Rows {
						if c.Request != p.Rows[0].Request {
							t.Errorf("a piece of requests %d and %d", p.Rows[0].Request, c.Request)
						}
					}
					p.Rows = slices.Clone(p.Rows)
					mu.Lock()
					defer mu.Unlock()
					pieces = append(pieces, p)
					return nil
				}))
				slices.SortFunc(pieces, func(a, b Piece) int { return cmp.Compare(a.Place, b.Place) })
				var got []record.Chunk
				for _, p := range pieces {
					if p.Place != int64(len(got)) {
						t.Fatalf("a piece at row %d, want %d", p.Place, len(got))
					}
					got = append(got, p.Rows...)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d rows differ from the %d written", len(got), len(want))
				}
			})
		}
	}
}

// Rows and Batches read the same rows.
func TestBatchesHoldEveryRow(t *testing.T) {
	want := fill[record.Event](5000, 1)
	b := unsealed(t, func(dir string) {
		for i := range 5 {
			writeTable(t, filepath.Join(dir, segmentName(Events, i, i)), want[i*1000:(i+1)*1000], 300)
		}
	})
	got := make([]record.Event, len(want))
	var mu sync.Mutex
	n := 0
	check(t, Batches(b, 0, Events, 4, nil, func(place int64, rows []record.Event) error {
		mu.Lock()
		defer mu.Unlock()
		n += copy(got[place:], rows)
		return nil
	}))
	if n != len(want) || !slices.Equal(got, want) {
		t.Errorf("%d rows differ from the %d written", n, len(want))
	}
	type wrong struct {
		Name string `parquet:"nome"`
	}
	if err := Batches(b, 0, Events, 1, nil, func(int64, []wrong) error { return nil }); err == nil {
		t.Error("a column that the table does not have is read as zeroes")
	}
}

func TestPiecesStopAtAnError(t *testing.T) {
	b := unsealed(t, func(dir string) {
		writeTable(t, filepath.Join(dir, segmentName(Chunks, 0, 0)), streams(), 500)
	})
	enough := errors.New("enough")
	if err := b.Pieces(0, 2, func(int, Piece) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("Pieces = %v, want what the visitor said", err)
	}
}

// A damaged table ends in rows or an error and never in a panic.
func TestPiecesOfADamagedTable(t *testing.T) {
	t.Parallel()
	var path string
	b := unsealed(t, func(dir string) {
		path = filepath.Join(dir, segmentName(Chunks, 0, 0))
		writeTable(t, path, streams()[:60], 60)
	})
	whole := readAll(t, path)
	refused := 0
	for i := 0; i < len(whole); i += 5 {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0xff
		check(t, os.WriteFile(path, damaged, 0o644))
		if b.Pieces(0, 1, func(int, Piece) error { return nil }) != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no damage was found")
	}
}
