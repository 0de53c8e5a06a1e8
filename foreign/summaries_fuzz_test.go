package foreign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// fuzzReader feeds a tool with files that begin as its real ones: whatever comes, it
// gives an error or an import that can be planned.
func fuzzReader(f *testing.F, tool Tool, name string, samples ...string) {
	for _, path := range samples {
		data, err := os.ReadFile(filepath.Join("testdata", tool.Name, path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if tool.Name == MLPerf.Name {
			path = dir
		}
		tool.Claims(path)
		m, err := tool.Read([]string{path})
		if err != nil {
			return
		}
		if _, err := m.plan(); err != nil {
			t.Errorf("Read took it, and it cannot be planned: %v", err)
		}
		if _, err := json.Marshal(m.stated()); err != nil {
			t.Errorf("Read took it, and what it states cannot be written: %v", err)
		}
	})
}

func FuzzMLPerf(f *testing.F) {
	fuzzReader(f, MLPerf, mlperfDetail, "server/mlperf_log_detail.txt", "accuracy/mlperf_log_detail.txt")
}

func FuzzNCCLTests(f *testing.F) {
	fuzzReader(f, NCCLTests, "result", "all_reduce.txt", "all_gather.json")
}

func FuzzLMEval(f *testing.F) {
	fuzzReader(f, LMEval, "results.json", "results_2026-11-15T13-25-18.924503.json")
}

func FuzzIperf3(f *testing.F) { fuzzReader(f, Iperf3, "result.json", "tcp.json", "udp.json") }
func FuzzFio(f *testing.F)    { fuzzReader(f, Fio, "result.json", "sequential-read.json") }
func FuzzPerftest(f *testing.F) {
	fuzzReader(f, Perftest, "result.json", "bandwidth_only.json", "send_lat.json", "write_bw.json")
}
