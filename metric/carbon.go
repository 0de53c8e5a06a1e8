package metric

import "assay/unit"

// Power, energy and carbon of the system with its building. The power is that of
// the GPUs: measured where they were read beside the run, or else
// spec.cost.powerWatts for each; processors, memory and network are not in it.
var (
	FacilityPower = Metric{
		ID: "facility_power.v1", Name: "power with building", Unit: unit.Watt, Better: Lower, Scope: only(Declarations),
		Doc: "Power of the GPUs × spec.cost.pue over the measured window: gpu_energy.v1 / its length where the GPUs were read, spec.cost.powerWatts × gpuCount where they were not.",
		Of:  Whole((*Point).facilityPower),
	}
	FacilityEnergyPerToken = Metric{
		ID: "facility_energy_per_token.v1", Name: "energy per token", Unit: unit.Joule, Better: Lower, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}}, Detail: true,
		Doc: "facility_power.v1 / total_throughput.v1.",
		Of:  Whole(energyPer((*Point).totalRate)),
	}
	FacilityEnergyPerOutput = Metric{
		ID: "facility_energy_per_output_token.v1", Name: "energy per output token", Unit: unit.Joule, Better: Lower, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}},
		Doc: "facility_power.v1 / output_throughput.v1. energy_per_output_token.v1 is the GPUs' alone, and only where it was measured.",
		Of:  Whole(energyPer(OutputThroughput.Whole)),
	}
	FacilityEnergyPerRequest = Metric{
		ID: "facility_energy_per_request.v1", Name: "energy per request", Unit: unit.Joule, Better: Lower, Scope: only(Declarations), Detail: true,
		Doc: "facility_power.v1 / request_throughput.v2.",
		Of:  Whole(energyPer(RequestThroughput.Whole)),
	}
	CarbonPerMillionTokens = Metric{
		ID: "carbon_per_million_tokens.v1", Name: "CO₂e per million tokens", Unit: unit.Gram, Better: Lower, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}}, Detail: true,
		Doc: "Grams of CO₂ equivalent of running for a million tokens, prompts and answers: facility_energy_per_token.v1 × 10⁶ / 3.6·10⁶ J/kWh × spec.cost.gramsCO2PerKWh. The making of the hardware is not in it.",
		Of:  Whole(carbonPer((*Point).totalRate, million)),
	}
	CarbonPerMillionOutput = Metric{
		ID: "carbon_per_million_output_tokens.v1", Name: "CO₂e per million output tokens", Unit: unit.Gram, Better: Lower, Scope: Scope{Workload: textOut, Only: []Condition{Declarations}},
		Doc: "The same for a million output tokens.",
		Of:  Whole(carbonPer(OutputThroughput.Whole, million)),
	}
	CarbonPerRequest = Metric{
		ID: "carbon_per_request.v1", Name: "CO₂e per request", Unit: unit.Gram, Better: Lower, Scope: only(Declarations), Detail: true,
		Doc: "The same for one successful request.",
		Of:  Whole(carbonPer(RequestThroughput.Whole, 1)),
	}
)

// facilityPower is in watts; false without a declaration, or where the power was
// neither measured nor declared.
func (p *Point) facilityPower() (float64, bool) {
	c := p.cost()
	if c == nil || p.Seconds() <= 0 {
		return 0, false
	}
	building := max(1, c.PUE) // zero where nobody filled in the default
	if joules, measured := p.gpuEnergy(); measured {
		return building * joules / p.Seconds(), true
	}
	return building * c.PowerWatts * float64(c.GPUCount), c.PowerWatts > 0
}

func energyPer(rate func(*Point) (float64, bool)) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		watts, powered := p.facilityPower()
		done, known := rate(p)
		return watts / done, powered && known && done > 0
	}
}

func carbonPer(rate func(*Point) (float64, bool), each float64) func(*Point) (float64, bool) {
	joules := energyPer(rate)
	return func(p *Point) (float64, bool) {
		one, known := joules(p)
		c := p.cost()
		if !known || c.GramsCO2PerKWh == 0 {
			return 0, false
		}
		return each * one / kWh * c.GramsCO2PerKWh, true
	}
}
