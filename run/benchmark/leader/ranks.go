package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"assay/plan"
	"assay/record"
	"assay/worker"
)

// leadRanks leads a world of ranks through a point in which they do nothing and one in
// which they record collectives.
func leadRanks(ctx context.Context, w work) (string, error) {
	dir, err := os.MkdirTemp("", "assay-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	before, begun := held(), cpu()
	c, err := worker.Listen(worker.Options{Run: "bench", Address: "127.0.0.1", Dir: dir, Ranks: w.N, Hang: 2 * time.Minute, Epoch: record.Mono()})
	if err != nil {
		return "", err
	}
	defer c.Close()
	w.Kind, w.Env = "ranks", map[string]string{}
	for _, entry := range c.Env() {
		name, value, _ := strings.Cut(entry, "=")
		w.Env[name] = value
	}
	w.Env[worker.EnvOut] = "" // the ranks of this benchmark keep no copy
	wait, err := crowdOf(ctx, w)
	if err != nil {
		return "", err
	}
	if err := c.Gather(ctx); err != nil {
		return "", err
	}
	join := cpu() - begun
	memory := held() - before
	exchange, err := spent(func() error { return c.Sync(ctx, "before", exchanges) })
	if err != nil {
		return "", err
	}
	var took [2]time.Duration
	to := &counter{}
	for index := range took {
		point := plan.Point{Index: index, Name: "bench", Ranks: w.N, Collective: &plan.Collective{Backend: "native", Op: "all_reduce", Bytes: 1 << 20}}
		if took[index], err = spent(func() error { return c.Run(ctx, point, worker.WorldLine{Timeout: int64(time.Minute)}, to) }); err != nil {
			return "", err
		}
	}
	if err := c.Quit(ctx); err != nil {
		return "", err
	}
	t, err := wait()
	if err != nil {
		return "", err
	}
	if to.n == 0 {
		return "", errors.New("no record arrived")
	}
	members, seconds, records := float64(w.N), w.Duration.Seconds(), float64(to.n)
	return fmt.Sprintf("%15d  %8s  %6.1f KiB  %12s  %19s  %5.0f B/s  %6.0f B/s  %15s  %11.0f B  %9d B", w.N,
		each(join, members), float64(memory)/1024/members, each(exchange, members*exchanges), each(took[0], members*seconds),
		float64(t.IdleOut)/members/seconds, float64(t.IdleIn)/members/seconds,
		beyond(took[1], took[0], records), float64(t.FullOut-t.IdleOut)/records, t.PlanLine), nil
}

// counter is a sink that counts collectives and lets go of everything.
type counter struct{ n int }

var _ worker.Sink = (*counter)(nil)

func (c *counter) Collective(record.Collective) { c.n++ }
func (*counter) Step(record.Step)               {}
func (*counter) Bucket(record.Bucket)           {}
func (*counter) Memory(record.Memory)           {}
func (*counter) Trial(record.Trial)             {}
func (*counter) Sample(int, worker.SysLine)     {}
func (*counter) Check(int, worker.CheckLine)    {}
func (*counter) File(int, worker.FileLine)      {}
func (*counter) Note(rank int, text string)     {}

// beCrowd is the second process.
func beCrowd(ctx context.Context) error {
	var w work
	if err := json.NewDecoder(os.Stdin).Decode(&w); err != nil {
		return err
	}
	if w.Kind == "generators" {
		return errors.Join(beGenerators(ctx, w), json.NewEncoder(os.Stdout).Encode(traffic{}))
	}
	t, err := beRanks(ctx, w)
	return errors.Join(err, json.NewEncoder(os.Stdout).Encode(t))
}

// beRanks greets as every rank, through a relay that counts bytes.
func beRanks(ctx context.Context, w work) (t traffic, err error) {
	r, err := newRelay(w.Env[worker.EnvController])
	if err != nil {
		return t, err
	}
	defer r.close()
	w.Env[worker.EnvController] = r.address
	var all sync.WaitGroup
	errs := make([]error, w.N)
	door := make(chan struct{}, atOnce)
	for rank := range w.N {
		all.Go(func() { errs[rank] = beRank(ctx, w, rank, r, door) })
	}
	all.Wait()
	return r.traffic(w.N), errors.Join(errs...)
}

func beRank(ctx context.Context, w work, rank int, r *relay, door chan struct{}) error {
	env := func(name string) string {
		switch name {
		case "RANK", "LOCAL_RANK":
			return fmt.Sprint(rank)
		case "WORLD_SIZE":
			return fmt.Sprint(w.N)
		}
		return w.Env[name]
	}
	door <- struct{}{}
	c, err := worker.Dial(env, worker.HelloLine{Backend: "native", Device: "cpu", Library: "bench", Listen: fmt.Sprintf("10.%d.%d.%d:29500", rank>>16, rank>>8&255, rank&255)})
	<-door
	if err != nil {
		return fmt.Errorf("rank %d: %w", rank, err)
	}
	for {
		point, _, err := c.Plan(ctx)
		if errors.Is(err, io.EOF) {
			return c.Bye()
		}
		if err == nil {
			err = c.Barrier(worker.PhaseReady)
		}
		if err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		if rank == 0 {
			r.mark()
		}
		full := point.Index == 1
		due := float64(rank) / float64(w.N)
		for end, it := time.Now().Add(w.Duration), int64(0); time.Now().Before(end); time.Sleep(countEvery) {
			for due += w.Records * countEvery.Seconds() / float64(w.N); full && due >= 1; due-- {
				now := worker.Mono()
				c.Coll(worker.CollLine{Point: point.Index, It: it, Phase: record.Measure, Op: "all_reduce", Algorithm: "ring", Bytes: 1 << 20, DataType: "float32", N: w.N, T0: now - 1e6, T1: now, Checked: true, Clock: "host"})
				it++
			}
			c.Flush()
		}
		if rank == 0 {
			r.mark()
		}
		c.EndPoint()
	}
}
