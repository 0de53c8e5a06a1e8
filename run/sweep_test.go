package run

import (
	"fmt"
	"testing"

	"assay/plan"
	"assay/record"
	"assay/sim/simtest"
)

// Each point of a sweep asks for its own lengths, with prompts of its own, and a
// launch repeated asks the same again.
func TestSweepRuns(t *testing.T) {
	url := simtest.Serve(t, quick)
	sweepOf := func(prompt, load string) plan.Plan {
		p := planOf(t, fmt.Sprintf(`workload: {model: sim, prompt: {%s}}, target: {url: %q, timeout: 20s},
			load: {%s, concurrency: [2], requests: 6, duration: 20s, warmup: {}, calibrate: false}`, prompt, url, load))
		p.Launches = p.Launches[:1]
		return p
	}
	f := func(prompt, load string, check func(point plan.Point, r record.Request) error) {
		t.Helper()
		p := sweepOf(prompt, load)
		list, _ := asked(t, p)
		perPoint, prompts := map[int32]int{}, map[int64]bool{}
		for _, r := range list {
			perPoint[r.Point]++
			prompts[r.PromptHash] = true
			point, _ := p.PointByIndex(int(r.Point))
			if err := check(point, r); err != nil {
				t.Errorf("%s: %v", point.Name, err)
			}
		}
		for _, point := range p.Points {
			if perPoint[int32(point.Index)] != 6 {
				t.Errorf("%s: %d requests, want 6", point.Name, perPoint[int32(point.Index)])
			}
		}
		if len(prompts) != len(list) {
			t.Errorf("%d different prompts of %d: points share some", len(prompts), len(list))
		}
	}
	lengths := map[string][2]int32{"D(40,5)": {40, 5}, "D(90,11)": {90, 11}}
	f(`scenarios: ["D(40,5)", "D(90,11)"]`, "keepAnswers: false", func(point plan.Point, r record.Request) error {
		if want := lengths[point.Scenario]; r.AskedInput != want[0] || r.AskedOutput != want[1] {
			return fmt.Errorf("asked for %d and %d tokens, want %v", r.AskedInput, r.AskedOutput, want)
		}
		return nil
	})
	tokens := map[string]int32{"E(20)": 20, "E(35)": 35}
	f(`task: text-to-embeddings, scenarios: ["E(20)", "E(35)"]`, "batchSizes: [1, 3]", func(point plan.Point, r record.Request) error {
		if want := tokens[point.Scenario] * int32(point.BatchSize); r.AskedInput != want || r.Items == nil || int(*r.Items) != point.BatchSize {
			return fmt.Errorf("asked for %d tokens and got %v vectors, want %d and %d", r.AskedInput, r.Items, want, point.BatchSize)
		}
		return nil
	})
}
