package sim

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// handCost makes iteration times easy to add up in one's head.
var handCost = Cost{Base: 10 * ms, PerPrefillToken: 1 * ms, PerDecode: 2 * ms}

// An ask is a request of the virtual-time tests: a prompt of so many tokens, all
// different from other families', and so many tokens wanted.
type ask struct {
	at     time.Duration
	prompt int
	want   int
	family int // prompts of one family share their beginning
}

// played is what came of an ask: when each token was due, and the cache hit.
type played struct {
	tokens []time.Duration
	cached int
}

// play runs the engine on paper: the same code as the server's, fed with all
// arrivals beforehand and fired without waiting.
func play(t *testing.T, cfg Config, asks []ask) ([]played, *engine) {
	t.Helper()
	cfg = cfg.withDefaults()
	p, err := newPacer(newClock())
	if err != nil {
		t.Fatal(err)
	}
	defer p.waker.close()
	e := newEngine(cfg, noise(rand.New(rand.NewPCG(cfg.LaunchSeed, 0x1a)), cfg.LaunchNoise), p, newMeter(false))
	got := make([]played, len(asks))
	index := map[*stream]int{}
	e.emit = func(q *sequence, due int64) {
		i := index[q.stream]
		got[i].tokens = append(got[i].tokens, time.Duration(due))
	}
	for i, a := range asks {
		prompt := make([]token, a.prompt)
		for k := range prompt {
			prompt[k] = token(1000*a.family + k)
		}
		s := &stream{style: &style{}, arrival: int64(a.at), choices: []choice{{prompt: prompt, limit: a.want, lead: true}}}
		index[s] = i
		if !e.reserve(1) {
			t.Fatalf("ask %d: the queue is full", i)
		}
		e.submit(s)
	}
	due, again := int64(asks[0].at), true
	for again {
		due, again = e.fire(due)
	}
	for s, i := range index {
		got[i].cached = s.cached
	}
	return got, e
}

func at(times ...int) []time.Duration {
	list := make([]time.Duration, len(times))
	for i, t := range times {
		list[i] = time.Duration(t) * ms
	}
	return list
}

// schedules are computed by hand from handCost: an iteration takes 10 ms, 1 ms
// for each prompt token and 2 ms for each decoding sequence.
var schedules = []struct {
	name   string
	engine Engine
	asks   []ask
	want   [][]time.Duration
	cached []int
}{
	{
		name: "alone: prefill, then decodes",
		asks: []ask{{at: 100 * ms, prompt: 5, want: 3}},
		want: [][]time.Duration{at(115, 127, 139)},
	},
	{
		name: "a second one joins at the next iteration",
		asks: []ask{{0, 5, 4, 1}, {20 * ms, 10, 2, 2}},
		// 0–15 prefill A; 15–27 decode A; 27–49 decode A and prefill B; 49–63 decode both.
		want: [][]time.Duration{at(15, 27, 49, 63), at(49, 63)},
	},
	{
		name:   "batch of one: the second waits for the first to end",
		engine: Engine{MaxSequences: 1},
		asks:   []ask{{0, 5, 2, 1}, {1 * ms, 5, 1, 2}},
		want:   [][]time.Duration{at(15, 27), at(42)},
	},
	{
		name:   "token budget: a long prompt in three pieces",
		engine: Engine{MaxBatchedTokens: 8, MaxSequences: 8},
		asks:   []ask{{0, 20, 2, 1}},
		want:   [][]time.Duration{at(50, 62)},
	},
	{
		name:   "token budget: decodes come before prefill",
		engine: Engine{MaxBatchedTokens: 8, MaxSequences: 8},
		asks:   []ask{{0, 5, 4, 1}, {1 * ms, 14, 1, 2}},
		// 0–15 A; 15–34 decode A and prefill half of B; 34–53 the other half; 53–65 A.
		want: [][]time.Duration{at(15, 34, 53, 65), at(53)},
	},
	{
		name: "idle between two",
		asks: []ask{{0, 1, 1, 1}, {100 * ms, 1, 1, 2}},
		want: [][]time.Duration{at(11), at(111)},
	},
	{
		name:   "no memory: the younger is put out and computed again",
		engine: Engine{KVBlocks: 3, NoPrefixCache: true},
		asks:   []ask{{0, 16, 4, 1}, {0, 16, 3, 2}},
		// 0–42 both prefill; then A takes the last block and B is put out;
		// A ends at 78; 78–105 B's 17 tokens again; 105–117 decode.
		want: [][]time.Duration{at(42, 54, 66, 78), at(42, 105, 117)},
	},
	{
		name:   "no memory, prefix cache: what was put out is found again",
		engine: Engine{KVBlocks: 3},
		asks:   []ask{{0, 16, 4, 1}, {0, 16, 3, 2}},
		want:   [][]time.Duration{at(42, 54, 66, 78), at(42, 90, 102)},
	},
	{
		name:   "no memory for a newcomer: it waits",
		engine: Engine{KVBlocks: 2, NoPrefixCache: true},
		asks:   []ask{{0, 20, 2, 1}, {1 * ms, 20, 1, 2}},
		want:   [][]time.Duration{at(30, 42), at(72)},
	},
	{
		name:   "prefix hit: only whole blocks, never the last token",
		asks:   []ask{{0, 40, 1, 1}, {60 * ms, 40, 1, 1}, {100 * ms, 32, 1, 1}},
		want:   [][]time.Duration{at(50), at(78), at(126)},
		cached: []int{0, 32, 16},
	},
	{
		name:   "attention: each KV token costs",
		engine: Engine{Cost: Cost{Base: 10 * ms, PerPrefillToken: 1 * ms, PerDecode: 2 * ms, PerKVToken: 1 * ms}},
		asks:   []ask{{0, 5, 2, 1}},
		want:   [][]time.Duration{at(20, 38)},
	},
}

