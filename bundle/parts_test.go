package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// partOf is a sealed bundle with some launches of a plan, made on one set of hosts whose
// clocks are ahead of this one's.
func partOf(t *testing.T, h Header, ahead time.Duration, set int, launches ...int) *Bundle {
	t.Helper()
	h.Created = time.Now().Add(ahead)
	w := create(t, h)
	env := record.Environment{}
	env.Set("host.name", h.RunID)
	check(t, w.SetEnvironment(env))
	for _, index := range launches {
		at := time.Now().Add(ahead)
		l, err := w.StartLaunch(LaunchStart{Index: index, Order: index, Wall: at, Clock: record.ClockID, Nodes: []string{h.RunID}, Set: set})
		check(t, err)
		appendAll(t, l, 3, uint64(index))
		check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted, Wall: at}))
	}
	_, err := w.Seal(t.Context(), Completed, SealOptions{})
	check(t, err)
	b, err := Open(w.Dir())
	check(t, err)
	return b
}

// The launches of parts become those of one run, with every byte, and the seal covers
// where each comes from. What hosts think that the time is does not matter.
func TestAddPart(t *testing.T) {
	t.Parallel()
	first, second := header(), header()
	first.RunID, second.RunID = "on-a", "on-b"
	a, b := partOf(t, first, time.Hour, 1, 0, 3), partOf(t, second, -time.Hour, 2, 1, 2)
	h := header()
	h.Created = b.Manifest.Created
	w := create(t, h)
	check(t, w.AddPart(a))
	check(t, w.AddPart(b))
	_, err := w.Seal(t.Context(), Completed, SealOptions{})
	check(t, err)
	whole, err := OpenVerified(w.Dir(), Trust{})
	check(t, err)
	if !whole.Seal.Verified {
		t.Fatalf("the whole does not verify: %+v", whole.Seal)
	}
	from := map[int]string{}
	for _, l := range whole.Manifest.Launches {
		from[l.Index] = l.From
		if l.Nodes[0] != l.From || l.Rows[Requests] != 3 {
			t.Errorf("launch %+v", l)
		}
	}
	if len(from) != 4 || from[0] != "on-a" || from[1] != "on-b" || from[2] != "on-b" || from[3] != "on-a" {
		t.Errorf("launches come from %v", from)
	}
	parts := whole.Manifest.Parts
	if len(parts) != 2 || parts[1].Set != 2 || parts[1].Digest != b.Manifest.Digest || parts[1].Environment["host.name"].Value != "on-b" {
		t.Errorf("parts %+v", parts)
	}
}

func TestAddPartRefuses(t *testing.T) {
	t.Parallel()
	f := func(want string, part *Bundle) {
		t.Helper()
		w := create(t, header())
		if err := w.AddPart(part); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	other := header()
	other.Plan = []byte(`{"points":[{"rate":3}],"seed":"7"}`)
	f("another plan", partOf(t, other, 0, 1, 0))
	changed := partOf(t, header(), 0, 1, 0)
	segments, _ := filepath.Glob(filepath.Join(changed.Dir, "raw", "launch-00", "requests-*"))
	check(t, os.WriteFile(segments[0], []byte("others"), 0o600))
	f("changed after sealing", changed)
}
