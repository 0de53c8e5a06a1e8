package bundle

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"assay/record"
	"assay/tests/whole"
)

// A damaged table ends in rows or an error, soon and without eating the memory,
// whichever byte was hit: the Parquet library trusts lengths it reads.
func TestDamagedTable(t *testing.T) {
	whole.Only(t)
	dir := t.TempDir()
	writeSegments(t, dir, 300)
	path := filepath.Join(dir, segmentName(Events, 0, 0))
	whole := readAll(t, path)
	for i := range whole {
		for _, b := range []byte{0x7f, whole[i] ^ 0xff} {
			damaged := append([]byte{}, whole...)
			damaged[i] = b
			check(t, os.WriteFile(path, damaged, 0o644))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_ = eachBatch(path, func([]record.Event) error { return nil })
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; took > time.Minute || used > 256<<20 {
				t.Errorf("byte %d of %d = %#x: reading took %v and %d MB", i, len(whole), b, took, used>>20)
			}
		}
	}
}
