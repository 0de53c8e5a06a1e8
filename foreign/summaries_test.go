package foreign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// readOne reads one result of testdata, changed.
func readOne(t *testing.T, tool Tool, path string, change ...string) (Import, error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", tool.Name, path))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i+1 < len(change); i += 2 {
		if !strings.Contains(text, change[i]) {
			t.Fatalf("%s has no %q", path, change[i])
		}
		text = strings.Replace(text, change[i], change[i+1], 1)
	}
	to := filepath.Join(t.TempDir(), path)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if tool.Name == MLPerf.Name {
		to = filepath.Dir(to)
	}
	return tool.Read([]string{to})
}

// reportedAt is a figure of the first launch.
func reportedAt(t *testing.T, m Import, point int, name string) record.Reported {
	t.Helper()
	for _, at := range m.Launches[0].Points {
		for _, f := range at.Reported {
			if at.Point == point && f.Name == name {
				return f
			}
		}
	}
	t.Fatalf("point %d has no %s", point, name)
	return record.Reported{}
}

func mustRead(t *testing.T, m Import, err error) Import {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNCCLTable(t *testing.T) {
	m, err := readOne(t, NCCLTests, "all_reduce.txt")
	m = mustRead(t, m, err)
	if len(m.Points) != 7 || len(m.Launches) != 1 || m.Points[0].Name != "all_reduce size=1048576 type=float redop=sum root=-1" {
		t.Errorf("%d points in %d launches, the first %q", len(m.Points), len(m.Launches), m.Points[0].Name)
	}
	want := record.Reported{Name: "out_of_place.busbw", Statistic: "value", Value: 121.08e9, Unit: "B/s", Definition: "algbw × the factor of the collective; to be held against one direction of a link"}
	if got := reportedAt(t, m, 0, "out_of_place.busbw"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := reportedAt(t, m, 0, "in_place.time"); got.Value != 14.94/1e6 || got.Unit != "s" {
		t.Errorf("time %v %s, want 14.94 µs", got.Value, got.Unit)
	}
	if m.Source.Version != "2.19.6" || m.Environment["rank.7.gpu"].Value != "NVIDIA H200" {
		t.Errorf("version %q, rank 7 on %v", m.Source.Version, m.Environment["rank.7.gpu"])
	}
	if all := strings.Join(m.Source.Notes, "\n"); !strings.Contains(all, "over all sizes and both modes") {
		t.Errorf("notes %q do not speak of the average", all)
	}
}

// What is printed is held against time and size; wrong answers are a failure.
func TestNCCLChecks(t *testing.T) {
	f := func(name, want string, change ...string) {
		t.Helper()
		m, err := readOne(t, NCCLTests, "all_reduce.txt", change...)
		m = mustRead(t, m, err)
		if got := reportedAt(t, m, 0, name).Wrong; (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%v: %s is wrong because %q, want %q", change, name, got, want)
		}
	}
	row := "   15.16   69.19  121.08       0"
	f("out_of_place.algbw", "")
	f("out_of_place.busbw", "")
	f("out_of_place.algbw", "size / time is 6.917e+10", row, "   15.16   79.19  121.08       0")
	f("out_of_place.busbw", "1.75 × size / time is 1.21e+11", row, "   15.16   69.19  141.08       0")
	f("out_of_place.busbw", "1.75 × size / time", row, "   15.16   69.19   69.19       0")
	f("out_of_place.time", "3 elements of the result were wrong", row, "   15.16   69.19  121.08       3")
	f("in_place.time", "", row, "   15.16   69.19  121.08       3")
	f("out_of_place.time", "", row, "   15.16   69.19  121.08     N/A")
	f("out_of_place.busbw", "", "all_reduce_perf", "somebodys_perf")
	f("out_of_place.algbw", "", row, "1.5e+01   7e+01   1e+02       0") // rounded, as wide numbers are

	m, err := readOne(t, NCCLTests, "all_reduce.txt", row, "   15.16   69.19  121.08       3")
	m = mustRead(t, m, err)
	if all := strings.Join(m.Source.Notes, "\n"); !strings.Contains(all, "FAILED all_reduce size=1048576 type=float redop=sum root=-1 out_of_place: 3 elements were wrong") {
		t.Errorf("the notes do not tell of the failure: %s", all)
	}
}

// One half may be missing, and lines of other programs between the rows.
func TestNCCLOddTables(t *testing.T) {
	row := "    15.16   69.19  121.08       0    14.94   70.17  122.80       0"
	m, err := readOne(t, NCCLTests, "all_reduce.txt", row, row[:33]+"\nnode-a:4711:4711 [0] NCCL INFO 8 coll channels")
	m = mustRead(t, m, err)
	for _, f := range m.Launches[0].Points[0].Reported {
		if strings.HasPrefix(f.Name, "out_of_place") {
			t.Errorf("%s out of a row that has one half", f.Name)
		}
	}
	for text, want := range map[string]string{"xx.16": `time is "xx.16"`, "-5.16": `time is "-5.16"`, "  nan": `time is "nan"`, "  inf": `time is "inf"`} {
		if _, err := readOne(t, NCCLTests, "all_reduce.txt", "15.16", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	if _, err := readOne(t, NCCLTests, "all_reduce.txt", "# Avg bus bandwidth", "# gone"); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("without its end: error %v", err)
	}
}

// The file of -J has its ranks by process, single iterations, and no secrets in what
// is kept of it.
func TestNCCLJSON(t *testing.T) {
	m, err := readOne(t, NCCLTests, "all_gather.json")
	m = mustRead(t, m, err)
	if got := reportedAt(t, m, 0, "out_of_place.busbw"); got.Wrong != "" || got.Value == 0 {
		t.Errorf("%+v", got)
	}
	operations := m.Launches[0].Points[1].Collectives
	if len(operations) != 6 || operations[0].Phase != record.Warmup || operations[1].Phase != record.Measure || operations[5].Ranks != 2 || operations[5].Op != "all_gather" {
		t.Errorf("%d operations: %+v", len(operations), operations)
	}
	if window := m.Launches[0].Points[1].Duration; time.Duration(operations[5].End) > window {
		t.Errorf("the last operation ends at %d ns of a window of %v", operations[5].End, window)
	}
	kept := string(m.Files[0].Kept)
	for _, secret := range []string{"hf_secret", "hunter2pass", "/usr/bin"} {
		if strings.Contains(kept, secret) {
			t.Errorf("%q is kept", secret)
		}
	}
	if !strings.Contains(kept, "NCCL_ALGO=Ring") || !strings.Contains(kept, "HF_TOKEN=[redacted]") || m.Environment["env.NCCL_ALGO"].Value != "Ring" || m.Environment["env.HF_TOKEN"].Value != nil {
		t.Errorf("kept %s\nenvironment %v", kept, m.Environment)
	}
	f := func(want string, change ...string) {
		t.Helper()
		if _, err := readOne(t, NCCLTests, "all_gather.json", change...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", change, err, want)
		}
	}
	f("the test did not end", `"end_time"`, `"never"`)
	f("alg_bw is missing", `"alg_bw"`, `"gone"`)
}

// Several files of one test are launches.
func TestNCCLLaunches(t *testing.T) {
	path := "testdata/nccl-tests/all_reduce.txt"
	m, err := NCCLTests.Read([]string{path, path, path})
	m = mustRead(t, m, err)
	if len(m.Points) != 7 || len(m.Launches) != 3 || len(m.Launches[2].Points) != 7 {
		t.Errorf("%d points in %d launches, want 7 in 3", len(m.Points), len(m.Launches))
	}
}

func TestMLPerf(t *testing.T) {
	m, err := MLPerf.Read([]string{"testdata/mlperf/server"})
	m = mustRead(t, m, err)
	if m.Points[0].Name != "Server rate=100/s" || m.Points[0].Rate != 100 || m.Source.Version != "6.0.17 @ d6147c7eb7" {
		t.Errorf("point %+v of version %q", m.Points[0], m.Source.Version)
	}
	if window := m.Launches[0].Points[0].Duration; window != 1529*time.Millisecond {
		t.Errorf("window %v, want 1.529 s", window)
	}
	f := func(name, statistic, metric string, value float64, wrong string) {
		t.Helper()
		got := reportedAt(t, m, 0, name)
		if got.Statistic != statistic || got.Metric != metric || got.Value != value || (wrong == "") != (got.Wrong == "") || !strings.Contains(got.Wrong, wrong) {
			t.Errorf("%+v, want %s of %s, %v, wrong because %q", got, statistic, metric, value, wrong)
		}
	}
	f("result_99.00_percentile_latency_ns", "p99", "e2e.v2", 42645339/1e9, "")
	f("result_first_token_99.90_percentile_latency_ns", "p99.9", "ttft.v2", 45520186/1e9, "")
	f("result_time_per_output_token_50.00_percentile_ns", "p50", "tpot_done.v1", 1024812/1e9, "")
	f("result_time_to_output_token_mean", "mean", "tpot_done.v1", 1191515/1e9, "")
	f("result_completed_tokens_per_second", "value", "", 753.556, "INVALID")
	f("result_token_throughput", "value", "", 5.55301e-07, "divides by nanoseconds")
	f("result_overlatency_query_count", "value", "", 0, "")
	if all := strings.Join(m.Source.Notes, "\n"); !strings.Contains(all, "server: LoadGen calls the run INVALID: early_stopping_met is false; * Run unsuccessful.") {
		t.Errorf("the notes do not say why the run is invalid: %s", all)
	}
	m, err = readOne(t, MLPerf, "server/mlperf_log_detail.txt", `"effective_target_latency_ns", "value": 100000000`, `"effective_target_latency_ns", "value": 0`)
	m = mustRead(t, m, err)
	f("result_overlatency_query_count", "value", "", 0, "only tokens are limited")

	m, err = MLPerf.Read([]string{"testdata/mlperf/accuracy", "testdata/mlperf/offline", "testdata/mlperf/offline"})
	m = mustRead(t, m, err)
	if got := reportedAt(t, m, 0, "samples in mlperf_log_accuracy.json"); got.Value != 64 {
		t.Errorf("%v samples, want 64", got.Value)
	}
	if len(m.Points) != 2 || len(m.Launches) != 2 || m.Points[1].Name != "Offline" {
		t.Errorf("points %+v in %d launches, want two in two", m.Points, len(m.Launches))
	}
	if _, err := readOne(t, MLPerf, "server/mlperf_log_detail.txt", `"result_validity"`, `"gone"`); err == nil || !strings.Contains(err.Error(), "without result_validity is cut short") {
		t.Errorf("without a verdict: error %v", err)
	}
}

func TestLMEval(t *testing.T) {
	const path = "results_2026-11-15T13-25-18.924503.json"
	m, err := readOne(t, LMEval, path)
	m = mustRead(t, m, err)
	if len(m.Points) != 2 || m.Points[0].Name != "sums_choice n-shot=2 version=1" || m.Points[1].Name != "sums_text n-shot=0 version=2" {
		t.Errorf("points %+v", m.Points)
	}
	if got := reportedAt(t, m, 0, "acc_stderr,none"); got.Value != 0.08333333333333333 || got.Statistic != "stderr" {
		t.Errorf("%+v", got)
	}
	if got := reportedAt(t, m, 1, "n-samples"); got.Value != 12 {
		t.Errorf("%+v", got)
	}
	if m.Run.Spec.Workload.Model != "dummy-model" || m.Source.Version != "0.4.13" || m.Started.Year() != 2026 {
		t.Errorf("model %q, version %q, started %v", m.Run.Spec.Workload.Model, m.Source.Version, m.Started)
	}
	m, err = readOne(t, LMEval, path, `"model_args": {}`, `"model_args": "base_url=http://127.0.0.1,api_key=sk-verysecret,tokenizer=x"`, `"limit": null`, `"limit": 5`)
	m = mustRead(t, m, err)
	args, _ := m.Environment["lm-eval.model_args"].Value.(string)
	if strings.Contains(args+string(m.Files[0].Kept), "sk-verysecret") || !strings.Contains(args, "tokenizer=x") {
		t.Errorf("model_args %q, or the kept file, hold the key or lack the rest", args)
	}
	if all := strings.Join(m.Source.Notes, "\n"); !strings.Contains(all, "--limit 5") {
		t.Errorf("the notes do not tell of the limit: %s", all)
	}
}
