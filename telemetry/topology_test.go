package telemetry

import (
	"encoding/json"
	"maps"
	"testing"

	"assay/record"
)

func TestTopologyDigest(t *testing.T) {
	base := Capture(t.Context(), Host{Files: tree(machine), GPUs: smi{answering(h200(t))}})
	digest := func(env record.Environment) string {
		t.Helper()
		d, err := TopologyDigest(env)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	with := func(name string, fact record.Fact) record.Environment {
		env := maps.Clone(base)
		env[name] = fact
		return env
	}
	want := digest(base)
	b, err := json.Marshal(base)
	if err != nil {
		t.Fatal(err)
	}
	var read record.Environment
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	if got := digest(read); got != want {
		t.Errorf("read back from JSON: got %s, want %s", got, want)
	}
	for name, fact := range map[string]record.Fact{
		"gpu.0.uuid":                  {Value: "GPU-other"},
		"gpu.0.clock_sm_mhz":          {Value: 1.0},
		"host.name":                   {Value: "other"},
		"gpu.0.nvlinks":               {Unavailable: "another reason"},
		"pci.0000:07:00.0.link_speed": {Value: "2.5 GT/s PCIe"},
	} {
		if got := digest(with(name, fact)); got != want {
			t.Errorf("%s changes the digest and is no part of the shape", name)
		}
	}
	for name, fact := range map[string]record.Fact{
		"cpu.sockets":                 {Value: 1},
		"gpu.count":                   {Value: 2},
		"gpu.0.pcie_width":            {Value: 8.0},
		"topology.gpu_nic":            {Value: []string{"0000:07:00.0 0000:08:00.0 SYS"}},
		"pci.0000:07:00.0.link_width": {Value: int64(8)},
		"rdma.mlx5_0.port1.rate":      {Value: "200 Gb/sec"},
		"numa.1.cpus":                 {Unavailable: "gone"},
	} {
		if got := digest(with(name, fact)); got == want {
			t.Errorf("%s does not change the digest", name)
		}
	}
}
