package foreign

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
)

// genaiFolders are the folders of genai-bench that live here, and those beside the
// repository where they are there.
func genaiFolders(t *testing.T) []string {
	t.Helper()
	list := samples(t, GenAIBench)
	more, err := filepath.Glob("../../shared/golden/genai-bench/*/" + genaiMetadataFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range more {
		list = append(list, filepath.Dir(path))
	}
	return list
}

// rowsOf reads a table of the first launch.
func rowsOf[T any](t *testing.T, b *bundle.Bundle, table string) []T {
	t.Helper()
	var list []T
	for row, err := range bundle.Rows[T](b, 0, table) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// Exporting a folder and importing it again changes nothing but the figures that
// genai-bench got wrong.
func TestGenAIRoundTrip(t *testing.T) {
	for _, folder := range genaiFolders(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			first, err := readGenAIBench([]string{folder})
			if err != nil {
				t.Fatal(err)
			}
			a, p := write(t, first)
			once := filepath.Join(t.TempDir(), "once")
			if err := ExportGenAIBench(a, p, 0, once); err != nil {
				t.Fatal(err)
			}
			second, err := readGenAIBench([]string{once})
			if err != nil {
				t.Fatal(err)
			}
			b, q := write(t, second)
			if !reflect.DeepEqual(p.Points, q.Points) {
				t.Errorf("points\n%+v\nbecame\n%+v", p.Points, q.Points)
			}
			for _, table := range []string{bundle.Requests, bundle.Chunks, bundle.Events} {
				var before, after any
				switch table {
				case bundle.Requests:
					before, after = inOnePhase(rowsOf[record.Request](t, a, table)), rowsOf[record.Request](t, b, table)
				case bundle.Chunks:
					before, after = rowsOf[record.Chunk](t, a, table), rowsOf[record.Chunk](t, b, table)
				default:
					before, after = rowsOf[record.Event](t, a, table), rowsOf[record.Event](t, b, table)
				}
				if !reflect.DeepEqual(before, after) {
					t.Errorf("the table %s has changed", table)
				}
			}
			sameReported(t, first, second)
			twice := filepath.Join(t.TempDir(), "twice")
			if err := ExportGenAIBench(b, q, 0, twice); err != nil {
				t.Fatal(err)
			}
			sameFolders(t, once, twice)
		})
	}
}

// inOnePhase forgets which rows were cut: an export takes all of them.
func inOnePhase(requests []record.Request) []record.Request {
	for i := range requests {
		requests[i].Phase = record.Measure
	}
	return requests
}

// sameReported wants the figures of the tool to be the same to the last digit,
// except those that were wrong, which are right the second time, and the statistics
// of a run that was cut, which rest on all rows then.
func sameReported(t *testing.T, first, second Import) {
	t.Helper()
	for i, at := range first.Launches[0].Points {
		again := second.Launches[0].Points[i].Reported
		if len(at.Reported) != len(again) {
			t.Fatalf("point %d: %d figures became %d", i, len(at.Reported), len(again))
		}
		cut := slices.ContainsFunc(at.Requests, func(r record.Request) bool { return r.Phase != record.Measure })
		for j, f := range at.Reported {
			if cut && slices.Contains(genaiStatistics, f.Statistic) {
				continue
			}
			switch {
			case again[j].Wrong != "":
				t.Errorf("%s is still wrong: %s", again[j].Name, again[j].Wrong)
			case f.Wrong != "" && f.Value == again[j].Value:
				t.Errorf("%s is %v and was not corrected", f.Name, f.Value)
			case f.Wrong == "" && f != again[j]:
				t.Errorf("%+v became %+v", f, again[j])
			}
		}
	}
}

// sameFolders wants run files alike to the last byte.
func sameFolders(t *testing.T, a, b string) {
	t.Helper()
	files, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		one, _ := os.ReadFile(filepath.Join(a, f.Name()))
		two, err := os.ReadFile(filepath.Join(b, f.Name()))
		if err != nil || f.Name() != genaiMetadataFile && !bytes.Equal(one, two) {
			t.Errorf("%s differs in a second export (%v)", f.Name(), err)
		}
	}
}

