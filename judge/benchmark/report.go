package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"assay/metric"
	"assay/record"
)

// notVerified is how assay report ends for a bundle without a seal, such as the one
// that is cut into segments.
const notVerified = 4

// A result is one process of assay report.
type result struct {
	wall, cpu time.Duration
	peak      int64 // bytes
	digest    string
	report    []byte
}

func report(ctx context.Context, assay, dir string, processors int) (result, error) {
	cmd := exec.CommandContext(ctx, assay, "report", "--json", dir)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", processors))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	ended := make(chan struct{})
	peak := make(chan int64, 1)
	go func() { peak <- watchPeak(cmd.Process.Pid, ended) }() // ends with the process
	err := cmd.Wait()
	wall := time.Since(start)
	close(ended)
	r := result{wall: wall, peak: <-peak, report: out.Bytes()}
	if code := cmd.ProcessState.ExitCode(); err != nil && code != notVerified {
		return r, fmt.Errorf("%s report: %w", assay, err)
	}
	sum := sha256.Sum256(r.report)
	r.digest = hex.EncodeToString(sum[:])
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, nil
}

// watchPeak reads the largest resident size of a process, in bytes, until it ends.
// What wait4 tells would be no less than the size of this program, which the child
// shares before it becomes another.
func watchPeak(pid int, ended <-chan struct{}) (most int64) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		for line := range strings.Lines(string(text)) {
			var kib int64
			if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil && n == 1 && strings.HasPrefix(line, "VmHWM:") {
				most = max(most, kib<<10)
			}
		}
		select {
		case <-ended:
			return most
		case <-tick.C:
		}
	}
}

// check holds the counts of a report against what was written: a fast wrong
// answer is no answer.
func (s size) check(report []byte) error {
	var r struct{ Estimates metric.Estimates }
	if err := json.Unmarshal(report, &r); err != nil {
		return err
	}
	measured, ok := 0, 0
	for launch := range s.launches {
		end := int64(s.each()) * spacing
		for id := range int64(s.each()) {
			one := newRequest(launch, id, s.chunks, end)
			if one.Phase == record.Measure {
				measured++
				if one.Result == record.OK {
					ok++
				}
			}
		}
	}
	got := 0
	for _, n := range r.Estimates.Outcomes[0].Counts {
		got += n
	}
	if got != measured || r.Estimates.Outcomes[0].Counts[record.OK] != ok {
		return fmt.Errorf("the report counts %v, want %d measured requests of which %d succeeded", r.Estimates.Outcomes[0].Counts, measured, ok)
	}
	row, found := r.Estimates.Find(metric.ITLAll.ID, "p99", 0)
	gaps := 0
	for _, v := range row.PerLaunch {
		gaps += v.N
	}
	if !found || gaps != ok*(s.chunks-5) { // a role before the tokens, three events after them
		return fmt.Errorf("the report has %d gaps between chunks, want %d", gaps, ok*(s.chunks-5))
	}
	return nil
}

func conditions() string {
	return fmt.Sprintf("%s, %s %s, %d processors, load %s, kernel %s",
		time.Now().UTC().Format(time.RFC3339), runtime.Version(), runtime.GOARCH, runtime.NumCPU(),
		firstWords("/proc/loadavg", 3), firstWords("/proc/sys/kernel/osrelease", 1))
}

func firstWords(path string, n int) string {
	text, err := os.ReadFile(path)
	words := strings.Fields(string(text))
	if err != nil || len(words) < n {
		return "unknown"
	}
	return strings.Join(words[:n], " ")
}

func sizeOf(dir string) (sum int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
