package metric

import (
	"assay/metric/flop"
	"assay/unit"
)

// Shares of the peak of the devices that train.
var (
	TrainingMFU = Metric{
		ID: "training_mfu.v1", Name: "training MFU", Unit: unit.Share, Better: Higher, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}},
		Doc: "Model FLOP utilisation: training_tokens.v1 × FLOP per token by spec.train.flopConvention / (devices × peak). The peak is spec.train.peakTFLOPS, or what is published for the device at that precision. Recomputed activations do not count. Above 1 there is no figure but a finding: peak or convention is wrong.",
		Of:  Whole(func(p *Point) (float64, bool) { return p.utilisation(false) }),
	}
	TrainingHFU = Metric{
		ID: "training_hfu.v1", Name: "training HFU", Unit: unit.Share, Better: Higher, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}}, Detail: true,
		Doc: "Hardware FLOP utilisation: as training_mfu.v1, with the operations of recomputed activations.",
		Of:  Whole(func(p *Point) (float64, bool) { return p.utilisation(true) }),
	}
)

func (p *Point) utilisation(hardware bool) (float64, bool) {
	b, ok := p.TrainingFLOP()
	rate, counted := TokensPerSecond.Whole(p)
	if !ok || !counted || b.Peak == 0 {
		return 0, false
	}
	per := b.PerToken
	if hardware {
		per = b.Hardware
	}
	share := modelFLOPs(rate, per, float64(b.Devices), b.Peak)
	return share, share <= 1
}

// A FLOPBasis is what the utilisation of a training point rests on.
type FLOPBasis struct {
	Convention         string
	PerToken, Hardware float64
	Peak               float64 // of one device, FLOP/s; zero when nobody knows
	PeakSource         string
	Devices            int
}

// TrainingFLOP is what the utilisation of the point rests on; false for a point
// that is no training.
func (p *Point) TrainingFLOP() (FLOPBasis, bool) {
	if p.Ranked == nil || p.Ranked.Plan.Steps == nil {
		return FLOPBasis{}, false
	}
	s := p.Ranked.Plan.Steps
	b := FLOPBasis{Convention: flop.PaLM, Devices: p.Ranked.devices()}
	peak := 0.0
	if p.Declared != nil && p.Declared.Train != nil {
		b.Convention, peak = p.Declared.Train.FLOPConvention, p.Declared.Train.PeakTFLOPS*1e12
	}
	b.PerToken, b.Hardware = flop.PerToken(b.Convention, s.Shape, s.Checkpoint)
	if peak > 0 {
		b.Peak, b.PeakSource = peak, "spec.train.peakTFLOPS"
	} else if len(p.Ranked.World) > 0 {
		b.Peak, b.PeakSource, _ = flop.Peak(p.Ranked.World[0].Device, s.Precision)
	}
	return b, true
}

// devices is how many devices the ranks of the point computed on. Ranks that share
// one have its peak once.
func (r *Ranked) devices() int {
	ids, nameless := map[string]bool{}, map[int32]bool{}
	for _, row := range r.World {
		if row.DeviceID == "" {
			nameless[row.Rank] = true
		} else {
			ids[row.Host+" "+row.DeviceID] = true
		}
	}
	if n := len(ids) + len(nameless); n > 0 {
		return n
	}
	return max(1, r.Plan.Ranks)
}
