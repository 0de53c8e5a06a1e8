package lint

// integrity holds the checks of whether what is recorded, and what is said about
// it, can be true: they are for whoever would like a run to look better than it was.
var integrity = []Check{
	FirstChunk, OutputAfterDone, NoOutput, ReasoningAlone, CannedAnswers, AnsweringModel, ShortAnswers, FinishReasons, MarkedRequests, ProgramClock, EchoedPrompt, TruncatedPrompts,
	QualityUnchecked, WarmSide, BytesPerToken, TraceMismatch, VantagePoint,
	StatedValue, StatedInterval, UncertifiedPercentile, UsageMismatch, ServedModel, SharedServer, MissingLaunches,
	MissingRequests, CutShort, OutsideWindow, ImpossibleTimes, CopiedAnswers, SharedLaunches, LengthControl,
	MixedTokenizers, UnpairedDrift, Resumed, UnfilledJoinKeys,
}
