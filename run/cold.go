package run

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"assay/plan"
	"assay/record"
	"assay/spec"
)

// Requests outside of points have numbers of their own, far above those of any
// point. The number decides which of several addresses is asked, so requests that
// are compared with each other have numbers a multiple of the addresses apart.
const (
	coldNumbers  = 1_000_000 * pointStride
	cacheNumbers = 2_000_000 * pointStride
	mostPairs    = 100_000 // as the spec bounds it
)

// askCold sends the first requests of a fresh server, one at a time: the cold
// ones, then warm ones of the same length. They are neither warm-up nor measured
// load, and no point holds them.
func (l *activeLaunch) askCold(ctx context.Context) error {
	server := l.plan.Target().Server
	if l.plan.Share().Index > 0 || server == nil {
		return nil // another load generator asks
	}
	cold, warm := number(server.Cold.Requests), number(server.Cold.Warm)
	if cold == 0 {
		return nil
	}
	source, err := newSource(apartFrom(l.plan), l.in, plan.Seed(l.planned.Seed, "cold", 0))
	if err != nil {
		return err
	}
	call := source.Call(-1, coldNumbers)
	a := newApart(l, "cold")
	for n := range cold + warm {
		call.ID, call.Phase = coldNumbers+int64(n)*l.addresses(), record.Cold
		if n >= cold {
			call.Phase = record.Warm
		}
		request, chunks, err := a.ask(ctx, a.unlike(call))
		if err != nil {
			return err
		}
		if n == 0 {
			if err := l.coldEvents(request, chunks); err != nil {
				return err
			}
		}
	}
	return nil
}

// coldEvents marks the first request of a fresh server among the events of its
// start.
func (l *activeLaunch) coldEvents(request record.Request, chunks []record.Chunk) error {
	rows := []record.Event{{At: request.Sent, Name: record.ColdSent, Point: -1}}
	if i := slices.IndexFunc(chunks, func(c record.Chunk) bool { return c.Kind.Output() }); i >= 0 {
		rows = append(rows, record.Event{At: chunks[i].At, Name: record.ColdToken, Point: -1})
	}
	rows = append(rows, record.Event{At: request.Done, Name: record.ColdDone, Point: -1, Detail: string(request.Result)})
	return l.out.Events.Append(rows...)
}

// probeCache sends prompts that the target cannot know, each followed by itself.
func (l *activeLaunch) probeCache(ctx context.Context) error {
	probe := l.plan.Load().CacheProbe
	if probe == nil || l.plan.Share().Index > 0 {
		return nil
	}
	source, err := newSource(apartFrom(l.plan), l.in, plan.Seed(l.planned.Seed, "cache", 0))
	if err != nil {
		return err
	}
	a := newApart(l, "cache")
	for n := range int64(probe.Pairs) {
		call := a.unlike(source.Call(-1, cacheNumbers+n))
		for i, phase := range []record.Phase{record.CacheCold, record.CacheWarm} {
			call.ID, call.Phase = cacheNumbers+n+int64(i)*mostPairs*l.addresses(), phase
			if _, _, err := a.ask(ctx, call); err != nil {
				return err
			}
		}
	}
	return nil
}

// apartFrom is what requests outside of points ask: the workload, or in a sweep
// that of the first point.
func apartFrom(p plan.Plan) spec.Workload { return p.WorkloadOf(p.Points[0]) }

// addresses is how many base URLs the target has.
func (l *activeLaunch) addresses() int64 { return int64(len(urls(l.plan.Target()))) }

func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// An apart sends requests outside of every point, one at a time.
type apart struct {
	l       *activeLaunch
	purpose string
	words   uint64 // made so far
}

func newApart(l *activeLaunch, purpose string) *apart {
	l.at.begin()
	return &apart{l: l, purpose: purpose}
}

// ask sends one call, waits for its end and records it. A call that fails is a
// record; an error means that the launch cannot go on.
func (a *apart) ask(ctx context.Context, call record.Call) (record.Request, []record.Chunk, error) {
	call.Point, call.User = -1, -1
	prepared, err := a.l.client.Prepare(call)
	if err != nil {
		return record.Request{}, nil, err
	}
	raw := a.l.client.Do(ctx, prepared, a.l.clock.Now())
	request, chunks, _ := a.l.decode(raw)
	if err := a.l.keep(request, chunks); err != nil {
		return request, chunks, err
	}
	one := ended(map[record.Outcome]int64{request.Result: 1})
	one.Begun, one.MostInFlight = 1, 1
	a.l.balance, a.l.apart = a.l.balance.add(one), a.l.apart.add(one)
	return request, chunks, context.Cause(ctx)
}

// unlike puts a word before everything that call says which no call before it
// began with, in this run or any other: prefix caches know nothing of it. The
// word follows from the launch's seed and epoch, which the bundle states.
func (a *apart) unlike(call record.Call) record.Call {
	a.words++
	h := sha256.New()
	h.Write([]byte(a.purpose))
	for _, n := range []uint64{uint64(a.l.planned.Seed), uint64(a.l.clock.Epoch), a.words} {
		h.Write(binary.BigEndian.AppendUint64(nil, n))
	}
	word := make([]byte, 8)
	for i, b := range h.Sum(nil)[:len(word)] {
		word[i] = 'a' + b%26
	}
	return beginWith(call, string(word)+" ")
}

// beginWith puts text before everything that call says.
func beginWith(call record.Call, text string) record.Call {
	if call.Payload == nil {
		call.Prompt = text + call.Prompt
		return call
	}
	p := *call.Payload
	p.Messages, p.Documents = slices.Clone(p.Messages), slices.Clone(p.Documents)
	if len(p.Messages) > 0 {
		p.Messages[0].Content = text + p.Messages[0].Content
	}
	if len(p.Messages) < 2 && call.Prompt != "" { // the prompt is the last message
		call.Prompt = text + call.Prompt
	}
	for i := range p.Documents {
		p.Documents[i] = text + p.Documents[i]
	}
	if p.Query != "" {
		p.Query = text + p.Query
	}
	call.Payload = &p
	return call
}
