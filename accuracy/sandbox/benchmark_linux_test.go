//go:build linux && (amd64 || arm64)

package sandbox

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkHumanEval runs the canonical solutions, as many at a time as there are
// processors, and says how many end in a second and what processor time one takes with
// everything around it: cells, referees, and what the kernel does for them.
func BenchmarkHumanEval(b *testing.B) {
	opened(b)
	problems := humanEval(b)
	programs := make([]Program, b.N)
	for i := range programs {
		h := problems[i%len(problems)]
		programs[i] = h.program(h.CanonicalSolution)
		programs[i].Limits.Wall = time.Minute
	}
	before := processorTime(b)
	s, err := Open(b.Context(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	outcomes, err := s.RunAll(b.Context(), programs)
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil { // only cells that have ended are counted
		b.Fatal(err)
	}
	for i, o := range outcomes {
		if !o.Passed() {
			b.Errorf("%s: %s, %s", problems[i%len(problems)].TaskID, o.Verdict, o.Why)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "programs/s")
	b.ReportMetric((processorTime(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/program")
}

// processorTime is that of this process and of all that it waited for.
func processorTime(b *testing.B) time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			b.Fatal(err)
		}
		sum += cpuOf(usage)
	}
	return sum
}
