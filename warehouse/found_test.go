package warehouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"

	"assay/suite/acts"
	"assay/tests/whole"
)

// changing is a warehouse whose series changed, and how they are asked for.
func changing(t *testing.T, dir string) (*Warehouse, func(*Warehouse) (h History, searches int)) {
	t.Helper()
	w := writer(t, dir)
	nights(t, w, 9, 5, 1.2)
	unvoid(t, w)
	return w, func(w *Warehouse) (h History, searches int) {
		t.Helper()
		var arrangements int
		h, err := w.watched(t.Context(), Filter{Metric: "ttft"}, Detection{Seed: 1, Alpha: .05, Between: func() error { arrangements++; return nil }})
		must(t, err)
		return h, arrangements
	}
}

// reader opens a warehouse as another process would.
func reader(t *testing.T, dir string) *Warehouse {
	t.Helper()
	w, err := Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

// What one process found, the next one reads, bit by bit, whether the first one wrote or
// only read. Other values are searched in anew.
func TestFoundSurvives(t *testing.T) {
	whole.Only(t)
	dir := t.TempDir()
	w, look := changing(t, dir)
	first, arrangements := look(w)
	if len(first.Series) != 1 || len(first.Series[0].Changes) == 0 || arrangements == 0 {
		t.Fatalf("%d arrangements gave %+v, want a change", arrangements, first.Series)
	}
	if again, arrangements := look(reader(t, dir)); arrangements == 0 || !reflect.DeepEqual(again, first) {
		t.Errorf("before it was remembered: %d arrangements gave\n%+v\nwant\n%+v", arrangements, again, first)
	}
	must(t, w.Remember(t.Context()))
	must(t, w.Remember(t.Context())) // there is nothing new
	if again, arrangements := look(reader(t, dir)); arrangements != 0 || !reflect.DeepEqual(again, first) {
		t.Errorf("after it was remembered: %d arrangements gave\n%+v\nwant none and\n%+v", arrangements, again, first)
	}
	_, err := w.Decide(t.Context(), Decision{Mark: acts.Retracted, Run: "night-03", Why: "x", At: time.Now()})
	must(t, err)
	must(t, w.lock.Close()) // the one who only reads takes its turn
	w.lock = nil
	without := reader(t, dir)
	second, arrangements := look(without)
	if arrangements == 0 || len(second.Series[0].Values) != 13 {
		t.Errorf("without a run: %d arrangements over %d values, want a new search over 13", arrangements, len(second.Series[0].Values))
	}
	must(t, without.Remember(t.Context()))
	if again, arrangements := look(reader(t, dir)); arrangements != 0 || !reflect.DeepEqual(again, second) {
		t.Errorf("what a reader found: %d arrangements gave\n%+v\nwant none and\n%+v", arrangements, again, second)
	}
}

// Rows that are damaged, that belong to another search or that cannot be are passed over.
func TestFoundIsChecked(t *testing.T) {
	dir := t.TempDir()
	w, look := changing(t, dir)
	want, _ := look(w)
	must(t, w.Remember(t.Context()))
	if got := ask(t, w, `SELECT count(*) FROM found_change`); got != "1" {
		t.Fatalf("%s searches are remembered, want one", got)
	}
	search := Detection{}.of([]float64{1})
	elsewhere := packChanges([]Change{{At: 3, State: Confirmed}})
	beyond := packChanges([]Change{{At: 14, State: Confirmed}})
	var kept memoKey
	var raw []byte
	must(t, w.db.QueryRow(`SELECT search FROM found_change`).Scan(&raw))
	copy(kept[:], raw)
	for name, damage := range map[string]func() error{
		"another answer":         func() error { return update(w, `answer = replace(answer, 'in hindsight', 'confirmed')`) },
		"half an answer":         func() error { return update(w, `answer = substr(answer, 1, length(answer) / 2)`) },
		"no seal":                func() error { return update(w, `seal = x''`) },
		"numbers":                func() error { return update(w, `answer = 1, seal = 2`) },
		"of another search":      func() error { return update(w, `answer = ?, seal = ?`, string(elsewhere), sealOf(search, elsewhere)) },
		"beyond the last value":  func() error { return update(w, `answer = ?, seal = ?`, string(beyond), sealOf(kept, beyond)) },
		"no list":                func() error { return update(w, `answer = ?, seal = ?`, `{}`, sealOf(kept, []byte(`{}`))) },
		"found by other methods": func() error { return update(w, `search = ?`, search[:]) },
	} {
		must(t, damage())
		other := reader(t, dir)
		if got, arrangements := look(other); arrangements == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d arrangements gave\n%+v\nwant a new search that gives\n%+v", name, arrangements, got, want)
		}
		// Written again, it is right again.
		w.fresh.putBack(other.fresh.take())
		must(t, w.Remember(t.Context()))
		if got, arrangements := look(reader(t, dir)); arrangements != 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: after it was found anew, %d arrangements gave\n%+v", name, arrangements, got)
		}
		_, err := w.db.Exec(`DELETE FROM found_change WHERE search <> ?`, kept[:])
		must(t, err)
	}
}

