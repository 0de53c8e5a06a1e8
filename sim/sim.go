// Package sim is a simulated inference engine with a known truth: it speaks the
// APIs of OpenAI and Anthropic over HTTP/1.1, HTTP/2 and TLS, sends every token at a time that can be computed
// beforehand, and writes down when it really did, so that any client can be
// measured against it.
//
// It has two modes. The engine mode runs continuous batching over a cost model:
// a waiting queue, a batch limit, chunked prefill, a KV cache with preemption
// and a prefix cache. The fixed mode answers each request on a schedule counted
// from its arrival. Both can be told to misbehave on the wire, by name, for the
// whole server or for one request (see Faults).
//
// It is not a model (the words it says mean nothing) and not a predictor of any
// real engine's speed.
//
// Every byte of an answer is written by this package, never by net/http, since
// a fault may sit anywhere in it. To add a fault, append one entry to the table
// Faults and write its transcript; to add an API, write a dialect and list it in
// dialects.
package sim

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// Config describes a server. The zero value is ready to use: the engine mode,
// with the defaults named below.
type Config struct {
	// Model is the name the server answers to. Empty means "sim".
	Model string

	// Fixed switches to the fixed mode. Nil means the engine mode.
	Fixed *Fixed

	// Engine tunes the engine mode; its zero value is documented there.
	Engine Engine

	// MaxModelLen is the context limit: prompt and output tokens of a sequence
	// together. Zero means 32768.
	MaxModelLen int

	// MeanOutput is the mean of the exponential distribution from which the
	// engine mode draws where an answer would end by itself. Zero means 256.
	MeanOutput int

	// TokensPerChunk is how many tokens one event of a stream carries. Zero
	// means 1.
	TokensPerChunk int

	// Seed decides every random choice but the launch factor. Zero is a seed
	// like any other.
	Seed uint64

	// LaunchNoise is the relative standard deviation of the launch factor, which
	// is drawn once per server and multiplies every time of the cost model: two
	// launches of a real engine differ too. Zero means none.
	LaunchNoise float64

	// LaunchSeed decides the launch factor.
	LaunchSeed uint64

	// Jitter is the relative standard deviation of each iteration's time. Zero
	// means none.
	Jitter float64

	// StartDelay is how long after the start the server answers 503. Zero means
	// ready at once.
	StartDelay time.Duration

	// FirstDelay is added to the first iteration of the engine mode, as engines
	// compile and allocate for their first request. Zero means none.
	FirstDelay time.Duration

	// Cold makes the first iterations of the engine mode slow, as caches and
	// compiled kernels come in one by one. The zero value means none.
	Cold Cold

	// Faults apply to every request, each with its own probability.
	Faults []FaultRate

	// Script holds answers that were written beforehand; prompts that it has none for get
	// words that mean nothing. Empty means none.
	Script []Scripted

	// FaultDelay is the length of a stall, of the pause between dripped bytes
	// and of the wait before a late tail. Zero means 1s.
	FaultDelay time.Duration

	// Pacers is the number of operating-system threads that send tokens. Zero
	// means half of GOMAXPROCS, at least one.
	Pacers int

	// TLS secures every connection. Nil means none. See SelfSigned.
	TLS *tls.Config

	// HTTP2 speaks HTTP/2 beside HTTP/1.1: offered over TLS, by prior knowledge
	// without it.
	HTTP2 bool

	// Truth receives the truth log as CSV. Nil means none is kept.
	Truth io.Writer

	// AccessLog receives a line for each answered request. Nil means none.
	AccessLog io.Writer
}

// Cold is a slow beginning: the first iteration takes Factor times as long as it
// would, and the surplus falls in a straight line to nothing over Iterations.
type Cold struct {
	Factor     float64 // zero means 1, which is not cold
	Iterations int     // zero means 500
}

// at is the factor of an iteration, counted from 0.
func (c Cold) at(iteration int64) float64 {
	left := 1 - float64(iteration)/float64(c.Iterations)
	return 1 + (c.Factor-1)*max(0, left)
}

// Fixed is the schedule of the fixed mode: the first token leaves TTFT after
// the last byte of the request was read, the others ITL apart.
type Fixed struct {
	TTFT time.Duration // zero sends the first token at once
	ITL  time.Duration // zero sends all tokens at once, each by itself
	// Tokens is where an answer ends by itself; a request may ask for less, or
	// with ignore_eos for more. Zero means 100.
	Tokens int
}

// Engine is the shape of the simulated engine.
type Engine struct {
	Cost Cost // the zero value means DefaultCost

	// MaxSequences bounds the batch. Zero means 256.
	MaxSequences int

	// MaxBatchedTokens is the token budget of an iteration; longer prompts are
	// prefilled in several. Zero means 2048.
	MaxBatchedTokens int

	// MaxQueue bounds the sequences waiting; a request beyond it is answered
	// 503. Every sequence waits at least until the next iteration begins. Zero
	// means 10000.
	MaxQueue int

	// KVBlocks is the size of the KV cache in blocks of 16 tokens. Zero means
	// 16384.
	KVBlocks int

	// NoPrefixCache switches the prefix cache off.
	NoPrefixCache bool
}

