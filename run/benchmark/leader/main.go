// Command leader measures what the leader of a run spends on those it leads: processor
// time, memory and bytes for each load generator, each stream and each rank. They are
// simulated by a second process that speaks the real protocols over loopback, so that what
// this process spends is the leader's alone. It states no wall time: the numbers are the
// same on a busy machine. Run it with make bench-leader; docs/design/0043 reads them.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	sizes := flag.String("members", "8,32,128,500,2000", "how many load generators and ranks there are, in turn")
	duration := flag.Duration("duration", 4*time.Second, "how long each point lasts")
	streams := flag.Int("streams", 400, "streams that end in a second, over all load generators")
	records := flag.Int("records", 2000, "collectives that are recorded in a second, over all ranks")
	crowd := flag.Bool("crowd", false, "be the load generators or ranks that standard input describes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *crowd {
		if err := beCrowd(ctx); err != nil {
			log.Fatal(err)
		}
		return
	}
	w := work{Duration: *duration, Streams: float64(*streams), Records: float64(*records)}
	if err := measure(ctx, *sizes, w); err != nil {
		log.Fatal(err)
	}
}

// measure prints a row for each size, of load generators and then of ranks.
func measure(ctx context.Context, sizes string, w work) error {
	fmt.Printf("%s, %d processors, %v a point\n", runtime.Version(), runtime.GOMAXPROCS(0), w.Duration)
	for _, of := range []struct {
		head string
		row  func(ctx context.Context, w work) (string, error)
	}{
		{"load generators  join CPU  heap each  exchange CPU  CPU each and second  bytes in  bytes out  CPU of a stream  bytes of a stream", leadGenerators},
		{"ranks            join CPU  heap each  exchange CPU  CPU each and second  bytes in  bytes out  CPU of a record  bytes of a record  plan line", leadRanks},
	} {
		fmt.Println(of.head)
		for _, text := range strings.Split(sizes, ",") {
			var err error
			if w.N, err = strconv.Atoi(text); err != nil || w.N < 1 {
				return fmt.Errorf("-members %q: want numbers above 0, such as 8,32", sizes)
			}
			row, err := of.row(ctx, w)
			if err != nil {
				return fmt.Errorf("%d: %w", w.N, err)
			}
			fmt.Println(row)
		}
	}
	return nil
}

// work is what the crowd does.
type work struct {
	Kind     string // generators or ranks
	N        int
	Duration time.Duration
	Streams  float64 // each second, over all
	Records  float64

	Credentials [][]byte          // of load generators
	Env         map[string]string // of ranks
}

// exchanges of stamps with each member, which are made one after the other.
const exchanges = 4

// crowdOf starts the second process.
func crowdOf(ctx context.Context, w work) (wait func() (traffic, error), err error) {
	input, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	cmd := exec.CommandContext(ctx, self, "-crowd")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(string(input)), &out, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() (t traffic, err error) {
		if err := cmd.Wait(); err != nil {
			return t, fmt.Errorf("the crowd: %w", err)
		}
		return t, json.Unmarshal([]byte(out.String()), &t)
	}, nil
}

// traffic is bytes of the ranks' connections, as the crowd counted them.
type traffic struct {
	IdleIn, IdleOut int64 // to and from the leader in the point without records
	FullIn, FullOut int64 // in the point with them
	PlanLine        int64 // bytes that announce one point to one rank
}

// cpu is what this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err) // it cannot fail for oneself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// held is the memory that this process cannot give up.
func held() int64 {
	runtime.GC()
	runtime.GC() // what finalizers let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// spent is what f costs this process.
func spent(f func() error) (time.Duration, error) {
	before := cpu()
	err := f()
	return cpu() - before, err
}

// beyond is what each of n cost of the time that one point took more than another. A
// small part of a large time is lost in its noise, and then no number is given.
func beyond(full, idle time.Duration, n float64) string {
	if full-idle < idle/5 {
		return "in the noise"
	}
	return each(full-idle, n)
}

func each(total time.Duration, n float64) string {
	return fmt.Sprintf("%.1f µs", float64(total.Nanoseconds())/1000/n)
}
