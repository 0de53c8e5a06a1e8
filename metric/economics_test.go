package metric

import (
	"fmt"
	"math"
	"testing"

	"assay/record"
	"assay/spec"
	"assay/unit"
)

// near compares to the digits that a published figure has.
func near(t *testing.T, m Metric, p *Point, want, within float64) {
	t.Helper()
	got, ok := m.Whole(p)
	if !ok || math.Abs(got-want) > within {
		t.Errorf("%s = %v, %v; want %v within %v", m.ID, got, ok, want, within)
	}
}

// absent wants no figure at all.
func absent(t *testing.T, p *Point, metrics ...Metric) {
	t.Helper()
	for _, m := range metrics {
		if got, ok := m.Whole(p); ok {
			t.Errorf("%s = %v, want none", m.ID, got)
		}
	}
}

// fleet is a second in which 256 GPUs handle 2.45 million tokens, all of them
// output: the published example of training, whose six operations for each of
// 7·10⁹ parameters are two for each of 21·10⁹.
func fleet() *Point {
	in, out := int32(0), int32(2_450_000)
	return &Point{
		End: 1e9,
		Requests: []*Timeline{{Request: record.Request{
			Phase: record.Measure, Result: record.OK, Done: 5e8, UsageInput: &in, UsageOutput: &out,
		}}},
		Declared: &Declared{
			Cost:   &spec.Cost{GPUHourlyUSD: 2.50, GPUCount: 256, PowerWatts: 700, PUE: 1.12, GramsCO2PerKWh: 380},
			Bounds: &spec.Bounds{PeakFLOPS: 9.89e14, Parameters: 21e9},
		},
	}
}

func TestPublishedEconomics(t *testing.T) {
	p := fleet()
	near(t, MFU, p, 0.406, 0.0005)
	near(t, CostPerMillionTokens, p, 0.0726, 0.00005)
	near(t, CostPerMillionOutput, p, 0.0726, 0.00005)
	near(t, CostPerOutputToken, p, 0.0726e-6, 0.00005e-6)
	near(t, CostPerRequest, p, 640.0/3600, 1e-12) // $640 an hour, one request a second
	near(t, FacilityPower, p, 256*700*1.12, 1e-6)
	near(t, FacilityEnergyPerToken, p, 0.0819, 0.00005)
	near(t, FacilityEnergyPerRequest, p, 256*700*1.12, 1e-6)
	near(t, CarbonPerMillionTokens, p, 8.65, 0.005)
	near(t, CarbonPerMillionOutput, p, 8.65, 0.005)
	near(t, CarbonPerRequest, p, 256*700*1.12/3.6e6*380, 1e-9)
	near(t, OutputThroughputPerGPU, p, 2.45e6/256, 1e-6)
	near(t, TotalThroughputPerGPU, p, 2.45e6/256, 1e-6)
	if got := modelFLOPs(2.45e6, 6*7e9, 256, 9.89e14); math.Abs(got-0.406) > 0.0005 {
		t.Errorf("MFU of training = %v, want 0.406", got)
	}
}

// What was not declared, or cannot be counted, has no figure.
func TestUndeclaredEconomics(t *testing.T) {
	all := []Metric{
		MFU, MBU, GPUMemoryShare, CostPerMillionTokens, CostPerMillionOutput, CostPerOutputToken, CostPerRequest, CostPerGoodRequest,
		FacilityPower, FacilityEnergyPerToken, FacilityEnergyPerOutput, FacilityEnergyPerRequest,
		CarbonPerMillionTokens, CarbonPerMillionOutput, CarbonPerRequest, OutputThroughputPerGPU,
	}
	p := fleet()
	p.Declared = nil
	absent(t, p, all...)
	p.Declared = &Declared{Cost: &spec.Cost{GPUCount: 1, PUE: 1}, Bounds: &spec.Bounds{}}
	absent(t, p, all[:len(all)-1]...)

	p = fleet()
	p.Requests[0].UsageOutput = nil
	absent(t, p, MFU, CostPerMillionTokens, FacilityEnergyPerToken, CarbonPerMillionOutput)
	near(t, CostPerRequest, p, 640.0/3600, 1e-12) // requests can be counted all the same

	p = fleet()
	p.Requests[0].Result = record.Timeout
	absent(t, p, CostPerRequest, CostPerMillionOutput, FacilityEnergyPerToken) // nothing was done
}

