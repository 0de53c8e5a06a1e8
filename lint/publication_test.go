package lint

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"assay/bundle"
	"assay/metric"
	"assay/record"
	"assay/stats"
)

// The evidence of the clean scene: what a publication-grade run records on a host
// with two accelerators and nobody else on it.

var sceneGPUs = []string{"GPU-0a", "GPU-1b"}

// publicationFacts adds to env what a run writes down about its host.
func publicationFacts(env record.Environment) record.Environment {
	for name, value := range map[string]any{
		"host.name": "gpu-07", "kernel.release": "6.8.0-50-generic", "os.name": "Ubuntu 24.04.2 LTS",
		"cpu.model": "AMD EPYC 9654", "cpu.threads": 64, "memory.total_bytes": 1 << 40, "clock.source": "tsc",
		"assay.version": "0.4.0", "server.engine": "vllm", "server.version": "0.11.0",
		"container.image_digest": "sha256:" + strings.Repeat("ab", 32),
		"gpu.driver":             "575.51.03", "gpu.cuda_driver": "12.9", "software.nccl_library": "2.26.2",
		"gpu.processes": []string{},
	} {
		env.Set(name, value)
	}
	for i, uuid := range sceneGPUs {
		for name, value := range map[string]any{
			"model": "NVIDIA B200", "uuid": uuid, "vbios": "97.00.82", "power_limit_watts": 1000.0,
			"memory_total_bytes": 192 << 30, "ecc": true,
		} {
			env.Set(fmt.Sprintf("gpu.%d.%s", i, name), value)
		}
	}
	env.Miss("cgroup.cpu_limit_cores", "no limit")
	return env
}

func publicationInputs() bundle.Inputs {
	return bundle.Inputs{
		Model:     &bundle.Input{Name: "openai/gpt-oss-20b", Digest: "sha256:" + strings.Repeat("cd", 32)},
		Tokenizer: &bundle.Input{Name: "tokenizer.json", Digest: "sha256:" + strings.Repeat("ef", 32)},
		Seeds:     map[string]string{"run": "20260313"},
	}
}

// publicationSamples are one reading each second of a quiet host and of devices
// that run at their clock.
func publicationSamples(int) []record.Sample {
	var list []record.Sample
	add := func(second int, source, name, scope string, value float64) {
		list = append(list, record.Sample{At: int64(second) * 1e9, Source: source, Name: name, Scope: scope, Value: &value})
	}
	for second := range 13 {
		at := float64(second)
		for name, value := range map[string]float64{
			"cpu.user.total": .2 * at, "cpu.system.total": .1 * at, "gomaxprocs": 8,
		} {
			add(second, "client", name, "", value)
		}
		for name, value := range map[string]float64{
			"cpu.user.total": 8 * at, "cpu.system.total": 2 * at, "cpu.idle.total": 54 * at, "cpu.iowait.total": 0,
			"cpu.steal.total": 0, "cpu.psi.some.total": .001 * at, "cpu.interrupts.total": .05 * at,
		} {
			add(second, "host", name, "", value)
		}
		add(second, "started", "cpu.total", "", 9.6*at) // the server
		for _, uuid := range sceneGPUs {
			for name, value := range map[string]float64{
				"clock.sm": 1965, "temperature": 61 + at/100, "throttle": 0, "throttle.sw_thermal_slowdown": 0, "throttle.sw_power_cap": 0,
				"utilisation": .9, "power": 640,
			} {
				add(second, "gpu", name, uuid, value)
			}
		}
	}
	return list
}

// untold is what the bundle of the clean scene says, before anybody states
// anything about it. Half of the cases spoil no more than what is stated, and the
// same bundle need not be written for each.
var untold struct {
	sync.Mutex
	facts map[uint64]*Facts // by the draw of the noise
}

// gathered are the facts of the scene's bundle, the caller's to change.
func (s scene) gathered(t *testing.T) *Facts {
	t.Helper()
	if !s.untouched() {
		return s.gather(t)
	}
	untold.Lock()
	defer untold.Unlock()
	if untold.facts == nil {
		untold.facts = map[uint64]*Facts{}
	}
	if untold.facts[s.draw] == nil {
		untold.facts[s.draw] = s.gather(t)
	}
	f := *untold.facts[s.draw]
	return &f
}