// Our aggregates of genai-bench's rows are its own, to a billionth.
func TestGenAIAggregate(t *testing.T) {
	for _, folder := range genaiFolders(t) {
		e, err := readGenaiExperiment(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range e.runs {
			good, _, kept := r.count()
			if kept != good {
				continue // its statistics are those of some rows
			}
			stored := r.Aggregate.Stats
			r.aggregate()
			for _, f := range genaiFields {
				for _, statistic := range genaiStatistics {
					got, want := r.Aggregate.Stats[f.name][statistic], stored[f.name][statistic]
					if (got == nil) != (want == nil) || got != nil && math.Abs(*got-*want) > 1e-9*math.Max(1, math.Abs(*want)) {
						t.Errorf("%s %s %s: %v, want %v", r.file, f.name, statistic, pointed(got), pointed(want))
					}
				}
			}
		}
	}
}

func pointed(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// The figures of the folders are those that their description names.
func TestGenAIGolden(t *testing.T) {
	const golden = "../../shared/golden/genai-bench/sample_chat_s"
	if _, err := os.Stat(golden); err != nil {
		t.Skipf("want the folder shared beside the repository: %v", err)
	}
	m, err := readGenAIBench([]string{golden})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		scenario   string
		level      int
		rows       int
		seconds    float64
		rps, rate  float64 // requests and output tokens per second
		least, top int32
	}{
		{"N(60,20)/(30,10)", 1, 28, 3.207, 8.731, 241.7, 11, 47},
		{"N(60,20)/(30,10)", 2, 36, 2.012, 17.891, 517.8, 10, 49},
		{"N(60,20)/(30,10)", 4, 37, 1.014, 36.500, 997.3, 9, 40},
		{"D(100,100)", 1, 21, 7.016, 2.993, 299.3, 100, 100},
		{"D(100,100)", 2, 24, 4.012, 5.982, 598.2, 100, 100},
		{"D(100,100)", 4, 24, 2.009, 11.944, 1194.4, 100, 100},
		{"U(20,40)/(10,20)", 1, 30, 2.011, 14.918, 217.8, 10, 19},
		{"U(20,40)/(10,20)", 2, 32, 1.010, 31.674, 430.6, 10, 19},
		{"U(20,40)/(10,20)", 4, 61, 1.013, 60.209, 869.6, 10, 19},
	}
	if len(m.Points) != len(want) {
		t.Fatalf("%d points, want %d: %+v", len(m.Points), len(want), m.Points)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= .0006*want }
	for i, w := range want {
		at := m.Launches[0].Points[i]
		seconds, tokens, least, top := at.Duration.Seconds(), 0, int32(math.MaxInt32), int32(0)
		for _, r := range at.Requests {
			tokens += int(*r.UsageOutput)
			least, top = min(least, *r.UsageOutput), max(top, *r.UsageOutput)
		}
		n := float64(len(at.Requests))
		if m.Points[i].Scenario != w.scenario || m.Points[i].Concurrency != w.level || int(n) != w.rows || least != w.least || top != w.top ||
			!near(seconds, w.seconds) || !near(n/seconds, w.rps) || !near(float64(tokens)/seconds, w.rate) {
			t.Errorf("point %d is %+v with %v rows in %v s, %v to %v tokens; want %+v", i, m.Points[i], n, seconds, least, top, w)
		}
	}
}

// A folder of an older version has neither units nor kinds of iteration.
func TestGenAIOldFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "old")
	if err := os.CopyFS(dir, os.DirFS("testdata/genai-bench/errors")); err != nil {
		t.Fatal(err)
	}
	name := "D100_100_text-to-text_num_concurrency_8_time_5s.json"
	edit(t, filepath.Join(dir, name), func(doc map[string]any) {
		delete(doc, "_time_unit")
		aggregate := doc["aggregated_metrics"].(map[string]any)
		aggregate["requests_per_minute"], aggregate["mean_total_chars_per_hour"] = 383, 1e6
		delete(aggregate, "iteration_type")
		delete(aggregate, "batch_size")
		for _, row := range doc["individual_request_metrics"].([]any) {
			delete(row.(map[string]any), "num_reasoning_tokens")
			delete(row.(map[string]any), "audio_throughput")
		}
	})
	edit(t, filepath.Join(dir, genaiMetadataFile), func(doc map[string]any) {
		for _, field := range []string{"iteration_type", "batch_size", "metrics_time_unit", "auth_config"} {
			delete(doc, field)
		}
		doc["server_gpu_count"] = 8
	})
	m, err := readGenAIBench([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	at := m.Launches[0].Points[0]
	if m.Points[0].Concurrency != 8 || m.Points[0].BatchSize != 0 || len(at.Requests) != 45 || at.Requests[2].Done != 1090621231 {
		t.Errorf("%+v with %d requests, the third done after %d ns; want 8 users, 45 requests, 1090621231 ns", m.Points[0], len(at.Requests), at.Requests[2].Done)
	}
}

func edit(t *testing.T, path string, change func(map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	change(doc)
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Several folders of one experiment are its launches; folders of two are refused.
func TestGenAILaunches(t *testing.T) {
	folder := "testdata/genai-bench/errors"
	twice, err := readGenAIBench([]string{folder, folder})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := twice.Write(t.Context(), Options{Out: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no repetition") {
		t.Errorf("one folder given twice: %v, want a refusal", err)
	}
	folders := []string{folder}
	for i := range 2 {
		other := filepath.Join(t.TempDir(), "errors")
		if err := os.CopyFS(other, os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(other, "D100_100_text-to-text_num_concurrency_8_time_5s.json"), func(doc map[string]any) {
			row := doc["individual_request_metrics"].([]any)[2].(map[string]any)
			row["e2e_latency"] = 1.2 + float64(i)
		})
		folders = append(folders, other)
	}
	m, err := readGenAIBench(folders)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Launches) != 3 || len(m.Points) != 1 || slices.ContainsFunc(m.Source.Unknown, func(g bundle.Gap) bool { return g.ID == bundle.GapReplicates }) {
		t.Errorf("%d launches of %d points, want 3 of 1 with replicates", len(m.Launches), len(m.Points))
	}
	b, p := write(t, m)
	if err := ExportGenAIBench(b, p, 2, filepath.Join(t.TempDir(), "third")); err != nil {
		t.Error(err)
	}
	_, err = readGenAIBench([]string{folder, "testdata/genai-bench/embeddings"})
	if err == nil || !strings.Contains(err.Error(), "import them one by one") {
		t.Errorf("two experiments at once: %v, want a refusal", err)
	}
}
