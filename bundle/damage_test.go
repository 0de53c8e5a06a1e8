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
	sound := readAll(t, path)
	for i := 0; i < len(sound); i += whole.Stride(7) {
		for _, b := range []byte{0x7f, sound[i] ^ 0xff} {
			damaged := append([]byte{}, sound...)
			damaged[i] = b
			check(t, os.WriteFile(path, damaged, 0o644))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_ = eachBatch(path, func([]record.Event) error { return nil })
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; took > time.Minute || used > 256<<20 {
				t.Errorf("byte %d of %d = %#x: reading took %v and %d MB", i, len(sound), b, took, used>>20)
			}
		}
	}
}
