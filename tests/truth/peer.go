package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A peerResult is the part of vllm-bench's detailed result that is compared: a value for
// each request, in no order that the server knows. The text says which request it was.
type peerResult struct {
	TTFTs  []float64   `json:"ttfts"` // seconds
	ITLs   [][]float64 `json:"itls"`
	Texts  []string    `json:"generated_texts"`
	Errors []string    `json:"errors"`
}

// peerColumn runs vllm-bench at the load: as many requests as assay's launches send in
// their windows, of which the first of each user, which opens a connection, is not judged.
func (o options) peerColumn(ctx context.Context, p place, l load) (c column, err error) {
	dir, err := os.MkdirTemp("", "truth-peer-")
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, err := startServer(ctx, o, p)
	if err != nil {
		return c, err
	}
	used, runErr := o.runPeer(ctx, p, l, server.url, dir)
	truth, err := server.answers()
	if err := errors.Join(runErr, err); err != nil {
		return c, err
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		return c, err
	}
	var result peerResult
	if err := json.Unmarshal(data, &result); err != nil {
		return c, fmt.Errorf("vllm-bench's result: %w", err)
	}
	c = column{name: "vllm-bench", cpu: used.Seconds()}
	c.comparison, err = result.compare(truth, l.users)
	for _, a := range truth {
		c.events += len(a.events)
	}
	return c, err
}

// runPeer runs vllm-bench and says how much processor time it used.
func (o options) runPeer(ctx context.Context, p place, l load, url, dir string) (time.Duration, error) {
	requests := l.users * (2 + int((o.duration+o.warmup)/o.answer.length()))
	cmd := p.command(ctx, o.peer, "--backend", "openai-chat", "--base-url", url, "--model", "truth",
		"--tokenizer", "gpt2", // which it holds itself
		"--dataset-name", "random", "--random-input-len", "32", "--random-output-len", strconv.Itoa(o.answer.tokens),
		"--num-prompts", strconv.Itoa(requests), "--max-concurrency", strconv.Itoa(l.users),
		"--disable-tqdm", "--no-steady-state", "--save-result", "--save-detailed", "--result-dir", dir, "--result-filename", "result.json")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("vllm-bench at %v: %w\n%s", l, err, said.Bytes())
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// compare holds the result against the truth.
func (r peerResult) compare(truth answers, users int) (c comparison, err error) {
	judged := judgedFrom(truth, users)
	for i, text := range r.Texts {
		id, _, _ := strings.Cut(text, " ")
		answer, found := truth[id]
		if i >= len(r.TTFTs) || i >= len(r.ITLs) || !found || len(answer.events) == 0 {
			c.missing++
			continue
		}
		if answer.received < judged {
			continue
		}
		c.requests++
		c.outputs += len(answer.events)
		c.ttft = append(c.ttft, nanos(r.TTFTs[i])-answer.ttft())
		for k, own := range r.ITLs[i][:min(len(r.ITLs[i]), len(answer.events)-1)] {
			real := answer.events[k+1].written - answer.events[k].written
			c.gap, c.everyGap = append(c.gap, nanos(own)-real), append(c.everyGap, nanos(own)-real)
			c.ownGap, c.trueGap = append(c.ownGap, nanos(own)), append(c.trueGap, real)
		}
		for _, e := range answer.events {
			c.late = append(c.late, e.written-e.due)
		}
	}
	c.turnaround = idle(truth, judged)
	if c.requests == 0 {
		return c, fmt.Errorf("no request of vllm-bench could be judged; %d are unknown to the server, the first error is %q", c.missing, slices.Concat(r.Errors, []string{""})[0])
	}
	return c, nil
}

// idle is how long connections were without a request, from the last event of an answer to
// the receipt of a request after judged. Which user asked is not known, but each has a
// connection.
func idle(truth answers, judged int64) (s sample) {
	byConnection := map[uint32][]answer{}
	for _, a := range truth {
		byConnection[a.connection] = append(byConnection[a.connection], a)
	}
	for _, list := range byConnection {
		slices.SortFunc(list, func(a, b answer) int { return cmp.Compare(a.received, b.received) })
		for i, a := range list[1:] {
			if before := list[i].events; a.received >= judged && len(before) > 0 {
				s = append(s, a.received-before[len(before)-1].written)
			}
		}
	}
	return s
}

func nanos(seconds float64) int64 { return int64(seconds * 1e9) }

// judgedFrom is when the requests begin that are judged: after the first of each user.
func judgedFrom(truth answers, users int) int64 {
	var received []int64
	for _, a := range truth {
		received = append(received, a.received)
	}
	slices.Sort(received)
	return received[min(users, len(received)-1)]
}
