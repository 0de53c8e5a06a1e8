package metric

import (
	"math"
	"testing"

	"assay/plan"
	"assay/record"
)

// aJob is a point of two ranks that were asked for at 1 s, came after a second and began
// to step at 4 s: three steps of 100 ms, the second followed by a checkpoint.
func aJob() *Point {
	of := func(v int64) *int64 { v *= ms; return &v }
	r := &Ranked{Plan: plan.Point{Ranks: 2, Steps: &plan.Steps{SaveEvery: 2}}, Asked: []int64{1000 * ms}, Begun: []int64{3500 * ms}, Timed: true}
	for rank := range int32(2) {
		r.World = append(r.World, record.Rank{Rank: rank, Started: of(2000), Joined: of(3000 + 100*int64(rank))})
		for step := range int64(3) {
			row := record.Step{
				Rank: rank, Step: step, Phase: record.Measure, Synced: true, Start: (4000 + 200*step) * ms, End: (4100 + 200*step) * ms,
				Host: of(2), Data: of(10), Forward: of(20), Backward: of(55), Optimizer: of(8), Comm: of(30), Exposed: of(15), Pause: of(3),
			}
			if step == 1 {
				row.Save = of(40 + 10*int64(rank))
			}
			r.Steps = append(r.Steps, row)
		}
	}
	return &Point{Kind: plan.KindSteps, Ranked: r}
}

// The parts of a job add up to it.
func TestJob(t *testing.T) {
	f := func(name string, p *Point, want map[string]float64) {
		t.Helper()
		j, ok := p.job()
		if !ok {
			t.Fatalf("%s: no job", name)
		}
		sum := 0.0
		for _, part := range j.Parts {
			sum += part.Seconds
			if math.Abs(part.Seconds-want[part.Name]) > 1e-12 {
				t.Errorf("%s: %s takes %v, want %v", name, part.Name, part.Seconds, want[part.Name])
			}
			delete(want, part.Name)
		}
		if math.Abs(sum-j.Seconds) > 1e-12 || len(want) > 0 {
			t.Errorf("%s: parts add up to %v, the job takes %v; %v is missing", name, sum, j.Seconds, want)
		}
	}
	work := func(start map[string]float64) map[string]float64 {
		all := map[string]float64{
			JobInput: .03, JobCompute: .204, JobExposed: .045, JobHost: .006, JobPauses: .009, JobSaves: .05, JobOther: .015,
		}
		for name, v := range start {
			all[name] = v
		}
		return all
	}
	f("a first point", aJob(), work(map[string]float64{JobQueue: 1, JobStart: 1.1, JobSetup: .9}))

	again := aJob()
	again.Ranked.Asked, again.Ranked.Begun = []int64{200 * ms, 1000 * ms}, []int64{600 * ms, 3500 * ms}
	f("after a failed attempt", again, work(map[string]float64{JobAttempts: .8, JobQueue: 1, JobStart: 1.1, JobSetup: .9}))

	next := aJob()
	next.Ranked.Asked = nil
	f("a point that takes ranks over", next, work(map[string]float64{JobSetup: .5}))

	old := aJob()
	old.Ranked.Timed = false
	if j, ok := old.job(); ok {
		t.Errorf("a launch that does not say when ranks were asked for has the job %+v", j)
	}
	unsaved := aJob()
	unsaved.Ranked.Plan.Steps.SaveEvery = 0
	for i := range unsaved.Ranked.Steps {
		unsaved.Ranked.Steps[i].Save = nil
	}
	if j, _ := unsaved.job(); !hasPart(j, JobSaves) {
		t.Errorf("a job without checkpoints spends no time on them, and that is known: %+v", j)
	}
}

func hasPart(j Job, name string) bool {
	for _, part := range j.Parts {
		if part.Name == name {
			return true
		}
	}
	return false
}
