package lint

// core holds the pitfalls of any benchmark, P-01 to P-25; P-07 stands with those of
// steady state.
var core = []Check{
	WeakBaseline, ApplesToOranges, CherryPicked, TailBlindness, SLOViolation, ConstructMismatch, NoVariance,
	WrongScope, BestOfN, PerfectSpeedup, Superlinear, OneSitting, Throttling, Placement, NoisyNeighbours,
	HiddenRank, RanksAlike, UtilisationOutcome, PooledRequests, ChosenAfter, MutableInputs, ScalingKind, QualityReached,
	TwoPoints, SharedNodes, UnconstrainedHeadline, OwnContention, NodeDiffers, NodeDegraded,
}
