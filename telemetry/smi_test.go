package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// answering returns a host whose nvidia-smi says text.
func answering(text string) Host {
	return Host{Run: func(context.Context, string, ...string) ([]byte, error) { return []byte(text), nil }}
}

// h200 is nvidia-smi -q -x of an H200 with driver 580, its identity taken out.
func h200(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/nvidia-smi-h200.xml")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const h200UUID = "GPU-00000000-0000-0000-0000-000000000001"

func TestSMIFacts(t *testing.T) {
	env := Capture(t.Context(), Host{GPUs: smi{answering(h200(t))}})
	tests := []struct {
		name string
		want any
	}{
		{"gpu.count", 1}, {"gpu.library", "nvidia-smi"}, {"gpu.driver", "580.159.04"}, {"gpu.cuda_driver", "13.0"},
		{"gpu.0.model", "NVIDIA H200"}, {"gpu.0.uuid", h200UUID}, {"gpu.0.vbios", "96.00.A5.00.1A"},
		{"gpu.0.memory_total_bytes", 143771.0 * mebibyte}, {"gpu.0.clock_memory_mhz", 3201.0},
		{"gpu.0.power_limit_watts", 700.0}, {"gpu.0.power_watts", 129.45},
		{"gpu.0.temperature_celsius", 41.0}, {"gpu.0.temperature_slowdown_celsius", 89.0},
		{"gpu.0.throttle_reasons", []string{}}, {"gpu.0.ecc", true}, {"gpu.0.mig", false}, {"gpu.0.persistence", true},
		{"gpu.0.pcie_generation", 5.0}, {"gpu.0.pcie_width", 16.0}, {"gpu.0.compute_mode", "default"},
		{"gpu.processes", []string{}},
	}
	for _, tt := range tests {
		if got := env[tt.name]; !same(got.Value, tt.want) {
			t.Errorf("%s = %#v (unavailable: %q), want %#v", tt.name, got.Value, got.Unavailable, tt.want)
		}
	}
	for _, f := range deviceFacts {
		fact, ok := env["gpu.0."+f]
		if !ok || (fact.Value == nil) == (fact.Unavailable == "") {
			t.Errorf("gpu.0.%s: got %+v, want a value or a reason", f, fact)
		}
	}
}

func TestSMIProcessesAndThrottling(t *testing.T) {
	text := strings.Replace(h200(t), "<processes>\n", `<processes>
		<process_info><pid>4242</pid><process_name>python3</process_name><used_memory>70000 MiB</used_memory></process_info>
		<process_info><pid>7</pid><used_memory>N/A</used_memory></process_info>
`, 1)
	text = strings.Replace(text, "hw_slowdown>Not Active", "hw_slowdown>Active", 1)
	gpus := smi{answering(text)}
	processes, err := gpus.Processes(t.Context())
	want := []GPUProcess{{PID: 4242, GPU: h200UUID, Memory: 70000 * mebibyte}, {PID: 7, GPU: h200UUID}}
	if err != nil || !slices.Equal(processes, want) {
		t.Errorf("got %+v, %v; want %+v", processes, err, want)
	}
	readings, err := gpus.Gauges(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkDeclared(t, GPU, readings)
	for name, v := range map[string]float64{"throttle": 1, "throttle.hw_slowdown": 1, "throttle.mask": 8, "power": 129.45, "temperature.memory": 43} {
		if !slices.Contains(readings, Reading{Name: name, Scope: h200UUID, Value: v}) {
			t.Errorf("%s: no reading of %v", name, v)
		}
	}
}

func TestSMIFailures(t *testing.T) {
	f := func(h Host, want string) {
		t.Helper()
		if _, err := (smi{h}).Facts(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	f(answering(""), "no driver_version")
	f(answering("NVIDIA-SMI has failed"), "no driver_version")
	f(answering("<nvidia_smi_log><gpu></nope></nvidia_smi_log>"), "nvidia-smi -q -x")
	f(Host{}, "not asked")
	f(Host{Run: func(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("exit status 9") }}, "exit status 9")
}

// Where NVML cannot be loaded, nvidia-smi is trusted only once it has answered.
// The test speaks of machines without a driver; one with a driver has NVML.
func TestOpenGPUs(t *testing.T) {
	if library, err := openNVML(); err == nil {
		library.Close()
		t.Skip("this machine has NVML: the test is of one without, so run it where no NVIDIA driver is installed")
	}
	there := func(string) (string, error) { return "/usr/bin/nvidia-smi", nil }
	f := func(h Host, want string) {
		t.Helper()
		facts, err := openGPUs(t.Context(), h).Facts(t.Context())
		got := fmt.Sprint(facts["gpu.library"].Value, err)
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q in it", got, want)
		}
	}
	works, broken := answering(h200(t)), answering("NVIDIA-SMI has failed")
	works.LookPath, broken.LookPath = there, there
	f(works, "nvidia-smi<nil>")
	f(broken, "no driver_version")
	f(Host{LookPath: func(string) (string, error) { return "", errors.New("none") }}, "not on PATH")
}
