// Package bundle keeps a run: a folder that seals.
//
// While a run goes on, a Writer fills the folder: raw tables in segments, logs,
// a ledger of launches. Seal hashes everything into manifest.json, writes that
// file last and signs it; from then on nothing raw may change, and Verify says
// so file by file. A killed run leaves a folder that Recover seals as partial.
// Open reads a bundle in any of these states.
//
// The package knows files, hashes and signatures. It does not know what a run
// should do (package run), reads no environment (package telemetry) and draws
// no conclusions (packages metric and analysis). No secret gets in: everything
// textual passes a Redactor on its way to the disk.
//
// To add a raw table, write its row type in package record, list it in Tables,
// give Launch a field for it and cleaner a method for its texts. To add a way of signing, write one file with
// a Signer. To add a field to the manifest, append it and raise the minor number
// of Format.
package bundle

import "assay/record"

// Format is the version of the bundle's layout and manifest. The minor number
// grows when something is added, the major number when something changes its
// meaning.
const Format = "1.4"

// The fixed names inside a bundle.
const (
	SpecFile        = "spec.yaml"
	PlanFile        = "plan.json"
	WorkloadFile    = "workload.yaml" // the frozen workload that the run was held against, where there was one
	LedgerFile      = "launches.jsonl"
	ManifestFile    = "manifest.json"
	AttestationFile = "attestation.intoto.jsonl"

	rawDir     = "raw"
	logsDir    = "logs"
	derivedDir = "derived"
	scoresDir  = "scores"
	reportDir  = "report"
	lockFile   = ".lock"
	draftFile  = ".draft.json"
	tmpSuffix  = ".tmp"
)

// ScoresFile is where what a scorer said about the answers is kept.
func ScoresFile(scorer string) string { return scoresDir + "/" + scorer + ".json" }

// The raw tables by name.
const (
	Requests    = "requests"
	Chunks      = "chunks"
	Steps       = "steps"
	Buckets     = "buckets"
	Collectives = "collectives"
	Memory      = "memory"
	Trials      = "trials"
	Ranks       = "ranks"
	Pings       = "pings"
	Sessions    = "sessions"
	Samples     = "samples"
	Events      = "events"
	Asks        = "asks"
	Generators  = "generators"
)

// A TableInfo describes one raw table.
type TableInfo struct {
	Name string
	Doc  string
	Row  any // the zero row; its struct tags are the columns

	merge func(dir, table string, o origin) error
}

// Tables lists every raw table in the order of the documentation.
var Tables = []TableInfo{
	{Requests, "One row per call: when it was due, sent and answered, and how it ended.", record.Request{}, mergeTable[record.Request]},
	{Chunks, "One row per event of a streamed answer, as it arrived.", record.Chunk{}, mergeTable[record.Chunk]},
	{Steps, "One row per training step and rank.", record.Step{}, mergeTable[record.Step]},
	{Buckets, "One row per gradient bucket of a step and rank: when it was ready and when its exchange ended.", record.Bucket{}, mergeTable[record.Bucket]},
	{Collectives, "One row per collective operation and rank.", record.Collective{}, mergeTable[record.Collective]},
	{Memory, "One row per reading of a rank's memory.", record.Memory{}, mergeTable[record.Memory]},
	{Trials, "One row per timed replicate of a probe.", record.Trial{}, mergeTable[record.Trial]},
	{Ranks, "One row per process of a world: what it was, its clock and how it ended.", record.Rank{}, mergeTable[record.Rank]},
	{Pings, "One row per exchange of stamps with a rank or load generator.", record.Ping{}, mergeTable[record.Ping]},
	{Sessions, "One row per step of a session: what was asked or which tool ran, what it waited for, and when.", record.SessionStep{}, mergeTable[record.SessionStep]},
	{Samples, "One row per reading of a gauge or counter beside the run.", record.Sample{}, mergeTable[record.Sample]},
	{Events, "One row per thing that happened once.", record.Event{}, mergeTable[record.Event]},
	{Asks, "One row per question of an evaluation: how it was put and what its right answer is.", record.Ask{}, mergeTable[record.Ask]},
	{Generators, "One row per load generator: what it was, its clock, what it cost and how it ended.", record.Generator{}, mergeTable[record.Generator]},
}
