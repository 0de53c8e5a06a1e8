package foreign

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What iperf3, perftest and fio say comes in our units, by their names.
func TestNetworkAndDiskFigures(t *testing.T) {
	f := func(tool Tool, file, name, statistic string, want float64, u string) {
		t.Helper()
		m, err := tool.Read([]string{filepath.Join("testdata", tool.Name, file)})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range m.Launches[0].Points[0].Reported {
			if r.Name == name && r.Statistic == statistic {
				if math.Abs(r.Value/want-1) > 1e-9 || r.Unit != u {
					t.Errorf("%s %s %s = %v %s, want %v %s", file, name, statistic, r.Value, r.Unit, want, u)
				}
				return
			}
		}
		t.Errorf("%s has no %s %s", file, name, statistic)
	}
	f(Iperf3, "tcp.json", "sum_received.bits_per_second", "value", 13081194585.164692/8, "B/s")
	f(Iperf3, "tcp.json", "sum_sent.retransmits", "value", 31, "1")
	f(Iperf3, "udp.json", "sum_received.bits_per_second", "value", 50064747.84895435/8, "B/s") // end.sum is the rate that was sent
	f(Fio, "sequential-read.json", "read.bw_bytes", "value", 2292089667, "B/s")
	f(Fio, "sequential-read.json", "read.iops", "value", 2185.907046, "op/s")
	f(Perftest, "write_bw.json", "BW_average", "mean", 23101.80*(1<<20), "B/s")
	f(Perftest, "bandwidth_only.json", "bw_avg", "mean", 23101.80*(1<<20), "B/s")
	f(Perftest, "send_lat.json", "percentile_99", "p99", 1.44e-6, "s")
}

// A test that failed says so, and is not taken for one that was slow.
func TestIperf3Failed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "failed.json")
	if err := os.WriteFile(path, []byte(`{"start": {"version": "iperf 3.12"}, "intervals": [], "end": {}, "error": "unable to connect to server"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Iperf3.Read([]string{path}); err == nil || !strings.Contains(err.Error(), "unable to connect") {
		t.Errorf("got %v, want what iperf3 said", err)
	}
}
