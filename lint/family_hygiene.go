package lint

// hygiene holds the pitfalls of comparisons and gates, G-01 to G-08.
var hygiene = []Check{
	HiddenEnvironment, MissingRows, UnbalancedSides, Multiplicity, BlindGate, SelfCheck, MovedBaseline, OtherBaseline, NoisyAlerts,
}
