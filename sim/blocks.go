package sim

// blockTokens is the number of tokens in a block of the KV cache.
const blockTokens = 16

// A block is a piece of the KV cache. A block that is full of known tokens has a
// key, which also names everything before it: equal keys mean equal prefixes.
type block struct {
	key        uint64
	keyed      bool
	users      int
	prev, next *block // in the list of free blocks
}

// A blockPool is the KV cache: free blocks in the order they will be used up,
// and the prefix cache over all blocks with keys. A freed block keeps its
// contents until it is used for something else, oldest first.
type blockPool struct {
	total, free int
	list        block // sentinel; list.next is used up first
	byKey       map[uint64]*block
	caching     bool
}

func newBlockPool(total int, caching bool) *blockPool {
	p := &blockPool{total: total, byKey: map[uint64]*block{}, caching: caching}
	p.list.prev, p.list.next = &p.list, &p.list
	for range total {
		p.push(&block{})
	}
	return p
}

func (p *blockPool) push(b *block) {
	b.prev, b.next = p.list.prev, &p.list
	b.prev.next, b.next.prev = b, b
	p.free++
}

func (p *blockPool) unlink(b *block) {
	b.prev.next, b.next.prev = b.next, b.prev
	p.free--
}

// find returns the cached blocks for the longest known prefix of keys.
func (p *blockPool) find(keys []uint64) []*block {
	var hit []*block
	for _, key := range keys {
		b, ok := p.byKey[key]
		if !ok || !p.caching {
			break
		}
		hit = append(hit, b)
	}
	return hit
}

// share makes blocks found in the cache belong to another sequence too.
func (p *blockPool) share(blocks []*block) {
	for _, b := range blocks {
		if b.users == 0 {
			p.unlink(b)
		}
		b.users++
	}
}

// unused is how many of blocks are free: sharing them uses them up.
func unused(blocks []*block) int {
	n := 0
	for _, b := range blocks {
		if b.users == 0 {
			n++
		}
	}
	return n
}

// take uses up the free block that has been idle longest. It must only be called
// when one is free.
func (p *blockPool) take() *block {
	b := p.list.next
	p.unlink(b)
	if b.keyed {
		delete(p.byKey, b.key)
		b.keyed = false
	}
	b.users = 1
	return b
}

// name enters a block that has become full into the prefix cache, unless an
// equal one is there already.
func (p *blockPool) name(b *block, key uint64) {
	if _, known := p.byKey[key]; known || b.keyed || !p.caching {
		return
	}
	b.key, b.keyed = key, true
	p.byKey[key] = b
}

// release gives blocks back, the last first: the head of a prompt is what
// another request most likely shares, so it must be used up last.
func (p *blockPool) release(blocks []*block) {
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		if b.users--; b.users == 0 {
			p.push(b)
		}
	}
}

// usage is the share of the cache held by running sequences.
func (p *blockPool) usage() float64 { return float64(p.total-p.free) / float64(p.total) }

// nextKey is the key of a block with these tokens behind the prefix named by
// parent (FNV-1a over the numbers, spread).
func nextKey(parent uint64, tokens []token) uint64 {
	h := parent ^ 14695981039346656037
	for _, t := range tokens {
		h = (h ^ uint64(t)) * 1099511628211
	}
	return mix(h)
}
