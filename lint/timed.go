package lint

import "slices"

// timed lists the checks that are about times and rates alone. They have no meaning for an
// evaluation that asks every question once: it has no warm-up, no window that could be in
// steady state, and nobody may quote how fast it was.
var timed = []Check{
	ClientLimit, ClientError, ClientUnmeasured, ClientDrift, OverSaturation, CollectorRan, GapsLeftOut, InFlightCap, CoordinatedOmission,
	Survivors, OutputLength, LengthControl, PromptCache, Speculation, OpeningWave, UsersInStep, FewAnswers, Drain, ArrivalProcess, StreamBursts,
	NewConnections, Censored, MixedStages, InsufficientWarmup, NotSteady, OutlierLaunches, LaunchTrend, NoVariance, TailBlindness, UncertifiedPercentile,
	UnconstrainedHeadline, Throttling, NoisyNeighbours, OwnContention, PooledRequests, Quantised, OutsideWindow, CutShort,
}

// untimed reports whether c is about times where they are no part of the question.
func (f *Facts) untimed(c Check) bool {
	return f.Plan.AsksOnce() && slices.ContainsFunc(timed, func(t Check) bool { return t.ID == c.ID })
}