// untouched says that the bundle would be that of the clean scene. Functions are
// compared by their code, and those of the clean scene capture nothing.
func (s scene) untouched() bool {
	c := clean()
	same := func(a, b any) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }
	return same(s.run, c.run) && same(s.samples, c.samples) && same(s.start, c.start) &&
		s.request == nil && s.events == nil && s.calibration == nil && s.steps == nil && s.end == nil && !s.unsigned && s.rate == 0 &&
		s.launches == c.launches && s.requests == c.requests && s.warmups == c.warmups && s.topology == c.topology &&
		reflect.DeepEqual(s.environment, c.environment) && reflect.DeepEqual(s.inputs, c.inputs) && reflect.DeepEqual(s.clocks, c.clocks)
}

// sampled changes the readings of one name in launch 2.
func sampled(s *scene, name string, value func(second float64) float64) {
	before := s.samples
	s.samples = func(launch int) []record.Sample {
		list := before(launch)
		for i := range list {
			if list[i].Name == name && launch == 2 {
				v := value(float64(list[i].At) / 1e9)
				list[i].Value = &v
			}
		}
		return list
	}
}

// honest is what a careful author says about a run: the estimates as they are.
func honest(f *Facts) []Statement {
	var list []Statement
	for _, of := range [][2]string{{metric.TTFT.ID, "mean"}, {metric.TTFT.ID, "p99"}, {metric.OutputThroughput.ID, "value"}} {
		row, ok := f.Estimates.Find(of[0], of[1], 0)
		if !ok {
			continue
		}
		interval := row.Interval
		s := Statement{Metric: row.Metric, Statistic: row.Statistic, Value: row.Value, Interval: &interval, N: len(row.PerLaunch), Aggregation: MeanOfLaunches}
		if of[0] == metric.OutputThroughput.ID {
			s.Bound = &Bound{Value: 1e6, What: "memory bandwidth of two devices"}
			s.Cites = []Cited{{Run: f.Manifest.RunID, Digest: f.Manifest.Digest, Seed: "20260313"}}
			s.Chart = &Chart{X: AxisOrdered, Points: true, Intervals: true}
		}
		list = append(list, s)
	}
	return list
}

// stating changes what is said about the run.
func stating(change func(f *Facts)) func(*scene) {
	return func(s *scene) {
		before := s.state
		s.state = func(f *Facts) []Statement {
			f.Statements = before(f)
			change(f)
			return f.Statements
		}
	}
}

// also says one thing more.
func also(one Statement) func(*scene) {
	return stating(func(f *Facts) { f.Statements = append(f.Statements, one) })
}

// first changes the first statement, which is about the mean TTFT.
func first(change func(f *Facts, s *Statement)) func(*scene) {
	return stating(func(f *Facts) { change(f, &f.Statements[0]) })
}

// trained gives the scene training steps of four ranks; change sees each.
func trained(change func(launch int, s *record.Step)) func(*scene) {
	return func(s *scene) {
		s.small()
		s.steps = func(launch int) []record.Step {
			var list []record.Step
			for step := range int64(20) {
				for rank := range int32(4) {
					busy, comm := int64(80e6), int64(1e6)
					one := record.Step{
						Rank: rank, Step: step, Phase: record.Measure, Start: step * 200e6, End: step*200e6 + 100e6 + int64(rank)*1e5,
						GPUBusy: &busy, Comm: &comm, Synced: true, Samples: 8, Clock: "cuda_event",
					}
					if change != nil {
						change(launch, &one)
					}
					list = append(list, one)
				}
			}
			return list
		}
	}
}

// both spoils a scene twice.
func both(a, b func(*scene)) func(*scene) {
	return func(s *scene) { a(s); b(s) }
}

// scaled is a statement of a speed-up that keeps every rule.
func scaled(change func(*Statement)) func(*scene) {
	s := Statement{
		Metric: "speedup", Base: &Base{Kind: BaseOneProcess, Value: 410, Unit: "samples/s"},
		Scaling: &Scaling{Kind: "strong", Points: []ScalingPoint{
			{Workers: 1, Speedup: 1, GlobalBatch: 256}, {Workers: 4, Speedup: 3.7, GlobalBatch: 256},
			{Workers: 8, Speedup: 6.9, GlobalBatch: 256, Interval: &stats.Interval{Lo: 6.7, Hi: 7.1}},
		}},
	}
	if change != nil {
		change(&s)
	}
	return also(s)
}
