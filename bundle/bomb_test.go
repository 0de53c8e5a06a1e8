package bundle

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"assay/intake"
	"assay/record"
)

// A table of few bytes and very many rows is refused before it fills the memory,
// whichever way it was packed.
func TestParquetBombs(t *testing.T) {
	type dictionary struct {
		ID   int64  `parquet:"request,dict"`
		Kind string `parquet:"kind,dict"`

		// What a reader holds at once is a page of every column.
		A, B, C, D, E, F, G, H int64 `parquet:",dict"`
	}
	f := func(name string, rows int, want string, opts ...parquet.WriterOption) {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		file, err := os.Create(path)
		check(t, err)
		out := parquet.NewGenericWriter[dictionary](file, append(opts, parquet.Compression(&parquet.Zstd))...)
		batch := make([]dictionary, 1<<16)
		for left := rows; left > 0; left -= len(batch) {
			_, err := out.Write(batch[:min(left, len(batch))])
			check(t, err)
		}
		check(t, out.Close())
		check(t, file.Close())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = eachBatch(path, func([]record.Chunk) error { return nil })
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s of %d rows: got %v, want %q", name, rows, err, want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s of %d rows: reading took %d MB", name, rows, used>>20)
		}
	}
	f("chunks-00000.parquet", 2<<20, "row group 0 has 2097152 rows")
	f("requests-00000.parquet", 300_000, "states 300000 rows", parquet.MaxRowsPerRowGroup(1<<16))
	f("chunks-00000.parquet", 1<<20, "its pages are too large", parquet.PageBufferSize(1<<30), parquet.DataPageStatistics(false))
}

// The library makes room for as many elements as a list of the footer claims.
func TestFooterBomb(t *testing.T) {
	path := filepath.Join(t.TempDir(), segmentName(Chunks, 0, 0))
	// Field 2, a list of structures, of which there are two billion.
	footer := append([]byte{0x29, 0xfc}, binary.AppendUvarint(nil, 1<<31-1)...)
	data := append([]byte("PAR1"), footer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(footer)))
	check(t, os.WriteFile(path, append(data, "PAR1"...), 0o644))
	if _, err := readFooter(path); err == nil || !strings.Contains(err.Error(), "claims more than it holds") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// A pipe in the place of a table is refused, not waited for.
func TestTableIsAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), segmentName(Chunks, 0, 0))
	check(t, os.Symlink("/dev/zero", path))
	_, err := readFooter(path)
	if _, refused := err.(*intake.Error); !refused {
		t.Errorf("got %v, want a refusal", err)
	}
}