func update(w *Warehouse, set string, args ...any) error {
	_, err := w.db.Exec(`UPDATE found_change SET `+set, args...)
	return err
}

// One who may not write answers all the same, and what it found is not lost to it.
func TestFoundByThoseWhoMayNotWrite(t *testing.T) {
	whole.Only(t)
	dir := t.TempDir()
	w, look := changing(t, dir)
	want, _ := look(w)
	must(t, w.Close())
	w.db, w.lock = nil, nil
	other := reader(t, dir)
	must(t, os.Remove(filepath.Join(dir, lockFile)))
	got, _ := look(other)
	if err := other.Remember(t.Context()); err == nil || !reflect.DeepEqual(got, want) {
		t.Errorf("without a lock it was remembered: %v", err)
	}
	again, arrangements := look(other)
	if arrangements != 0 || !reflect.DeepEqual(again, want) {
		t.Errorf("asked again, %d arrangements gave\n%+v", arrangements, again)
	}
	// As soon as it may, it does; a writer who does not end keeps it waiting for no longer
	// than it has.
	busy, err := OpenWriter(t.Context(), dir)
	must(t, err)
	because := errors.New("nobody waits any more")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(because)
	if err := other.Remember(ctx); !errors.Is(err, because) {
		t.Errorf("beside a writer: %v, want that nobody waits any more", err)
	}
	must(t, busy.Close())
	must(t, other.Remember(t.Context()))
	if _, arrangements := look(reader(t, dir)); arrangements != 0 {
		t.Errorf("%d arrangements after it was remembered at last", arrangements)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	other.fresh.add(memoKey{}, nil)
	if err := other.Remember(t.Context()); err == nil {
		t.Error("a folder that is gone was written to")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder that was gone was made again")
	}
}

// A catalogue of another version is left as it is.
func TestFoundInAnotherVersion(t *testing.T) {
	whole.Only(t)
	dir := t.TempDir()
	w, look := changing(t, dir)
	other := reader(t, dir)
	look(other)
	_, err := w.db.Exec(`INSERT INTO schema_version VALUES (999, 0)`)
	must(t, err)
	must(t, w.lock.Close())
	w.lock = nil
	if err := other.Remember(t.Context()); err == nil {
		t.Error("a catalogue of a newer version was written to")
	}
	if got := ask(t, w, `SELECT count(*) FROM found_change`); got != "0" {
		t.Errorf("%s searches are remembered, want none", got)
	}
}

// However many series are looked at, the newest are remembered, in memory and on the disk.
func TestFoundIsBounded(t *testing.T) {
	w := writer(t, t.TempDir())
	for i := range mostFound + 50 {
		w.fresh.add(Detection{}.of([]float64{float64(i)}), []Change{})
	}
	if n := len(w.fresh.list); n != mostFound {
		t.Errorf("%d wait to be written, want %d", n, mostFound)
	}
	must(t, w.Remember(t.Context()))
	w.fresh.add(Detection{}.of([]float64{-1}), []Change{})
	must(t, w.Remember(t.Context()))
	if got := ask(t, w, `SELECT count(*) FROM found_change`); got != fmt.Sprint(mostFound) {
		t.Errorf("%s searches are remembered, want %d", got, mostFound)
	}
	for value, want := range map[float64]bool{-1: true, mostFound + 49: true, 51: true, 50: false, 49: false} {
		if _, known := w.foundBefore(t.Context(), Detection{}.of([]float64{value}), 1); known != want {
			t.Errorf("the search in %g is remembered: %v, want %v", value, known, want)
		}
	}
}

// Numbers come back by their bits, whatever they are.
func TestChangesArePackedByBits(t *testing.T) {
	want := []Change{
		{At: 1, State: Confirmed, Method: "m", P: 1e-4, Before: .1, After: math.Nextafter(.1, 1), Relative: math.Inf(1)},
		{At: 7, State: Suspected, Method: "n", P: 5e-324, Before: math.Copysign(0, -1), After: -math.MaxFloat64, Relative: math.NaN()},
	}
	got, ok := unpackChanges(packChanges(want), 8)
	if !ok || fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) || math.Float64bits(got[1].Before) != math.Float64bits(want[1].Before) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	if empty, ok := unpackChanges(packChanges(nil), 0); !ok || empty == nil || len(empty) != 0 {
		t.Errorf("no change comes back as %#v", empty)
	}
}

