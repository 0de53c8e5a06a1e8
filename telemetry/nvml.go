//go:build cgo && linux

package telemetry

import (
	"context"
	"fmt"
	"maps"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"assay/record"
)

// nvmlGPUs reads devices through the driver's own library.
type nvmlGPUs struct{ lib nvml.Interface }

var _ GPUs = nvmlGPUs{}

func openNVML() (GPUs, error) { return startNVML(nvml.New()) }

func startNVML(lib nvml.Interface) (GPUs, error) {
	if r := lib.Init(); r != nvml.SUCCESS {
		return nil, fmt.Errorf("NVML: %w", r)
	}
	return nvmlGPUs{lib}, nil
}

// Close implements GPUs.
func (g nvmlGPUs) Close() error {
	if r := g.lib.Shutdown(); r != nvml.SUCCESS {
		return fmt.Errorf("NVML shutdown: %w", r)
	}
	return nil
}

// devices returns every device. One that cannot be opened, fallen off the bus
// for example, spoils all: a run on the rest would be another experiment.
func (g nvmlGPUs) devices() ([]nvml.Device, error) {
	n, r := g.lib.DeviceGetCount()
	if r != nvml.SUCCESS {
		return nil, fmt.Errorf("NVML device count: %w", r)
	}
	out := make([]nvml.Device, n)
	for i := range out {
		if out[i], r = g.lib.DeviceGetHandleByIndex(i); r != nvml.SUCCESS {
			return nil, fmt.Errorf("NVML device %d of %d: %w", i, n, r)
		}
	}
	return out, nil
}

// Facts implements GPUs.
func (g nvmlGPUs) Facts(context.Context) (record.Environment, error) {
	env := record.Environment{}
	env.Set("gpu.library", "nvml")
	put(env, "gpu.driver")(g.lib.SystemGetDriverVersion())
	put(env, "gpu.nvml")(g.lib.SystemGetNVMLVersion())
	cuda, r := g.lib.SystemGetCudaDriverVersion()
	put(env, "gpu.cuda_driver")(fmt.Sprintf("%d.%d", cuda/1000, cuda%1000/10), r)
	devices, err := g.devices()
	if err != nil {
		return env, err
	}
	env.Set("gpu.count", len(devices))
	for i, d := range devices {
		maps.Copy(env, deviceEnvironment(i, d))
	}
	env.Set("topology.gpu_gpu", gpuMatrix(devices))
	return env, nil
}

// put returns a function that records a value, or NVML's word for why not.
func put(env record.Environment, name string) func(string, nvml.Return) {
	return func(value string, r nvml.Return) {
		if r != nvml.SUCCESS {
			env.Miss(name, "NVML: "+r.Error())
			return
		}
		env.Set(name, value)
	}
}

func deviceEnvironment(n int, d nvml.Device) record.Environment {
	env := record.Environment{}
	for _, f := range nvmlFacts {
		name := fmt.Sprintf("gpu.%d.%s", n, f.name)
		value, r := f.read(d)
		if r != nvml.SUCCESS {
			env.Miss(name, "NVML: "+r.Error())
			continue
		}
		env.Set(name, value)
	}
	fillDevice(env, n, "NVML does not say")
	return env
}

// Processes implements GPUs.
func (g nvmlGPUs) Processes(context.Context) ([]GPUProcess, error) {
	devices, err := g.devices()
	if err != nil {
		return nil, err
	}
	var out []GPUProcess
	for i, d := range devices {
		uuid := deviceID(i, d)
		compute, r := d.GetComputeRunningProcesses()
		if r != nvml.SUCCESS {
			return nil, fmt.Errorf("NVML processes of device %d: %w", i, r)
		}
		graphics, r := d.GetGraphicsRunningProcesses()
		if r != nvml.SUCCESS && r != nvml.ERROR_NOT_SUPPORTED {
			return nil, fmt.Errorf("NVML graphics processes of device %d: %w", i, r)
		}
		for _, p := range append(compute, graphics...) {
			out = append(out, GPUProcess{PID: int(p.Pid), GPU: uuid, Memory: knownMemory(p.UsedGpuMemory)})
		}
	}
	return out, nil
}

// deviceID returns the UUID of a device, or its index where it has none.
func deviceID(i int, d nvml.Device) string {
	if uuid, r := d.GetUUID(); r == nvml.SUCCESS {
		return uuid
	}
	return fmt.Sprint(i)
}

// knownMemory turns NVML's mark for "not available", all bits set, into 0.
func knownMemory(n uint64) uint64 {
	if n == ^uint64(0) {
		return 0
	}
	return n
}

// Gauges implements GPUs.
func (g nvmlGPUs) Gauges(context.Context) ([]Reading, error) {
	devices, err := g.devices()
	if err != nil {
		return nil, err
	}
	var out []Reading
	for i, d := range devices {
		uuid := deviceID(i, d)
		for _, f := range nvmlGauges {
			value, r := f.read(d)
			if r != nvml.SUCCESS {
				out = append(out, Reading{Name: f.name, Scope: uuid, Missing: "NVML: " + r.Error()})
				continue
			}
			out = append(out, Reading{Name: f.name, Scope: uuid, Value: value})
		}
		out = append(out, throttleReadings(d, uuid)...)
	}
	return out, nil
}

func throttleReadings(d nvml.Device, uuid string) []Reading {
	mask, r := d.GetCurrentClocksThrottleReasons()
	if r != nvml.SUCCESS {
		return missingThrottle(uuid, "NVML: "+r.Error())
	}
	return maskReadings(uuid, mask)
}
