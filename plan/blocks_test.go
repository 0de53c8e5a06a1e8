package plan

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sides is a document with two candidates and n blocks.
func sides(n string, candidates string) string {
	return strings.NewReplacer("\n  load:", "\n  candidates: ["+candidates+"]\n  load:", "minReplicates: 5", "minReplicates: "+n).Replace(document)
}

const twoCandidates = `{name: b, target: {url: "http://127.0.0.1:8001"}}, {name: c, target: {url: "http://127.0.0.1:8002"}}`

// Every block holds every side once, its sides ask the same, orders differ, and
// the second of each pair of blocks has the order of the first reversed.
func TestBlocks(t *testing.T) {
	p, err := New(parse(t, sides("20", twoCandidates)))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Launches) != 60 || p.Replicates() != 20 || p.Precision.Launches != 20 {
		t.Fatalf("%d launches, %d replicates, precision of %d; want 60, 20 and 20", len(p.Launches), p.Replicates(), p.Precision.Launches)
	}
	firsts := map[string]int{}
	var before []string
	for block := range 20 {
		launches := p.Launches[3*block : 3*block+3]
		var order []string
		for i, l := range launches {
			if l.Block != block || l.Index != 3*block+i || l.Seed != launches[0].Seed || !slices.Equal(l.Order, launches[0].Order) {
				t.Errorf("block %d: launch %+v", block, l)
			}
			order = append(order, l.Side)
		}
		if got := slices.Sorted(slices.Values(order)); !slices.Equal(got, []string{"b", "baseline", "c"}) {
			t.Errorf("block %d holds %v", block, order)
		}
		if block%2 == 1 {
			slices.Reverse(before)
			if !slices.Equal(order, before) {
				t.Errorf("block %d runs %v, want %v", block, order, before)
			}
		}
		firsts[order[0]]++
		before = order
	}
	if len(firsts) != 3 {
		t.Errorf("sides come first %v times: the order is not randomised", firsts)
	}
	if p.Launches[0].Seed == p.Launches[3].Seed {
		t.Error("two blocks ask the same")
	}
	again, err := New(parse(t, sides("20", twoCandidates)))
	if err != nil || !reflect.DeepEqual(p, again) {
		t.Errorf("two plans of one document differ (%v)", err)
	}
	shard, err := p.Shard(0, 1)
	if err != nil || !reflect.DeepEqual(shard.Launches, p.Launches) {
		t.Errorf("a shard has other launches (%v)", err)
	}
}

// Sides that ask one server must not ask it the same things.
func TestBlocksOfOneServer(t *testing.T) {
	p, err := New(parse(t, sides("3", `{name: b, target: {url: "http://127.0.0.1:8000", extraBody: {a: 1}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(document, "http://127.0.0.1:8000") {
		t.Fatal("the document has another address: this test proves nothing")
	}
	seen := map[int64]bool{}
	for _, l := range p.Launches {
		seen[l.Seed] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d seeds for 6 launches of one server", len(seen))
	}
}

// Each shard of a plan with blocks has every launch of every side, and together
// the shards have all users.
func TestBlocksShard(t *testing.T) {
	p, err := New(parse(t, sides("3", twoCandidates)))
	if err != nil {
		t.Fatal(err)
	}
	users := 0
	for i := range 3 {
		shard, err := p.Shard(i, 3)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(shard.Launches, p.Launches) {
			t.Errorf("shard %d has launches %+v", i, shard.Launches)
		}
		users += shard.Points[1].Concurrency
	}
	if users != p.Points[1].Concurrency {
		t.Errorf("shards have %d users, want %d", users, p.Points[1].Concurrency)
	}
}

// Probes are one schedule: the first part sends all of them, whether or not the
// others have users.
func TestShardsHaveProbesOnce(t *testing.T) {
	p, err := New(parse(t, strings.Replace(document, "warmup: {}", "warmup: {}\n    probe: {every: 2s}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if p.Points[0].Probe == nil || p.Points[0].Probe.OutputTokens != 4 {
		t.Fatalf("the plan's probe is %+v", p.Points[0].Probe)
	}
	for i := range 3 {
		shard, err := p.Shard(i, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, point := range shard.Points {
			if (point.Probe != nil) != (i == 0) || (point.Probe != nil && point.Idle) {
				t.Errorf("part %d: point %+v", i, point)
			}
		}
	}
}

// The seeds of launches follow from the run's, alone, in blocks and on sets; those of launches
// that were left out and numbered anew do not.
func TestDerives(t *testing.T) {
	for _, text := range []string{document, sides("5", twoCandidates)} {
		p, err := New(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Launches {
			if !p.Derives(l) {
				t.Errorf("launch %+v of %d sides does not follow from seed %d", l, len(p.Sides()), p.Seed())
			}
		}
		kept := p.Launches[len(p.Launches)-1]
		kept.Index, kept.Block = 1, 1
		if p.Derives(kept) {
			t.Errorf("the last launch passes for the second of %d", len(p.Launches))
		}
	}
}
