//go:build cgo && linux

package telemetry

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxa100"
)

// dgx is go-nvml's machine of eight A100 with the answers that it leaves out.
func dgx() *dgxa100.Server {
	s := dgxa100.New()
	for i, d := range s.Devices {
		device := d.(*dgxa100.Device)
		answer(&device.Device, i)
	}
	return s
}

func answer(d *mock.Device, i int) {
	ok32 := func(v uint32) func() (uint32, nvml.Return) {
		return func() (uint32, nvml.Return) { return v, nvml.SUCCESS }
	}
	okInt := func(v int) func() (int, nvml.Return) {
		return func() (int, nvml.Return) { return v, nvml.SUCCESS }
	}
	clock := func(v uint32) func(nvml.ClockType) (uint32, nvml.Return) {
		return func(k nvml.ClockType) (uint32, nvml.Return) { return v + uint32(k), nvml.SUCCESS }
	}
	d.GetVbiosVersionFunc = func() (string, nvml.Return) { return "92.00.19", nvml.SUCCESS }
	d.GetClockInfoFunc, d.GetMaxClockInfoFunc, d.GetApplicationsClockFunc = clock(1095), clock(1410), clock(1275)
	d.GetPowerUsageFunc, d.GetPowerManagementLimitFunc, d.GetPowerManagementDefaultLimitFunc = ok32(61500), ok32(400000), ok32(400000)
	d.GetPowerManagementLimitConstraintsFunc = func() (uint32, uint32, nvml.Return) { return 100000, 400000, nvml.SUCCESS }
	d.GetTemperatureFunc = func(nvml.TemperatureSensors) (uint32, nvml.Return) { return uint32(30 + i), nvml.SUCCESS }
	d.GetTemperatureThresholdFunc = func(nvml.TemperatureThresholds) (uint32, nvml.Return) { return 89, nvml.SUCCESS }
	d.GetFieldValuesFunc = func(v []nvml.FieldValue) nvml.Return { v[0].Value[0] = 44; return nvml.SUCCESS }
	d.GetFanSpeedFunc = func() (uint32, nvml.Return) { return 0, nvml.ERROR_NOT_SUPPORTED }
	d.GetUtilizationRatesFunc = func() (nvml.Utilization, nvml.Return) {
		return nvml.Utilization{Gpu: 75, Memory: 25}, nvml.SUCCESS
	}
	d.GetCurrentClocksThrottleReasonsFunc = func() (uint64, nvml.Return) {
		return nvml.ClocksThrottleReasonGpuIdle | nvml.ClocksThrottleReasonSwThermalSlowdown, nvml.SUCCESS
	}
	d.GetEccModeFunc = func() (nvml.EnableState, nvml.EnableState, nvml.Return) {
		return nvml.FEATURE_ENABLED, nvml.FEATURE_ENABLED, nvml.SUCCESS
	}
	d.GetTotalEccErrorsFunc = func(nvml.MemoryErrorType, nvml.EccCounterType) (uint64, nvml.Return) { return 0, nvml.SUCCESS }
	d.GetPersistenceModeFunc = func() (nvml.EnableState, nvml.Return) { return nvml.FEATURE_ENABLED, nvml.SUCCESS }
	d.GetComputeModeFunc = func() (nvml.ComputeMode, nvml.Return) { return nvml.COMPUTEMODE_EXCLUSIVE_PROCESS, nvml.SUCCESS }
	d.GetCurrPcieLinkGenerationFunc, d.GetMaxPcieLinkGenerationFunc = okInt(4), okInt(4)
	d.GetCurrPcieLinkWidthFunc, d.GetMaxPcieLinkWidthFunc = okInt(16), okInt(16)
	d.GetTotalEnergyConsumptionFunc = func() (uint64, nvml.Return) { return 5000, nvml.SUCCESS }
	d.GetPciInfoFunc = func() (nvml.PciInfo, nvml.Return) {
		return nvml.PciInfo{BusId: busID(fmt.Sprintf("0000:%02x:00.0", i))}, nvml.SUCCESS
	}
	answerLinks(d)
	d.GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) {
		return []nvml.ProcessInfo{{Pid: uint32(100 + i), UsedGpuMemory: 1 << 30}, {Pid: 9, UsedGpuMemory: ^uint64(0)}}, nvml.SUCCESS
	}
	d.GetGraphicsRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) { return nil, nvml.ERROR_NOT_SUPPORTED }
}

