package metric

import "assay/unit"

// What training costs, by the prices of spec.cost for the devices that its ranks
// computed on. The steps are paid for; starting and checking are in the ledger of
// assay diagnose.
var (
	CostPerMillionTrained = Metric{
		ID: "cost_per_million_trained_tokens.v1", Name: "cost per million trained tokens", Unit: unit.Dollar, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}},
		Doc: "spec.cost.gpuHourlyUSD × devices of the ranks / 3600 s, divided by training_tokens.v1, × 10⁶.",
		Of:  Whole(trainingCostPer(TokensPerSecond.Whole, million)),
	}
	CostPerSample = Metric{
		ID: "cost_per_trained_sample.v1", Name: "cost per trained sample", Unit: unit.Dollar, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}}, Detail: true,
		Doc: "As cost_per_million_trained_tokens.v1, for one sample of training_samples.v1.",
		Of:  Whole(trainingCostPer(SamplesPerSecond.Whole, 1)),
	}
	CostPerStep = Metric{
		ID: "cost_per_step.v1", Name: "cost per step", Unit: unit.Dollar, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}}, Detail: true,
		Doc: "As cost_per_million_trained_tokens.v1, for one step of the mean of step_time.v1.",
		Of:  Whole(trainingCostPer((*Point).stepsPerSecond, 1)),
	}
	CostToTrain = Metric{
		ID: "cost_to_train.v1", Name: "cost to train", Unit: unit.Dollar, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}},
		Doc: "spec.cost.gpuHourlyUSD × devices of the ranks × time_to_train.v1 in hours: what the result of the training costs.",
		Of: Whole(func(p *Point) (float64, bool) {
			price, priced := p.trainingPrice()
			took, trained := TimeToTrain.Whole(p)
			return price * took, priced && trained
		}),
	}
	TrainingCarbonPerMillion = Metric{
		ID: "training_carbon_per_million_tokens.v1", Name: "CO₂e per million trained tokens", Unit: unit.Gram, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}},
		Doc: "Grams of CO₂ equivalent of training on a million tokens: training_energy_per_token.v1 where the devices were read, else spec.cost.powerWatts × devices / training_tokens.v1; × spec.cost.pue × 10⁶ / 3.6·10⁶ J/kWh × spec.cost.gramsCO2PerKWh.",
		Of:  Whole((*Point).trainingCarbon),
	}
)

// trainingPrice is what one second of the point's devices costs.
func (p *Point) trainingPrice() (usd float64, ok bool) {
	c := p.cost()
	if c == nil || p.Ranked == nil || c.GPUHourlyUSD <= 0 {
		return 0, false
	}
	return c.GPUHourlyUSD * float64(p.Ranked.devices()) / hour, true
}

func trainingCostPer(rate func(*Point) (float64, bool), each float64) func(*Point) (float64, bool) {
	return func(p *Point) (float64, bool) {
		price, priced := p.trainingPrice()
		done, known := rate(p)
		return each * price / done, priced && known && done > 0
	}
}

// stepsPerSecond is how many steps fit into a second of the mean step.
func (p *Point) stepsPerSecond() (float64, bool) {
	var took int64
	steps := p.counted()
	for _, s := range steps {
		took += s.Slowest()
	}
	return float64(len(steps)) / seconds(took), took > 0
}

func (p *Point) trainingCarbon() (float64, bool) {
	c := p.cost()
	if c == nil || p.Ranked == nil || c.GramsCO2PerKWh <= 0 {
		return 0, false
	}
	joules, known := TrainingEnergyPerToken.Whole(p)
	if !known && c.PowerWatts > 0 {
		var rate float64
		rate, known = TokensPerSecond.Whole(p)
		joules = c.PowerWatts * float64(p.Ranked.devices()) / rate
	}
	return joules * max(1, c.PUE) * million / kWh * c.GramsCO2PerKWh, known && joules > 0
}
