package metric

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/plan"
	"assay/record"
	"assay/spec"
)

// trained is a point of two ranks: one step with exchange of 360 ms, whose stamps
// are those of package exchange's test, and one without.
func trained() *Point {
	const µs = int64(1000)
	at := func(v int64) *int64 { v *= µs; return &v }
	loss := func(v float64) *float64 { return &v }
	r := &Ranked{Plan: plan.Point{Ranks: 2, Steps: &plan.Steps{
		Shape: spec.ModelShape{Layers: 2, Hidden: 64, SequenceLength: 128, Vocabulary: 1024}, Precision: "bf16", TargetLoss: 2,
	}}}
	stamps := [2][6][2]int64{
		{{94679, 139196}, {120445, 180111}, {145348, 227119}, {179751, 266933}, {206096, 308211}, {227472, 351356}},
		{{113220, 139042}, {156910, 178829}, {199511, 227978}, {245313, 267037}, {286631, 308079}, {328200, 351635}},
	}
	ends, backs := [2]int64{352017, 353321}, [2]int64{70413, 70152}
	exact := int64(0)
	for rank := range int32(2) {
		id := []string{"GPU-a", "GPU-b"}[rank]
		r.World = append(r.World, record.Rank{Rank: rank, Device: "NVIDIA H200", DeviceID: id, Offset: &exact, Bound: &exact, Started: at(-800000)})
		step := record.Step{
			Rank: rank, Step: 1, Phase: record.Measure, End: (358000 + 2000*int64(rank)) * µs, Synced: true, Samples: 4, Tokens: 512,
			Data: at(3 + int64(rank)), Loss: loss(3 - 2*float64(rank)),
			ForwardStart: at(794 * int64(rank)), BackwardStart: at(backs[rank]), BackwardEnd: at(ends[rank]), Backward: at(ends[rank] - backs[rank]),
		}
		alone := step
		alone.Step, alone.Synced, alone.Start, alone.End = 2, false, 400000*µs, 600000*µs
		alone.Backward, alone.ForwardStart, alone.BackwardEnd, alone.Loss = at(150000), at(400000), at(590000), loss(0)
		early := step
		early.Step, early.Phase, early.Start, early.End = 0, record.Warmup, -500000*µs, -100000*µs
		early.ForwardStart, early.BackwardEnd, early.Loss = nil, nil, loss(9)
		r.Steps = append(r.Steps, early, step, alone)
		for j, one := range stamps[rank] {
			r.Buckets = append(r.Buckets, record.Bucket{Rank: rank, Step: 1, Bucket: int32(j), Ready: one[0] * µs, End: one[1] * µs})
		}
		peak := int64(1000 + 500*rank)
		r.Memory = append(r.Memory, record.Memory{Rank: rank, Outcome: "ok", PeakAllocated: &peak})
	}
	return &Point{Begin: 0, End: 600000 * µs, Kind: plan.KindSteps, Ranked: r, Declared: &Declared{Train: &spec.Train{FLOPConvention: "palm", PeakTFLOPS: 1e-2}}}
}

func TestTraining(t *testing.T) {
	p := trained()
	f := func(m Metric, want float64) {
		t.Helper()
		got, ok := 0.0, true
		if many, isMany := m.Of.(Many); isMany {
			list := many(p)
			if len(list) != 1 {
				t.Errorf("%s = %v, want one step", m.ID, list)
				return
			}
			got = list[0]
		} else {
			got, ok = m.Whole(p)
		}
		if !ok || math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
			t.Errorf("%s = %v, %v; want %v", m.ID, got, ok, want)
		}
	}
	f(StepTime, .360)
	f(SamplesPerSecond, 8/.360)
	f(TokensPerSecond, 1024/.360)
	f(ExposedCommunication, (.124545+.025121)/2)
	f(Communication, (.256677+.142815)/2)
	f(CommunicationOverlap, 1-(124545./256677+25121./142815)/2)
	f(PeerWait, .113536/2)
	f(GradientTransfer, (.143141+.142815)/2)
	f(ExposedWait, .100524/2)
	f(Interference, ((.352017-.070413-.150-.124545)+(.353321-.070152-.150-.025121))/2)
	f(DataWait, .000004)
	const perToken = 6*(65536+8192+2*(49152+832)+128) + 12*2*64*128
	f(TrainingMFU, 1024/.360*perToken/(2*1e10))
	f(TrainingPeakMemory, 1500)
	f(TimeToTrain, .400+.360) // the mean loss of 3 and 1 is the target
	f(StepsToTrain, 2)
	f(TrainingGoodput, (.400+.360)/1.400)
}

