package flop

import (
	"math"
	"testing"

	"assay/plan"
	"assay/spec"
)

func TestPerToken(t *testing.T) {
	// V·h + T·h + L·(12h² + 13h) + 2h = 1024·64 + 128·64 + 2·(12·4096 + 13·64) + 128
	shape := spec.ModelShape{Layers: 2, Hidden: 64, Heads: 4, SequenceLength: 128, Vocabulary: 1024}
	const all, positions = 65536 + 8192 + 2*(49152+832) + 128, 8192
	if total, _ := plan.Count(shape); total != all {
		t.Fatalf("the model has %d parameters, want %d", total, all)
	}
	const attention = 12 * 2 * 64 * 128
	f := func(convention string, recomputed bool, want, hardware float64) {
		t.Helper()
		got, hw := PerToken(convention, shape, recomputed)
		if got != want || math.Abs(hw-hardware) > 1e-9*hardware {
			t.Errorf("%s: %v and %v, want %v and %v", convention, got, hw, want, hardware)
		}
	}
	f(PaLM, false, 6*all+attention, 6*all+attention)
	f(PaLM, true, 6*all+attention, (6*all+attention)*4/3.)
	f(TorchTitan, false, 6*(all-positions)+attention, 6*(all-positions)+attention)
	megatron := 6.*12*2*64*64 + attention/2 + 6*64*1024
	f(Megatron, false, megatron, megatron)
	shape = spec.ModelShape{Family: "mlp", Layers: 6, Hidden: 512}
	f(PaLM, false, 6*6*512*512, 6*6*512*512)
}

func TestPeak(t *testing.T) {
	f := func(name, precision string, want float64) {
		t.Helper()
		got, _, ok := Peak(name, precision)
		if got != want*1e12 || ok != (want > 0) {
			t.Errorf("Peak(%q, %s) = %v, %v; want %v TFLOP/s", name, precision, got, ok, want)
		}
	}
	f("NVIDIA H200", "bf16", 989) // contains H20
	f("NVIDIA H20", "bf16", 148)
	f("NVIDIA GB200", "bf16", 2500) // contains B200
	f("NVIDIA B200", "fp8", 4500)
	f("NVIDIA H100 80GB HBM3", "fp16", 989)
	f("NVIDIA H100 PCIe", "bf16", 756)
	f("NVIDIA H100 NVL", "bf16", 835)
	f("NVIDIA A100-SXM4-80GB", "bf16", 312)
	f("NVIDIA A100-SXM4-80GB", "fp8", 0)
	f("NVIDIA H200", "fp32", 0)
	f("cpu", "bf16", 0)
}