// What a search gives for fixed values belongs to the number of its method: who changes one
// without the other has catalogues answer with what is no longer found.
func TestMethodIsNumbered(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 78))
	seen := ""
	for _, step := range []float64{1, 1.01, 1.03, 1.2} {
		list, err := Detection{Seed: 3, Alpha: .2}.withDefaults().hindsight(append(append(runsOf(rng, 20, 100, .02), runsOf(rng, 9, 100*step, .02)...), runsOf(rng, 2, 90, .02)...))
		must(t, err)
		for _, c := range list {
			seen += fmt.Sprintf("%d %s %s %.6g %.6g %.6g %.6g\n", c.At, c.State, c.Method, c.P, c.Before, c.After, c.Relative)
		}
	}
	const want = `28 in hindsight e-divisive/permutation 0.0465116 100.33 93.2911 -0.0701537
28 in hindsight e-divisive/permutation 0.0680272 100.307 93.2676 -0.0701794
21 in hindsight e-divisive/permutation 0.001 99.7546 103.472 0.037269
28 in hindsight e-divisive/permutation 0.0689655 103.472 94.6644 -0.0851245
20 in hindsight e-divisive/permutation 0.0001 99.4947 114.828 0.154108
`
	if method != "hindsight/1 "+runtime.GOARCH || seen != want {
		t.Errorf("method %q finds\n%s\nwant\n%s\nRaise the number of the method, and write down here what it finds.", method, seen, want)
	}
}

// Whoever waited while another searched for the same does not search again.
func TestFoundWhileWaiting(t *testing.T) {
	whole.Only(t)
	w, look := changing(t, t.TempDir())
	var want History
	asked := 0
	got, err := w.watched(t.Context(), Filter{Metric: "ttft"}, Detection{Seed: 1, Alpha: .05, Between: func() error {
		if asked++; asked == 1 {
			want, _ = look(w)
		}
		return nil
	}})
	must(t, err)
	if asked != 1 || !reflect.DeepEqual(got, want) {
		t.Errorf("asked %d times, and found\n%+v\nwant once and\n%+v", asked, got, want)
	}
}
