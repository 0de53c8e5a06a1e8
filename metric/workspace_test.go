package metric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"assay/record"
)

// randomStream is an answer whose events share reads now and then.
func randomStream(random *rand.Rand) *Timeline {
	kinds := []record.ChunkKind{record.Content, record.Content, record.Reasoning, record.Role, record.Usage}
	t := timeline(int32(2 + random.IntN(20)))
	at := int64(1e6)
	for i := range random.IntN(12) {
		at += random.Int64N(1e6)
		t.Events = append(t.Events, record.Chunk{
			Seq: int32(i), At: at, Kind: kinds[random.IntN(len(kinds))],
			Shared: random.IntN(3) == 0, Bytes: int32(random.IntN(3)), TextBytes: int32(random.IntN(5)),
		})
	}
	return t
}

// Gaps found in one pass are those of the definition: both ends were read by
// themselves.
func TestGapsByDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		one := randomStream(random)
		var want []int64
		before := -1
		for i := range one.Events {
			if !one.Events[i].Kind.Output() {
				continue
			}
			if before >= 0 && !one.stampedLate(before) && !one.stampedLate(i) {
				want = append(want, one.Events[i].At-one.Events[before].At)
			}
			before = i
		}
		if got := one.gaps(); !slices.Equal(got, want) {
			t.Fatalf("gaps %v, want %v, of %+v", got, want, one.Events)
		}
	}
}

// A request says the same in the workspace of a worker, after others, as by itself.
func TestWorkspaceChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var space workspace
	for range 500 {
		one := randomStream(random)
		for _, m := range All {
			each := m.each()
			if each == nil {
				continue
			}
			one.space = nil
			want := slices.Clone(each(one))
			space.lend(one)
			if got := each(one); !slices.Equal(got, want) {
				t.Fatalf("%s: %v in a workspace, %v without, of %+v", m.ID, got, want, one.Events)
			}
		}
	}
}
