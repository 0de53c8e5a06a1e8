package program

import (
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// The memory of the program is seen, and is its own: this process has taken far more.
func TestPeak(t *testing.T) {
	Path(t)
	large := make([]byte, 512<<20)
	for i := 0; i < len(large); i += 4096 {
		large[i] = 1
	}
	r := Command{Args: []string{"sim", "--addr", "127.0.0.1:0"}, Limit: 2 * time.Second}.Run(t)
	if !r.TimedOut || r.PeakBytes < 10<<20 || r.PeakBytes > 256<<20 {
		t.Errorf("timed out %v, peak %d MB: want some tens of megabytes", r.TimedOut, r.PeakBytes>>20)
	}
	if large[0] != 1 {
		t.Error("the memory was not kept")
	}
}
