package foreign

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A result of 200 MB must not need 2 GB. All that reading allocates, kept or not,
// is an upper bound of what it needs at once, and does not depend on when the
// collector runs.
func TestMemory(t *testing.T) {
	const requests, gaps = 400, 1000
	var b strings.Builder
	repeat := func(name, entry string) {
		fmt.Fprintf(&b, `,"%s":[%s%s]`, name, strings.Repeat(entry+",", requests-1), entry)
	}
	b.WriteString(`{"endpoint_type":"vllm","backend":"vllm","model_id":"m","request_rate":"inf","max_concurrency":10,"duration":1000.0,"completed":400,"request_throughput":0.4`)
	repeat("input_lens", "12")
	repeat("output_lens", "1001")
	repeat("ttfts", "0.05")
	repeat("itls", "["+strings.Repeat("0.010123456789012345,", gaps-1)+"0.01]")
	repeat("latencies", "10.2")
	repeat("start_times", "36801.75")
	repeat("generated_texts", `"`+strings.Repeat("word ", 500)+`"`)
	b.WriteString("}")
	path := filepath.Join(t.TempDir(), "big.json")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := VLLM.Read([]string{path})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(m.Launches[0].Points[0].Chunks); got != requests*(gaps+1) {
		t.Errorf("%d chunks, want %d", got, requests*(gaps+1))
	}
	times := float64(after.TotalAlloc-before.TotalAlloc) / float64(b.Len())
	t.Logf("%d bytes, allocated %.1f times as much", b.Len(), times)
	const most = 20 // the race detector doubles what it is without: 7
	if times > most {
		t.Errorf("reading %d bytes allocates %.1f times as much, want at most %d", b.Len(), times, most)
	}
}
