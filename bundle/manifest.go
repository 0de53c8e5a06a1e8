package bundle

import (
	"encoding/json"
	"time"

	"assay/record"
)

// A Status says how a run ended as a whole.
type Status string

// The states of a sealed run.
const (
	Completed Status = "completed" // every planned launch was made
	Partial   Status = "partial"   // killed, and sealed by Recover
	Failed    Status = "failed"    // ended by an error
	Aborted   Status = "aborted"   // ended by request
)

// A Tool says which program made the bundle.
type Tool struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	GoVersion string `json:"goVersion"`
	SHA256    string `json:"sha256,omitempty"` // of the binary
}

// Inputs are the things a run used and did not make, each by its digest.
type Inputs struct {
	Images    map[string]string `json:"images,omitempty"` // reference to sha256 digest
	Model     *Input            `json:"model,omitempty"`
	Tokenizer *Input            `json:"tokenizer,omitempty"`
	Datasets  []Input           `json:"datasets,omitempty"`
	Baseline  *Input            `json:"baseline,omitempty"` // the bundle that comparison.baseline names, found and verified when the run began
	Seeds     map[string]string `json:"seeds,omitempty"`    // decimal: a JSON number would lose digits past 2^53
}

// An Input is one thing a run used. Digest is "sha256:HEX", or empty when it
// could not be read; then Unavailable says why.
type Input struct {
	Name        string `json:"name"`
	Digest      string `json:"digest,omitempty"`
	Unavailable string `json:"unavailable,omitempty"`
}

// A Role says what a file of the bundle is for.
type Role string

// The roles of files.
const (
	RoleSpec       Role = "spec"
	RolePlan       Role = "plan"
	RoleLedger     Role = "ledger"
	RoleRaw        Role = "raw"
	RoleLog        Role = "log"
	RoleAttachment Role = "attachment"
	RoleDerived    Role = "derived"
	RoleReport     Role = "report"
	RoleDamaged    Role = "damaged" // a table segment that could not be read when a killed run was recovered
)

// A File is one file of a sealed bundle.
type File struct {
	Path          string `json:"path"` // slashes, relative to the bundle
	Role          Role   `json:"role"`
	Bytes         int64  `json:"bytes"`
	SHA256        string `json:"sha256"`
	Table         string `json:"table,omitempty"`
	Launch        *int   `json:"launch,omitempty"`
	Rows          *int64 `json:"rows,omitempty"`
	SchemaVersion string `json:"schemaVersion,omitempty"`
}

// A SignerInfo names the key that signed a bundle, or says that none did.
type SignerInfo struct {
	KeyID        string   `json:"keyID"` // "unsigned" when nobody signed
	PublicKey    string   `json:"publicKey,omitempty"`
	Attestations []string `json:"attestations,omitempty"` // predicate types, so that a removed line is missed
}

// Unsigned is the KeyID of a bundle nobody signed.
const Unsigned = "unsigned"

// A Manifest is what a bundle says about itself.
type Manifest struct {
	Format         string             `json:"format"`
	RunID          string             `json:"runID"`
	Status         Status             `json:"status"`
	Created        time.Time          `json:"created"` // spec and plan were frozen then
	Sealed         time.Time          `json:"sealed"`
	Tool           Tool               `json:"tool"`
	SpecDigest     string             `json:"specDigest"`
	PlanDigest     string             `json:"planDigest"`
	WorkloadDigest string             `json:"workloadDigest,omitempty"`
	TopologyDigest string             `json:"topologyDigest,omitempty"`
	Files          []File             `json:"files"`
	Launches       []LaunchInfo       `json:"launches"`
	Environment    record.Environment `json:"environment,omitempty"`
	Inputs         Inputs             `json:"inputs"`
	Clocks         []Clock            `json:"clocks,omitempty"`
	Health         json.RawMessage    `json:"health,omitempty"`
	Warnings       []string           `json:"warnings,omitempty"` // what recovery found
	Source         *Source            `json:"source,omitempty"`   // nil for what assay measured itself
	Resumed        []Resumption       `json:"resumed,omitempty"`  // interrupted runs that this one continues, the first one first
	Parts          []Part             `json:"parts,omitempty"`    // runs on single sets of hosts that this one is put together from
	Nodes          []Node             `json:"nodes,omitempty"`    // other hosts that took part, in the order of their launcher
	Signer         SignerInfo         `json:"signer"`
	Digest         string             `json:"digest"`
}

// A Node is a host that took part beside the one that led the run: it had ranks, load
// generators or probes.
type Node struct {
	Name           string             `json:"name"` // as the launcher calls it
	TopologyDigest string             `json:"topologyDigest,omitempty"`
	Environment    record.Environment `json:"environment,omitempty"` // captured there, before anything was measured
}

// A Clock is one time base of the run and how far it may be from the first one.
type Clock struct {
	ID       string `json:"id"`                // as the launches name it
	Source   string `json:"source,omitempty"`  // such as CLOCK_MONOTONIC, tsc
	OffsetNS int64  `json:"offsetNs,string"`   // to the first clock
	BoundNS  int64  `json:"boundNs,string"`    // the offset is within ± this
	Method   string `json:"method,omitempty"`  // how the offset was found
	Rate     string `json:"ratePpm,omitempty"` // drift against the first clock, parts per million
}