// An endpoint that is paid by token costs its tokens, and GPUs come on top.
func TestTokenPrices(t *testing.T) {
	p := fleet()
	in, out := int32(3_000_000), int32(1_000_000)
	p.Requests[0].UsageInput, p.Requests[0].UsageOutput = &in, &out
	p.Declared = &Declared{Cost: &spec.Cost{GPUCount: 1, InputPerMillionUSD: 0.5, OutputPerMillionUSD: 2}}
	near(t, CostPerRequest, p, 3.5, 1e-12)
	near(t, CostPerMillionOutput, p, 3.5, 1e-12)
	near(t, CostPerMillionTokens, p, 3.5/4, 1e-12)
	p.Declared.Cost.GPUHourlyUSD = 3600
	near(t, CostPerRequest, p, 4.5, 1e-12)
	p.Requests[0].UsageInput = nil
	absent(t, p, CostPerRequest) // its price is not known
}

func TestCostPerGoodRequest(t *testing.T) {
	p := fleet()
	late := *p.Requests[0]
	late.Done = 9e8
	p.Requests = append(p.Requests, &late)
	p.Declared.Limits = limitsOf(sloRun(spec.Objective{Metric: "e2e", Max: unit.Duration(6e8)}))
	near(t, CostPerRequest, p, 640.0/3600/2, 1e-12)
	near(t, CostPerGoodRequest, p, 640.0/3600, 1e-12)
}

// Measured power is taken before a declared one, and memory in use is a share of
// the GPUs that were read.
func TestMeasuredPowerAndMemory(t *testing.T) {
	p := fleet()
	p.Samples = &SampleSet{bySource: map[string][]*series{}}
	for at := int64(0); at <= 10; at++ {
		for _, scope := range []string{"gpu0", "gpu1"} {
			for name, v := range map[string]float64{"power": 300, "memory.used": 60e9} {
				p.Samples.add(record.Sample{Source: gpuSource, Name: name, Scope: scope, At: at * 1e8, Value: &v})
			}
		}
	}
	p.Samples.finish()
	near(t, FacilityPower, p, 600*1.12, 1e-6)
	absent(t, p, GPUMemoryShare) // nobody knows how much there is
	p.Declared.Bounds.GPUMemory = 80e9
	near(t, GPUMemoryShare, p, 0.75, 1e-9)
	environment := record.Environment{"gpu.count": {Value: 3.0}}
	for n, scope := range []string{"gpu0", "gpu1", "idle"} {
		environment.Set(fmt.Sprintf("gpu.%d.uuid", n), scope)
		environment.Set(fmt.Sprintf("gpu.%d.memory_total_bytes", n), 100e9)
	}
	environment.Set("gpu.1.memory_total_bytes", int64(140e9)) // as it is before it has been written down
	p.Samples.memory = memoryOf(environment)
	near(t, GPUMemoryShare, p, 0.5, 1e-9) // 120 of 240 GB: what was found is taken before what was declared
	environment.Miss("gpu.1.memory_total_bytes", "no permission")
	p.Samples.memory = memoryOf(environment)
	near(t, GPUMemoryShare, p, 0.75, 1e-9)
}

// A step of decoding reads the weights once and the cache of what is in flight.
func TestBandwidthUse(t *testing.T) {
	in, out := int32(1000), int32(101)
	one := &Timeline{
		Request: record.Request{Phase: record.Measure, Result: record.OK, Done: 2e9, UsageInput: &in, UsageOutput: &out},
		Events: []record.Chunk{
			{At: 0, Kind: record.Content, TextBytes: 1}, {At: 2e9, Kind: record.Content, TextBytes: 100},
		},
	}
	p := &Point{End: 2e9, Requests: []*Timeline{one}, Declared: &Declared{
		Cost:   &spec.Cost{GPUCount: 2},
		Bounds: &spec.Bounds{Parameters: 10e9, ActiveParameters: 7e9, BytesPerParameter: 2, MemoryPerSecond: 1e12},
	}}
	// 14 GB every 20 ms are 0.7 TB/s of 2 TB/s.
	near(t, MBU, p, 0.35, 1e-12)
	// 1050.5 tokens of a megabyte more.
	p.Declared.Bounds.KVBytesPerToken = 1e6
	near(t, MBU, p, (14e9+1050.5e6)/0.02/2e12, 1e-12)
	one.UsageInput = nil
	absent(t, p, MBU)
}

// Cached prompt tokens did not go through the model.
func TestCachedTokensAreNotComputed(t *testing.T) {
	p := fleet()
	in, cached := int32(550_000), int32(550_000)
	p.Requests[0].UsageInput, p.Requests[0].UsageCached = &in, &cached
	near(t, MFU, p, 0.406, 0.0005)
	p.Requests[0].UsageCached = nil
	near(t, MFU, p, 0.406*3/2.45, 0.0007)
}