// answerLinks gives twelve links, the last one down, to a switch that joins all.
func answerLinks(d *mock.Device) {
	d.GetNvLinkErrorCounterFunc = func(link int, counter nvml.NvLinkErrorCounter) (uint64, nvml.Return) {
		if counter != nvml.NVLINK_ERROR_DL_REPLAY {
			return 0, nvml.ERROR_NOT_SUPPORTED
		}
		return uint64(link % 2), nvml.SUCCESS
	}
	d.GetNvLinkStateFunc = func(link int) (nvml.EnableState, nvml.Return) {
		switch {
		case link > 11:
			return 0, nvml.ERROR_INVALID_ARGUMENT
		case link == 11:
			return nvml.FEATURE_DISABLED, nvml.SUCCESS
		}
		return nvml.FEATURE_ENABLED, nvml.SUCCESS
	}
	d.GetNvLinkRemotePciInfoFunc = func(int) (nvml.PciInfo, nvml.Return) {
		return nvml.PciInfo{BusId: busID("00000000:C4:00.0")}, nvml.SUCCESS
	}
	d.GetP2PStatusFunc = func(nvml.Device, nvml.GpuP2PCapsIndex) (nvml.GpuP2PStatus, nvml.Return) {
		return nvml.P2P_STATUS_OK, nvml.SUCCESS
	}
	d.GetTopologyCommonAncestorFunc = func(nvml.Device) (nvml.GpuTopologyLevel, nvml.Return) {
		return nvml.TOPOLOGY_SYSTEM, nvml.SUCCESS
	}
	d.GetCpuAffinityFunc = func(int) ([]uint, nvml.Return) { return []uint{0b1001111, 1}, nvml.SUCCESS }
}

func busID(text string) (out [32]uint8) {
	for i, c := range text {
		out[i] = uint8(c)
	}
	return out
}

func TestNVMLFacts(t *testing.T) {
	server := dgx()
	gpus, err := startNVML(server)
	if err != nil {
		t.Fatal(err)
	}
	env := Capture(t.Context(), Host{GPUs: gpus})
	tests := []struct {
		name string
		want any
	}{
		{"gpu.count", 8}, {"gpu.library", "nvml"}, {"gpu.driver", "550.54.15"}, {"gpu.cuda_driver", "12.4"},
		{"gpu.7.model", "Mock NVIDIA A100-SXM4-40GB"}, {"gpu.7.pci_address", "0000:07:00.0"},
		{"gpu.0.compute_capability", "8.0"}, {"gpu.0.memory_total_bytes", uint64(42949672960)},
		{"gpu.0.clock_sm_mhz", uint32(1096)}, {"gpu.0.clock_memory_mhz", uint32(1097)}, {"gpu.0.clock_sm_application_mhz", uint32(1276)},
		{"gpu.0.power_watts", 61.5}, {"gpu.0.power_limit_max_watts", 400.0},
		{"gpu.3.temperature_celsius", uint32(33)}, {"gpu.0.temperature_memory_celsius", uint32(44)},
		{"gpu.0.throttle_reasons", []string{"sw_thermal_slowdown"}},
		{"gpu.0.ecc", true}, {"gpu.0.mig", false}, {"gpu.0.persistence", true}, {"gpu.0.compute_mode", "exclusive_process"},
		{"gpu.0.pcie_width", 16}, {"gpu.0.cpu_affinity", "0-3,6,64"},
	}
	for _, tt := range tests {
		if got := env[tt.name]; !same(got.Value, tt.want) {
			t.Errorf("%s = %#v (unavailable: %q), want %#v", tt.name, got.Value, got.Unavailable, tt.want)
		}
	}
	if got := env["gpu.0.fan_percent"].Unavailable; !strings.HasPrefix(got, "NVML: ") {
		t.Errorf("gpu.0.fan_percent: got reason %q, want NVML's word", got)
	}
	links, _ := env["gpu.0.nvlinks"].Value.([]string)
	if len(links) != 12 || links[0] != "0 active 00000000:C4:00.0" || links[11] != "11 inactive" {
		t.Errorf("gpu.0.nvlinks = %v, want 12, the last one inactive", links)
	}
	if got := env["gpu.0.nvlink_errors"].Value; got != uint64(5) { // of the five odd ones that are up
		t.Errorf("gpu.0.nvlink_errors = %v, want 5", got)
	}
	matrix, _ := env["topology.gpu_gpu"].Value.([]string)
	if len(matrix) != 28 || matrix[0] != "0 1 NV11 p2p" {
		t.Errorf("topology.gpu_gpu has %d pairs %v, want 28, the first one 0 1 NV11 p2p", len(matrix), matrix)
	}
	for _, f := range deviceFacts {
		if _, ok := env["gpu.7."+f]; !ok {
			t.Errorf("gpu.7.%s is missing", f)
		}
	}
}

