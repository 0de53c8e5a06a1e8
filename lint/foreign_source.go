package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/finding"
	"assay/plan"
)

// ForeignSource says what follows from what the source of an import does not tell.
var ForeignSource = Check{
	ID: "foreign-source", Severity: finding.Caution,
	Doc:     "The figures come from another tool, which does not tell everything that a judgement needs.",
	When:    "an imported result lacks something that a judgement needs; one finding per gap",
	Applies: func(f *Facts) bool { return f.Manifest.Source != nil },
	Run:     foreignSource,
}

// A consequence is what follows from a gap.
type consequence struct {
	gap      string
	severity finding.Severity
	follows  string
	fix      string
}

const again = "measure again with assay, or with a tool that writes it down"

// consequences lists what follows from every gap, the gravest first.
var consequences = []consequence{
	{bundle.GapRequests, finding.Caution, "single requests are not known: nothing can be computed anew, and the figures are as the tool computed them", "let the tool save its single requests, where it can"},
	{bundle.GapTimes, finding.Note, "nothing was timed: there is no latency and no rate", again},
	{bundle.GapErrors, finding.Caution, "failed requests are not known: there is no error rate, and the latencies are those of the survivors", again},
	{bundle.GapRetries, finding.Caution, "requests may have been sent again in silence: failures are hidden, and a latency may be that of the last try", "switch retries off in the tool"},
	{bundle.GapSendTimes, finding.Caution, "it is not known when requests were sent: there is no time series, and whether the system was warm and steady cannot be known", again},
	{bundle.GapDueTimes, finding.Note, "latencies count from the send, not from when a request was due: the wait for a free place in the client is left out", "compare with ttft_service.v1 and service_time.v1 of a run by assay"},
	{bundle.GapWarmup, finding.Note, "which requests were a warm-up is not known: cold requests may be among those that are judged", "look at the first requests, or measure again with a warm-up that is marked"},
	{bundle.GapReplicates, finding.Note, "there is one launch: no figure has an interval, and no difference can be told from chance", "repeat the measurement and import all of it at once"},
	{bundle.GapClient, finding.Caution, "it is not known whether the client was the limit, nor how wrong its stamps are", "run assay calibrate on that machine at the same load"},
	{bundle.GapChunks, finding.Note, "it is not known when the parts of answers arrived: stalls, jitter and gaps between tokens cannot be seen", again},
	{bundle.GapTokens, finding.Note, "it is not known who counted the tokens: rates and TPOT may rest on another vocabulary than the model's", "compare only with counts of the same origin"},
	{bundle.GapHost, finding.Note, "the machine and its software are not described: nobody can hold them equal or measure there again", "write down the machine, the engine and its version"},
	{bundle.GapSeed, finding.Note, "the requests cannot be made again: there is neither a seed nor the prompts", again},
	{bundle.GapServer, finding.Note, "single readings of the server's own metrics are missing: its queue, cache and batches over the window are not known", "scrape the server's own metrics beside the next run"},
}

func foreignSource(f *Facts) Answer {
	source := f.Manifest.Source
	var list []finding.Finding
	for _, c := range consequences {
		i := slices.IndexFunc(source.Unknown, func(g bundle.Gap) bool { return g.ID == c.gap })
		if i < 0 {
			continue
		}
		one := finding.Finding{Severity: c.severity, Message: fmt.Sprintf("%s: %s", source.Tool, c.follows), Why: source.Unknown[i].Detail, Fix: c.fix}
		if c.gap == bundle.GapDueTimes && slices.ContainsFunc(f.Plan.Points, plan.Point.Open) {
			// In an open loop that wait is the queue itself.
			one.Severity = finding.Caution
		}
		list = append(list, one)
	}
	return found(list...)
}

// anySource stands for whatever no source tells.
const anySource = ""

// evidence lists what checks need to look at, by gap. Without it they would take a
// zero for a fact.
var evidence = map[string][]string{
	bundle.GapSendTimes: {
		Drain.ID, InsufficientWarmup.ID, NotSteady.ID, OpeningWave.ID, InFlightCap.ID, OverSaturation.ID,
		ArrivalProcess.ID, OneSitting.ID,
	},
	bundle.GapDueTimes: {CoordinatedOmission.ID},
	bundle.GapChunks:   {StreamBursts.ID},
	bundle.GapErrors:   {Survivors.ID, Censored.ID},
	bundle.GapRetries:  {Retries.ID},
	bundle.GapClient:   {ClientUnmeasured.ID, ClientError.ID, ClientDrift.ID, ClientLimit.ID, CollectorRan.ID, GapsLeftOut.ID, Clock.ID},
	bundle.GapSeed:     {PromptCache.ID},
	bundle.GapHost:     {MutableInputs.ID, PatchedEngine.ID, SharedNodes.ID, NoisyNeighbours.ID, OwnContention.ID},
	anySource:          {NewConnections.ID, ProtocolSurface.ID, ModelOverrides.ID},
}

// untold says what a check lacks because the source of the bundle does not tell
// it; empty when nothing is in the way.
func (f *Facts) untold(c Check) string {
	source := f.Manifest.Source
	if source == nil {
		return ""
	}
	for _, gap := range source.Unknown {
		if slices.Contains(evidence[gap.ID], c.ID) {
			return fmt.Sprintf("%s, which %s does not tell", gap.ID, source.Tool)
		}
	}
	if slices.Contains(evidence[anySource], c.ID) {
		return "connections, protocol and bodies of the requests, which no import holds"
	}
	return ""
}
