package lint

// serving holds the pitfalls of load generation and serving, L-01 to L-27. Those
// of the client itself, L-02, L-06 and L-11, are among the checks of the
// instrument.
var serving = []Check{
	CoordinatedOmission, CollectorRan, GeneratorLost, GeneratorBehind, GeneratorClock, GapsLeftOut, InFlightCap, Survivors, OutputLength, PromptCache, Speculation, OpeningWave, UsersInStep, StarvedUsers, LittlesLaw, FewAnswers, WorseUnderLoad, Drain,
	ArrivalProcess, StreamBursts, Clock, NewConnections, Censored, Retries, MixedStages, AveragedPercentiles,
	SimulatedTarget, ProtocolSurface, PatchedEngine, ModelOverrides, EnergyWindow, IdleDevice, DeviceCount, StaleBaseline, Quantised, DeclaredSystem,
}