func TestNVMLWayWithoutLinks(t *testing.T) {
	server := dgx()
	for _, d := range server.Devices {
		device := &d.(*dgxa100.Device).Device
		device.GetP2PStatusFunc = func(nvml.Device, nvml.GpuP2PCapsIndex) (nvml.GpuP2PStatus, nvml.Return) {
			return nvml.P2P_STATUS_CHIPSET_NOT_SUPPORTED, nvml.SUCCESS
		}
	}
	if got := gpuMatrix(server.Devices[:2]); !slices.Equal(got, []string{"0 1 SYS no-p2p"}) {
		t.Errorf("got %v, want 0 1 SYS no-p2p", got)
	}
}

func TestNVMLProcesses(t *testing.T) {
	server := dgx()
	gpus, err := startNVML(server)
	if err != nil {
		t.Fatal(err)
	}
	got, err := gpus.Processes(t.Context())
	if err != nil || len(got) != 16 {
		t.Fatalf("got %d processes, %v; want 16", len(got), err)
	}
	uuid := server.Devices[1].(*dgxa100.Device).UUID
	if want := (GPUProcess{PID: 101, GPU: uuid, Memory: 1 << 30}); got[2] != want {
		t.Errorf("got %+v, want %+v", got[2], want)
	}
	if got[3].Memory != 0 {
		t.Errorf("unknown memory: got %d, want 0", got[3].Memory)
	}
}

func TestNVMLFailures(t *testing.T) {
	server := dgx()
	server.InitFunc = func() nvml.Return { return nvml.ERROR_DRIVER_NOT_LOADED }
	if _, err := startNVML(server); err == nil || !strings.HasPrefix(err.Error(), "NVML: ") {
		t.Errorf("no driver: got %v, want NVML's word", err)
	}
	server = dgx()
	server.DeviceGetHandleByIndexFunc = func(i int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_GPU_IS_LOST }
	gpus, err := startNVML(server)
	if err != nil {
		t.Fatal(err)
	}
	env := Capture(t.Context(), Host{GPUs: gpus})
	if got := env["gpu.count"].Unavailable; !strings.Contains(got, "device 0 of 8") {
		t.Errorf("lost device: got %q, want the device named", got)
	}
	if got := env["gpu.driver"].Value; got != "550.54.15" {
		t.Errorf("lost device: driver is %v, want what could be read", got)
	}
}

// The source GPU must read every gauge it declares from NVML.
func TestNVMLGauges(t *testing.T) {
	server := dgx()
	gpus, err := startNVML(server)
	if err != nil {
		t.Fatal(err)
	}
	got, err := gpus.Gauges(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkDeclared(t, GPU, got)
	uuid := server.Devices[0].(*dgxa100.Device).UUID
	want := map[string]float64{
		"utilisation": 0.75, "power": 61.5, "energy.total": 5, "temperature": 30, "temperature.memory": 44,
		"throttle": 1, "throttle.sw_thermal_slowdown": 1, "throttle.hw_slowdown": 0, "throttle.mask": 33, "clock.sm": 1096,
	}
	for name, v := range want {
		if !slices.Contains(got, Reading{Name: name, Scope: uuid, Value: v}) {
			t.Errorf("%s: no reading of %v on %s", name, v, uuid)
		}
	}
}
