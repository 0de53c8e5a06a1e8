package run

import (
	"fmt"

	"assay/load"
	"assay/plan"
	"assay/spec"
	"assay/workload/arrival"
)

// schedule draws when the calls of an open point are due in one launch. It is a
// function of the plan alone, the same for every part of it.
func schedule(launch plan.Launch, point plan.Point) (*arrival.Schedule, error) {
	profile := arrival.Steady(point.Rate)
	if len(point.Stages) > 0 {
		profile = stages(point)
	}
	seed := plan.Seed(launch.Seed, "arrival", int64(point.Index))
	series, err := arrival.NewSeries(point.Arrival, point.Burstiness, seed, profile)
	if err != nil {
		return nil, err
	}
	return arrival.New(series, limits(point))
}

// limits bounds the phases of an open point.
func limits(point plan.Point) arrival.Limits {
	return arrival.Limits{
		Warmup: point.Warmup.Std(), WarmupCalls: point.WarmupRequests,
		Measure: point.Duration.Std(), MeasureCalls: point.Requests,
		Cooldown: point.Cooldown.Std(),
	}
}

// stages is the rate over time of a point with stages. The warm-up comes before
// the first of them, at the rate with which it begins: its own for a step,
// nothing for a ramp.
func stages(point plan.Point) arrival.Profile {
	before := 0.0
	if first := point.Stages[0]; first.Ramp == arrival.Step || first.Ramp == "" {
		before = first.Rate
	}
	warmup := arrival.Stage{Duration: point.Warmup.Std(), To: before, Curve: arrival.Step}
	return append(arrival.Profile{warmup}, ramps(point.Stages, before, func(s spec.Stage) float64 { return s.Rate })...)
}

// levels is the number of users over time of a closed point with stages, nil for
// one without. The first level holds through the warm-up too.
func levels(point plan.Point) []load.Level {
	if len(point.Stages) == 0 {
		return nil
	}
	return load.Levels(ramps(point.Stages, 0, func(s spec.Stage) float64 { return float64(s.Concurrency) }))
}

// ramps joins stages whose load is that of before at first.
func ramps(stages []spec.Stage, before float64, loadOf func(spec.Stage) float64) (profile arrival.Profile) {
	for _, s := range stages {
		to := loadOf(s)
		profile = append(profile, arrival.Stage{Duration: s.Duration.Std(), From: before, To: to, Curve: s.Ramp})
		before = to
	}
	return profile
}

// attachSchedule draws the schedule of an open point and keeps it in the bundle.
func (l *activeLaunch) attachSchedule(point plan.Point) (*arrival.Schedule, error) {
	s, err := l.arrivals(point)
	if err != nil {
		return nil, err
	}
	data, err := s.Encode()
	if err != nil {
		return nil, err
	}
	if err := l.to.attach(fmt.Sprintf("schedule-%02d.json", point.Index), data); err != nil {
		return nil, &bundleError{err}
	}
	return s, nil
}

// fastest is the largest rate of an open point, in calls per second.
func fastest(point plan.Point) float64 {
	most := point.Rate
	for _, s := range point.Stages {
		most = max(most, s.Rate)
	}
	return most
}
