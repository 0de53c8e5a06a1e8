package metric

import (
	"assay/record"
	"assay/unit"
)

// Energy of training, for a unit of its work.
var (
	TrainingEnergyPerToken = Metric{
		ID: "training_energy_per_token.v1", Name: "GPU energy per token", Unit: unit.Joule, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}},
		Doc: "Energy of the accelerators that the ranks trained on, from the begin to the end of the measured window, divided by the tokens of all ranks in that window, steps without gradient exchange included: they used energy too.",
		Of:  Whole(func(p *Point) (float64, bool) { return p.joulesPer((*Point).rankEnergy, tokensOf) }),
	}
	TrainingEnergyPerSample = Metric{
		ID: "training_energy_per_sample.v1", Name: "GPU energy per sample", Unit: unit.Joule, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: true,
		Doc: "As training_energy_per_token.v1, for a sample.",
		Of:  Whole(func(p *Point) (float64, bool) { return p.joulesPer((*Point).rankEnergy, samplesOf) }),
	}
	TrainingHostEnergyPerToken = Metric{
		ID: "training_host_energy_per_token.v1", Name: "processor energy per token", Unit: unit.Joule, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}},
		Doc: "host_energy.v1 of the measured window, divided by the tokens of all ranks in that window. Everything that ran on this host is in it; other hosts are not.",
		Of:  Whole(func(p *Point) (float64, bool) { return p.joulesPer(HostEnergy.Whole, tokensOf) }),
	}
	TrainingHostEnergyPerSample = Metric{
		ID: "training_host_energy_per_sample.v1", Name: "processor energy per sample", Unit: unit.Joule, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: true,
		Doc: "As training_host_energy_per_token.v1, for a sample.",
		Of:  Whole(func(p *Point) (float64, bool) { return p.joulesPer(HostEnergy.Whole, samplesOf) }),
	}
)

func tokensOf(s record.Step) int64  { return s.Tokens }
func samplesOf(s record.Step) int64 { return s.Samples }

// joulesPer divides the energy of the measured window by the work of every step
// that began in it.
func (p *Point) joulesPer(energy func(*Point) (float64, bool), work func(record.Step) int64) (float64, bool) {
	if p.Ranked == nil {
		return 0, false
	}
	done := int64(0)
	for _, s := range p.Ranked.ByStep() {
		for _, row := range s.Rows {
			if p.Begin <= row.Start && row.Start < p.End {
				done += work(row)
			}
		}
	}
	joules, known := energy(p)
	return joules / float64(done), known && done > 0
}

// rankEnergy is the energy of the accelerators that the ranks named as theirs; of
// one that was not read there is no sum.
func (p *Point) rankEnergy() (float64, bool) {
	ids := map[string]bool{}
	for _, row := range p.Ranked.World {
		if row.DeviceID != "" {
			ids[row.DeviceID] = true
		}
	}
	theirs := func(scope string) bool { return ids[scope] }
	if len(ids) == 0 {
		return 0, false
	}
	if list, ok := p.windows(gpuSource, "energy.total", theirs); ok && len(list) == len(ids) {
		return sumOf(list, increase), true
	}
	list, ok := p.windows(gpuSource, "power", theirs)
	return sumOf(list, mean) * p.Seconds(), ok && len(list) == len(ids)
}