func TestEngineSchedule(t *testing.T) {
	for _, tt := range schedules {
		t.Run(tt.name, func(t *testing.T) {
			if tt.engine.Cost == (Cost{}) {
				tt.engine.Cost = handCost
			}
			got, _ := play(t, Config{Engine: tt.engine}, tt.asks)
			for i := range tt.asks {
				if !reflect.DeepEqual(got[i].tokens, tt.want[i]) {
					t.Errorf("tokens of ask %d at %v, want %v", i, got[i].tokens, tt.want[i])
				}
				if tt.cached != nil && got[i].cached != tt.cached[i] {
					t.Errorf("ask %d: %d tokens cached, want %d", i, got[i].cached, tt.cached[i])
				}
			}
		})
	}
}

// Whatever the load, every sequence gets its tokens in order of time, the memory
// comes back, and the counts add up.
func TestEngineConservation(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			shape := Engine{
				Cost: handCost, MaxSequences: 1 + rng.IntN(8), MaxBatchedTokens: 8 + rng.IntN(64),
				KVBlocks: 12 + rng.IntN(40), NoPrefixCache: seed%3 == 0,
			}
			var asks []ask
			want := 0
			for range 60 {
				a := ask{time.Duration(rng.IntN(2000)) * ms, 1 + rng.IntN(100), 1 + rng.IntN(60), rng.IntN(5)}
				want += a.want
				asks = append(asks, a)
			}
			slices.SortFunc(asks, func(a, b ask) int { return int(a.at - b.at) })
			got, e := play(t, Config{Engine: shape}, asks)
			made := 0
			for i, p := range got {
				made += len(p.tokens)
				if len(p.tokens) != asks[i].want || !slices.IsSorted(p.tokens) || p.tokens[0] <= asks[i].at {
					t.Errorf("ask %d of %d tokens at %v got tokens at %v", i, asks[i].want, asks[i].at, p.tokens)
				}
			}
			if made != want {
				t.Errorf("made %d tokens, want %d", made, want)
			}
			if e.sched.pool.free != e.sched.pool.total {
				t.Errorf("%d blocks are free at the end, want all %d", e.sched.pool.free, e.sched.pool.total)
			}
			if e.held != 0 {
				t.Errorf("%d sequences still held, want none", e.held)
			}
			checkPool(t, e.sched.pool)
		})
	}
}

// checkPool counts the free list and looks every cached block up.
func checkPool(t *testing.T, p *blockPool) {
	t.Helper()
	n := 0
	for b := p.list.next; b != &p.list; b = b.next {
		if b.users != 0 {
			t.Errorf("a block of %d users is in the free list", b.users)
		}
		n++
	}
	if n != p.free {
		t.Errorf("the free list has %d blocks, the count says %d", n, p.free)
	}
	for key, b := range p.byKey {
		if !b.keyed || b.key != key {
			t.Errorf("key %x leads to a block with key %x", key, b.key)
		}
	}
}

// The preemption test above must really preempt, and conservation must see
// hits, or both prove little.
func TestEngineCounts(t *testing.T) {
	_, e := play(t, Config{Engine: Engine{Cost: handCost, KVBlocks: 3}}, []ask{{0, 16, 4, 1}, {0, 16, 3, 2}})
	if got := e.meter.preemptions.Load(); got != 1 {
		t.Errorf("%d preemptions, want 1", got)
	}
	_, e = play(t, Config{Engine: Engine{Cost: handCost}}, []ask{{0, 40, 1, 1}, {60 * ms, 40, 1, 1}})
	if q, h := e.meter.prefixQueries.Load(), e.meter.prefixHits.Load(); q != 80 || h != 32 {
		t.Errorf("prefix cache: %d of %d tokens hit, want 32 of 80", h, q)
	}
}

func TestEngineNoise(t *testing.T) {
	asks := []ask{{0, 50, 40, 1}, {30 * ms, 50, 40, 2}}
	plain, _ := play(t, Config{}, asks)
	noisy := Config{Jitter: 0.02, LaunchNoise: 0.05, Seed: 7, LaunchSeed: 7}
	first, e := play(t, noisy, asks)
	again, _ := play(t, noisy, asks)
	if !reflect.DeepEqual(first, again) {
		t.Error("the same seeds gave two schedules")
	}
	if reflect.DeepEqual(first, plain) {
		t.Error("noise changed nothing")
	}
	noisy.LaunchSeed = 8
	if _, other := play(t, noisy, asks); other.factor == e.factor {
		t.Errorf("launch seeds 7 and 8 both gave the factor %v", e.factor)
	}
	if e.factor < 0.8 || e.factor > 1.2 {
		t.Errorf("launch factor %v is beyond four deviations of 5%%", e.factor)
	}
}

func TestEngineQueueLimit(t *testing.T) {
	p, err := newPacer(newClock())
	if err != nil {
		t.Fatal(err)
	}
	defer p.waker.close()
	e := newEngine(Config{Engine: Engine{MaxQueue: 3}}.withDefaults(), 1, p, newMeter(false))
	if !e.reserve(2) || !e.reserve(1) {
		t.Fatal("a queue of 3 refused the first 3 sequences")
	}
	if e.reserve(1) {
		t.Error("a queue of 3 took a fourth sequence")
	}
}
