package main

import (
	"context"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A size is how much a bundle holds.
type size struct {
	launches, requests, chunks int // requests of all launches, chunks of each request
}

// each is how many requests a launch has.
func (s size) each() int { return s.requests / s.launches }

func (s size) total() int { return s.each() * s.launches }

const spacing = int64(1e6) // ns between two requests: a thousand are due in a second

// document is a run that could have made the records: an open loop with limits,
// so that goodput is judged as well.
const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: judge},
spec: {workload: {model: m, concurrencyModel: open_loop}, target: {url: "http://127.0.0.1:1"}, load: {rate: [1000]},
slo: [{metric: ttft, percentile: 99, max: 200ms}, {metric: tpot, percentile: 99, max: 20ms}],
trials: {minReplicates: %d}}}`

// write makes a bundle of the given size through the same writer as a run.
func write(dir string, s size, sealed bool) error {
	doc, faults := spec.Parse("judge.yaml", fmt.Appendf(nil, document, max(3, s.launches)))
	if !spec.Valid(faults) {
		return fmt.Errorf("the benchmark's own spec is wrong: %v", faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		return err
	}
	encoded, err := p.Encode()
	if err != nil {
		return err
	}
	w, err := bundle.Create(dir, bundle.Header{RunID: "judge", Spec: []byte(document), Plan: encoded})
	if err != nil {
		return err
	}
	for i := range s.launches {
		if err := writeLaunch(w, i, s.each(), s.chunks); err != nil {
			return fmt.Errorf("launch %d: %w", i, err)
		}
	}
	if !sealed {
		return w.Abandon()
	}
	_, err = w.Seal(context.Background(), bundle.Completed, bundle.SealOptions{})
	return err
}

// atOnce is how many requests are made together and written in the order in which
// they ended, as a run writes them.
const atOnce = 2048

func writeLaunch(w *bundle.Writer, index, requests, chunks int) error {
	l, err := w.StartLaunch(bundle.LaunchStart{Index: index, Clock: record.ClockID})
	if err != nil {
		return err
	}
	end := int64(requests) * spacing
	if err := l.Events.Append(
		record.Event{Name: record.WindowBegin, At: end / 20},
		record.Event{Name: record.WindowEnd, At: end},
		record.Event{Name: record.PointBalance, At: end, Detail: `{"mostInFlight": 1900}`},
	); err != nil {
		return err
	}
	for at := int64(0); at < end; at += 1e9 {
		if err := l.Samples.Append(samples(at)...); err != nil {
			return err
		}
	}
	for from := 0; from < requests; from += atOnce {
		together := make([]stream, min(atOnce, requests-from))
		for i := range together {
			together[i] = newStream(index, int64(from+i), chunks, end)
		}
		slices.SortFunc(together, func(a, b stream) int { return int(a.request.Done - b.request.Done) })
		for _, s := range together {
			if err := l.Chunks.Append(s.chunks...); err != nil {
				return err
			}
			if err := l.Requests.Append(s.request); err != nil {
				return err
			}
		}
	}
	return l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted})
}

// samples are what a client reads about itself each second.
func samples(at int64) []record.Sample {
	var list []record.Sample
	for i, name := range []string{"cpu.user.total", "cpu.system.total", "gomaxprocs"} {
		value := []float64{float64(at) * 3e-10, float64(at) * 1e-10, 2}[i]
		list = append(list, record.Sample{At: at, Source: "client", Name: name, Value: &value})
	}
	return list
}

type stream struct {
	request record.Request
	chunks  []record.Chunk
}

// noises are numbers that depend on the launch and the request alone.
type noises uint64

func noisesOf(launch int, id int64) noises { return noises(uint64(launch)<<48 ^ uint64(id)<<16) }

func (n noises) at(i int) int64 { return int64(mix(uint64(n)^uint64(i)) >> 1) }

// newRequest is a request without its answer. One in a thousand is cut off.
func newRequest(launch int, id int64, chunks int, end int64) record.Request {
	noise := noisesOf(launch, id)
	due := id * spacing
	sent := due + 20_000 + noise.at(-1)%60_000
	wrote := sent + 15_000
	first := sent + 40e6 + noise.at(-2)%80e6*(noise.at(-3)%100)/50
	usage, asked := int32(chunks-4), int32(128+noise.at(-4)%512)
	r := record.Request{
		ID: id, Phase: record.Measure, User: -1, Due: due, Sent: sent, Wrote: &wrote, First: &first,
		Result: record.OK, Status: 200, AskedInput: asked, AskedOutput: usage, UsageInput: &asked, UsageOutput: &usage,
		FinishReason: "length", ServerID: fmt.Sprintf("chatcmpl-%016x%016x", mix(uint64(id)), mix(^uint64(id))),
		Chunks: int32(chunks), PromptHash: noise.at(-5), Stamps: "epoll+kernel", Protocol: "HTTP/1.1",
	}
	if due < end/20 {
		r.Phase = record.Warmup
	}
	if noise.at(-6)%1000 == 0 {
		r.Result, r.Error = record.Truncated, "the stream ended without [DONE]"
	}
	return r
}

// newStream is a request with its answer: a role, tokens about 8 ms apart with
// jitter, and the three events that end it. One event in fifty shares a read.
func newStream(launch int, id int64, n int, end int64) stream {
	noise := noisesOf(launch, id)
	s := stream{newRequest(launch, id, n, end), make([]record.Chunk, n)}
	at := *s.request.First + 100_000
	for i := range s.chunks {
		jitter := noise.at(i)
		c := record.Chunk{Request: id, Seq: int32(i), At: at, Kind: record.Content, Bytes: int32(220 + jitter%16), TextBytes: int32(2 + jitter%7)}
		switch i {
		case 0:
			c.Kind, c.TextBytes = record.Role, 0
		case n - 3:
			c.Kind, c.TextBytes = record.Finish, 0
		case n - 2:
			c.Kind, c.TextBytes = record.Usage, 0
		case n - 1:
			c.Kind, c.TextBytes, c.Bytes = record.DoneMark, 0, 14
		}
		if c.Shared = i > 0 && jitter%50 == 0; !c.Shared && i > 0 && i < n-3 {
			at += 7e6 + jitter%2e6
			c.At = at
		}
		s.request.Bytes += int64(c.Bytes)
		s.chunks[i] = c
	}
	s.request.Done = at
	return s
}

// mix scatters n (the finalizer of SplitMix64): the same each time, and without
// the regularity that would let the encoding look better than it is.
func mix(n uint64) uint64 {
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}