// Cost is the time one iteration takes:
// Base + PerPrefillToken·prefilled + PerDecode·decoding + PerKVToken·cached,
// where cached counts the KV-cache tokens of the sequences in the batch.
type Cost struct {
	Base            time.Duration
	PerPrefillToken time.Duration
	PerDecode       time.Duration
	PerKVToken      time.Duration
}

// DefaultCost has the order of magnitude of an 8-billion-parameter model on one
// large accelerator: some 30 000 prompt tokens a second, 6 ms between tokens
// when alone, about 19 ms in a batch of 256.
var DefaultCost = Cost{
	Base:            6 * time.Millisecond,
	PerPrefillToken: 30 * time.Microsecond,
	PerDecode:       50 * time.Microsecond,
}

func (c Config) withDefaults() Config {
	setDefault(&c.Model, "sim")
	setDefault(&c.MaxModelLen, 32768)
	setDefault(&c.MeanOutput, 256)
	setDefault(&c.TokensPerChunk, 1)
	setDefault(&c.FaultDelay, time.Second)
	setDefault(&c.Cold.Factor, 1)
	setDefault(&c.Cold.Iterations, 500)
	setDefault(&c.Pacers, max(1, runtime.GOMAXPROCS(0)/2))
	setDefault(&c.Engine.Cost, DefaultCost)
	setDefault(&c.Engine.MaxSequences, 256)
	setDefault(&c.Engine.MaxBatchedTokens, 2048)
	setDefault(&c.Engine.MaxQueue, 10000)
	setDefault(&c.Engine.KVBlocks, 16384)
	if c.Fixed != nil {
		fixed := *c.Fixed
		setDefault(&fixed.Tokens, 100)
		c.Fixed = &fixed
	}
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// A setting is a field of Config by the name that errors use.
type setting[T any] struct {
	name  string
	value T
}

// validate reports every fault of a Config with its defaults filled in.
func (c Config) validate() error {
	var errs []error
	bad := func(name string, got any, want string) {
		errs = append(errs, fmt.Errorf("%s: got %v, want %s", name, got, want))
	}
	for _, f := range []setting[int]{
		{"MaxModelLen", c.MaxModelLen}, {"MeanOutput", c.MeanOutput}, {"TokensPerChunk", c.TokensPerChunk},
		{"Pacers", c.Pacers}, {"Engine.MaxSequences", c.Engine.MaxSequences},
		{"Engine.MaxBatchedTokens", c.Engine.MaxBatchedTokens}, {"Engine.MaxQueue", c.Engine.MaxQueue},
		{"Engine.KVBlocks", c.Engine.KVBlocks}, {"Cold.Iterations", c.Cold.Iterations},
	} {
		if f.value < 1 {
			bad(f.name, f.value, "at least 1")
		}
	}
	if c.Fixed != nil && c.Fixed.Tokens < 1 {
		bad("Fixed.Tokens", c.Fixed.Tokens, "at least 1")
	}
	for _, d := range c.durations() {
		if d.value < 0 || d.value > time.Hour {
			bad(d.name, d.value, "0 to 1h")
		}
	}
	if c.Fixed != nil && c.FirstDelay > 0 {
		bad("FirstDelay", c.FirstDelay, "0 on a fixed schedule, which has no iterations")
	}
	if !(c.Cold.Factor >= 1 && c.Cold.Factor <= 1000) {
		bad("Cold.Factor", c.Cold.Factor, "1 to 1000")
	}
	if c.Fixed != nil && c.Cold.Factor > 1 {
		bad("Cold.Factor", c.Cold.Factor, "1 on a fixed schedule, which has no iterations")
	}
	if c.Engine.MaxBatchedTokens < c.Engine.MaxSequences {
		bad("Engine.MaxBatchedTokens", c.Engine.MaxBatchedTokens,
			fmt.Sprintf("at least Engine.MaxSequences (%d), or a full batch could not decode", c.Engine.MaxSequences))
	}
	for _, share := range []setting[float64]{{"LaunchNoise", c.LaunchNoise}, {"Jitter", c.Jitter}} {
		if !(share.value >= 0 && share.value <= 0.5) {
			bad(share.name, share.value, "a share from 0 to 0.5")
		}
	}
	for i, row := range c.Script {
		if err := row.validate(); err != nil {
			errs = append(errs, fmt.Errorf("row %d of the script: %w", i+1, err))
		}
	}
	for _, f := range c.Faults {
		if err := f.validate(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (c Config) durations() []setting[time.Duration] {
	cost := c.Engine.Cost
	all := []setting[time.Duration]{
		{"StartDelay", c.StartDelay}, {"FirstDelay", c.FirstDelay}, {"FaultDelay", c.FaultDelay},
		{"Engine.Cost.Base", cost.Base}, {"Engine.Cost.PerPrefillToken", cost.PerPrefillToken},
		{"Engine.Cost.PerDecode", cost.PerDecode}, {"Engine.Cost.PerKVToken", cost.PerKVToken},
	}
	if c.Fixed != nil {
		all = append(all, setting[time.Duration]{"Fixed.TTFT", c.Fixed.TTFT}, setting[time.Duration]{"Fixed.ITL", c.Fixed.ITL})
	}
	return all
}
