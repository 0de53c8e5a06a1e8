package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"assay/load"
	"assay/record"
	"assay/target"
)

// benchClosed measures how late users of a closed loop ask again: the time from
// the stamp of the last byte of an answer until the next request was sent (lag)
// and written (wrote). The readers take turns, three times each.
func benchClosed(ctx context.Context, duration time.Duration) error {
	url, stop, err := startServer(16)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%s, %s, %d processors shared by client and simulator, load %s, kernel %s, %v a row, 20 ms and 15 times 2 ms an answer\n",
		time.Now().UTC().Format(time.RFC3339), runtime.Version(), runtime.NumCPU(),
		firstWords("/proc/loadavg", 3), firstWords("/proc/sys/kernel/osrelease", 1), duration)
	fmt.Printf("%5s %-13s %8s  %-22s  %-22s %s\n", "users", "reader", "calls", "lag p50/p99/p99.9 µs", "wrote p50/p99/p99.9 µs", "CPU")
	for _, users := range []int{1, 16, 256} {
		for range 3 {
			for _, reader := range []string{target.ReadKernel, target.ReadEpoll, target.ReadNetHTTP} {
				if err := closedRow(ctx, url, reader, users, duration); err != nil {
					return fmt.Errorf("%d users, %s: %w", users, reader, err)
				}
			}
		}
	}
	return nil
}

func closedRow(ctx context.Context, url, reader string, users int, duration time.Duration) error {
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	dialect, err := target.Find("openai-chat")
	if err != nil {
		return err
	}
	client, err := target.New(target.Config{URLs: []string{url}, Reader: reader, Ask: target.Ask{Model: "sim", Stream: true}, Connections: users, Timeout: time.Minute}, dialect, clock)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Warm(ctx, users); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	raws := make(chan *target.Raw, users)
	var decoder sync.WaitGroup
	var lag, wrote []int64
	decoder.Go(func() { // ends when raws is closed
		for raw := range raws {
			r, _ := client.Decode(raw)
			if r.Phase == record.Measure && r.Result == record.OK && r.Wrote != nil {
				lag, wrote = append(lag, r.Sent-r.Due), append(wrote, *r.Wrote-r.Due)
			}
		}
	})
	cpu, began := cpuTime(), time.Now()
	err = load.Closed{Users: users, Warmup: 200 * time.Millisecond, Measure: duration}.Run(
		ctx, clock, prepare(ctx, client), client, func(raw *target.Raw) { raws <- raw })
	busy := (cpuTime() - cpu).Seconds() / time.Since(began).Seconds()
	close(raws)
	decoder.Wait()
	if err != nil {
		return err
	}
	if len(lag) == 0 {
		return fmt.Errorf("no call was answered")
	}
	fmt.Printf("%5d %-13s %8d  %-22s  %-22s %.2f\n", users, reader, len(lag), three(lag), three(wrote), busy)
	return nil
}
