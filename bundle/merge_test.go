package bundle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/record"
)

// writeSegments writes one segment for each size; rows are numbered throughout.
func writeSegments(t *testing.T, dir string, sizes ...int) {
	t.Helper()
	w := segmentWriter[record.Event]{dir: dir, table: Events}
	next := int64(0)
	for _, size := range sizes {
		rows := make([]record.Event, size)
		for i := range rows {
			rows[i].At, next = next, next+1
		}
		check(t, w.write(rows))
		check(t, w.finish())
	}
}

func readSegments(t *testing.T, dir string) (rows []int64, files int) {
	t.Helper()
	live, _, err := segmentsIn(dir, Events)
	check(t, err)
	for _, s := range live {
		check(t, eachBatch(s.path, func(batch []record.Event) error {
			for _, e := range batch {
				rows = append(rows, e.At)
			}
			return nil
		}))
	}
	return rows, len(live)
}

func checkNumbered(t *testing.T, rows []int64, n int) {
	t.Helper()
	if len(rows) != n {
		t.Fatalf("got %d rows, want %d", len(rows), n)
	}
	for i, at := range rows {
		if at != int64(i) {
			t.Fatalf("row %d is number %d, want them in order", i, at)
		}
	}
}

func TestMerge(t *testing.T) {
	tests := []struct {
		sizes []int
		files int
	}{
		{[]int{5}, 1},
		{[]int{5, 6, 7}, 1},
		{[]int{5, 6, smallRows, 7, 8}, 3},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.sizes), func(t *testing.T) {
			dir := t.TempDir()
			writeSegments(t, dir, tt.sizes...)
			want := 0
			for _, n := range tt.sizes {
				want += n
			}
			for range 2 { // merging twice changes nothing
				check(t, mergeTable[record.Event](dir, Events, origin{}))
				rows, files := readSegments(t, dir)
				checkNumbered(t, rows, want)
				if files != tt.files {
					t.Errorf("got %d files, want %d", files, tt.files)
				}
			}
		})
	}
}

func TestMergeRuns(t *testing.T) {
	f := func(rows []int64, want string) {
		t.Helper()
		live := make([]segment, len(rows))
		for i := range live {
			live[i] = segment{first: i, last: i}
		}
		var got []string
		for _, run := range mergeRuns(live, rows) {
			got = append(got, fmt.Sprintf("%d-%d", run[0].first, run[len(run)-1].last))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("mergeRuns(%v) = %q, want %q", rows, text, want)
		}
	}
	const small, large = smallRows - 1, smallRows
	f(nil, "")
	f([]int64{1}, "")
	f([]int64{1, 1}, "0-1")
	f([]int64{1, large, 1}, "")
	f([]int64{1, 1, large, 1, 1}, "0-1 3-4")
	f([]int64{small, small, small, small, small, 1, 1}, "0-4 5-6") // a merged one ends at segmentRows
	f([]int64{small, small, small, small, small, 1}, "0-4")
}

// A kill at any step of merging neither loses nor doubles a row: with the merged
// file half written, with it whole and all parts there, and with any of the
// parts already removed.
func TestMergeCrashPoints(t *testing.T) {
	sizes := []int{3, 4, 5, 6}
	const rows = 3 + 4 + 5 + 6
	merged := t.TempDir()
	writeSegments(t, merged, sizes...)
	check(t, mergeTable[record.Event](merged, Events, origin{}))
	name := segmentName(Events, 0, len(sizes)-1)
	whole := readAll(t, filepath.Join(merged, name))

	half := t.TempDir()
	writeSegments(t, half, sizes...)
	check(t, os.WriteFile(filepath.Join(half, name+tmpSuffix), whole[:len(whole)/2], 0o644))
	got, _ := readSegments(t, half)
	checkNumbered(t, got, rows)

	for removed := range 1 << len(sizes) { // every subset of the parts
		dir := t.TempDir()
		writeSegments(t, dir, sizes...)
		check(t, os.WriteFile(filepath.Join(dir, name), whole, 0o644))
		for i := range sizes {
			if removed>>i&1 == 1 {
				check(t, os.Remove(filepath.Join(dir, segmentName(Events, i, i))))
			}
		}
		got, _ := readSegments(t, dir)
		checkNumbered(t, got, rows)
		check(t, sweep(dir))
		if files := allFiles(t, dir); len(files) != 1 || files[0] != name {
			t.Errorf("after sweep: %v, want the merged segment alone", files)
		}
	}
}

// Merged segments can be merged again, and the name still says what they cover.
func TestStanding(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	names := []string{
		"events-00000-00003.parquet", "events-00000.parquet", "events-00002-00003.parquet",
		"events-00003.parquet", "events-00004.parquet", "events-00005-00006.parquet", "events-00006.parquet",
	}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var all []segment
	for _, n := range names {
		s, ok := parseSegment(n)
		if !ok {
			t.Fatalf("parseSegment(%s): not a segment", n)
		}
		all = append(all, s)
	}
	live, replaced := standing(all)
	var got []string
	for _, s := range live {
		got = append(got, s.path)
	}
	want := []string{"events-00000-00003.parquet", "events-00004.parquet", "events-00005-00006.parquet"}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(replaced) != 4 {
		t.Errorf("live = %v and %d replaced, want %v and 4", got, len(replaced), want)
	}
}

func TestParseSegment(t *testing.T) {
	for _, name := range []string{"events.parquet", "events-1.parquet", "events-00002-00001.parquet", "events-00001.parquet.tmp", "Events-00001.parquet", "events-00001-.parquet"} {
		if s, ok := parseSegment(name); ok {
			t.Errorf("parseSegment(%s) = %+v, want none", name, s)
		}
	}
}

// A long launch keeps its number of files bounded, and merging beside the flusher
// neither loses nor doubles nor moves a row. The clock is a fake one.
//
// It runs in a process of its own: the library keeps compressors for all tests of a
// process, and one that was made under the fake clock must not be used outside of it.
func TestMergeWhileWriting(t *testing.T) {
	const alone = "ASSAY_TEST_ALONE"
	if os.Getenv(alone) == "" {
		t.Parallel()
		child := exec.Command(os.Args[0], "-test.run=^TestMergeWhileWriting$")
		child.Env = append(os.Environ(), alone+"=1")
		if said, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		return
	}
	synctest.Test(t, func(t *testing.T) {
		w := create(t, header())
		l := startLaunch(t, w, 0)
		next, most := int64(0), 0
		for range 16 * 60 { // sixteen minutes, a row each second
			check(t, l.Events.Append(record.Event{At: next}))
			next++
			time.Sleep(time.Second)
			if next%20 == 0 {
				live, _, err := segmentsIn(l.dir, Events)
				check(t, err)
				most = max(most, len(live))
			}
		}
		check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
		rows, files := readSegments(t, l.dir)
		checkNumbered(t, rows, int(next))
		if files != 1 || most > 310 {
			t.Errorf("%d files are left and there were %d at once, want 1 and no more than five minutes' worth", files, most)
		}
		check(t, w.Abandon())
	})
}