// A share above the peak is refused, ranks on one device have its peak once, and a
// world whose clocks are unknown says nothing that needs them.
func TestTrainingRefuses(t *testing.T) {
	p := trained()
	p.Declared.Train.PeakTFLOPS = 1e-4
	if got, ok := TrainingMFU.Whole(p); ok {
		t.Errorf("MFU = %v, want none above 1", got)
	}
	p.Declared.Train.PeakTFLOPS = 0
	basis, _ := p.TrainingFLOP()
	if basis.Peak != 989e12 || basis.Devices != 2 {
		t.Errorf("basis = %+v, want two devices of the published peak", basis)
	}
	p.Ranked.World[1].DeviceID = "GPU-a"
	if basis, _ := p.TrainingFLOP(); basis.Devices != 1 {
		t.Errorf("two ranks on one device count as %d", basis.Devices)
	}
	p.Ranked.World[1].Bound = nil
	if got := PeerWait.Of.(Many)(p); len(got) > 0 {
		t.Errorf("peer wait on unknown clocks = %v", got)
	}
	if got := ExposedCommunication.Of.(Many)(p); len(got) != 1 {
		t.Errorf("exposed communication on unknown clocks = %v, want it all the same", got)
	}
	late := int64(100e6)
	for i := range p.Ranked.Buckets {
		if p.Ranked.Buckets[i].Rank == 1 {
			p.Ranked.Buckets[i].Ready += late
			p.Ranked.Buckets[i].End += late
		}
	}
	again := &Ranked{Plan: p.Ranked.Plan, Steps: p.Ranked.Steps, Buckets: p.Ranked.Buckets, World: trained().Ranked.World}
	if again.Aligned() {
		t.Error("a bucket ended long before the last rank had it, and the clocks are believed")
	}
}

// The parts of every step add up to it, each on the step's own slowest rank, and how
// they scatter is estimated beside their means.
func TestStepParts(t *testing.T) {
	of := func(v int64) *int64 { v *= ms; return &v }
	r := &Ranked{Plan: plan.Point{Ranks: 2, Steps: &plan.Steps{}}}
	for step, slowest := range []int64{1, 0, 1} {
		for rank := range int64(2) {
			length := int64(100)
			if rank == slowest {
				length = 110 + 10*int64(step)
			}
			exposed := 10 + 10*rank
			r.Steps = append(r.Steps, record.Step{
				Rank: int32(rank), Step: int64(step), Phase: record.Measure, Synced: true, End: length * ms,
				Data: of(5), Forward: of(20), Backward: of(40 + exposed), Optimizer: of(3), Comm: of(30), Exposed: of(exposed),
			})
		}
	}
	p := &Point{Kind: plan.KindSteps, Ranked: r}
	f := func(m Metric, want ...float64) {
		t.Helper()
		got := m.Of.(Many)(p)
		for i := range want {
			if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s = %v, want %v", m.ID, got, want)
				return
			}
		}
	}
	f(StepTime, .11, .12, .13)
	f(StepData, .005, .005, .005)
	f(StepExposed, .02, .01, .02)
	f(StepBackward, .04, .04, .04)
	f(StepOther, .022, .042, .042)
	f(StepTimeLoaded, .105, .115, .125)
	if got := StepH2D.Of.(Many)(p); got != nil {
		t.Errorf("a phase that nobody recorded has values %v", got)
	}
	place := slices.IndexFunc(All, func(m Metric) bool { return m.ID == StepTime.ID })
	one := judgedPoint{results: make([]metricResult, len(All))}
	one.results[place] = StepTime.ask(p, nil, false)
	rows, err := StepTime.rows(place, 0, []judgedPoint{one}, .95)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"sd": .01, "min": .11, "max": .13, "mean": .12}
	for _, row := range rows {
		if v, ok := want[row.Statistic]; ok && math.Abs(row.Value-v) > 1e-12 {
			t.Errorf("%s = %v, want %v", row.Statistic, row.Value, v)
		}
		delete(want, row.Statistic)
		for _, warning := range row.Warnings {
			if strings.Contains(warning, "requests") {
				t.Errorf("%s: %q counts steps as requests", row.Statistic, warning)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no row of %v", want)
	}
}
