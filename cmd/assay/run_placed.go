package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	nodesanalysis "assay/analysis/nodes"
	"assay/bundle"
	"assay/lint"
	"assay/record"
	"assay/report"
	"assay/warehouse/objects"
)

// envPlacement holds the placement of a run that was sent to this host.
const envPlacement = "ASSAY_PLACEMENT"

// A placement is what an assay on another host says of the run that it sends here.
type placement struct {
	Facts record.Environment `json:"facts"` // of the launcher and the scheduler

	// Shared is a folder of that host, and Mark a file in it that is nowhere else. Where
	// this host sees it the bundle is made there, so that nothing is lost with this host.
	Shared string `json:"shared"`
	Mark   string `json:"mark"`

	// Launches are those of the plan that this host makes, and Hosts all that the run is on,
	// set after set. Empty means that the whole run is here.
	Launches []int    `json:"launches,omitempty"`
	Hosts    []string `json:"hosts,omitempty"`

	// Note is a file of this host that says at the end what became of the run, for a
	// sender that sees nothing else of it. Such a run prints its report here.
	Note string `json:"note,omitempty"`

	// Store is an object store that the sealed bundle is put into, for a sender whose host
	// keeps nothing.
	Store string `json:"store,omitempty"`
}

// A placedNote is what a run leaves for its sender. The operator reads it from the status
// of a pod, which holds 4096 bytes.
type placedNote struct {
	RunID       string        `json:"runId"`
	Directory   string        `json:"directory"`
	Status      bundle.Status `json:"status"`
	Digest      string        `json:"digest"`
	Attestation string        `json:"attestation,omitempty"`
	Stored      string        `json:"stored,omitempty"` // where the object store has it

	// Outliers are what was found about unusual launches, ranks and nodes, in words, and
	// Stragglers the nodes that held others up.
	Outliers   string   `json:"outliers,omitempty"`
	Stragglers []string `json:"stragglers,omitempty"`
}

// The most that a note says of either: with the rest of it they fit into a pod's status.
const (
	mostOutliers   = 1500 // bytes
	mostStragglers = 16
)

// outlierChecks are the checks that find unusual launches, ranks and nodes.
var outlierChecks = []string{"N01", "N02", "N03", lint.NodeDiffers.ID, lint.NodeDegraded.ID, lint.OutlierLaunches.ID, lint.HiddenRank.ID}

// outliers are what a report says of unusual launches, ranks and nodes.
func outliers(r report.Report) (text string, nodes []string) {
	var words []string
	for _, f := range r.Findings {
		if slices.Contains(outlierChecks, f.Check) {
			words = append(words, f.Message)
		}
	}
	text = strings.Join(words, "; ")
	if len(text) > mostOutliers {
		text = strings.ToValidUTF8(text[:mostOutliers-len("…")], "") + "…"
	}
	if r.Nodes == nil {
		return text, nil
	}
	for _, n := range r.Nodes.Nodes {
		if blame := func(c nodesanalysis.Cause) bool { return !c.Follows }; slices.ContainsFunc(n.Causes, blame) && len(nodes) < mostStragglers {
			nodes = append(nodes, n.Name)
		}
	}
	return text, nodes
}

// shows reports whether the run prints its report here.
func (p *placement) shows() bool { return p == nil || p.Note != "" }

// hand puts a sealed bundle where the sender wants it and says so in the note, also where
// that failed.
func (p *placement) hand(ctx context.Context, env Env, dir string, r report.Report) error {
	if p == nil {
		return nil
	}
	stored, err := p.put(ctx, env, dir)
	return errors.Join(err, p.leave(dir, r, stored))
}

// put stores the bundle; no address where no store is named.
func (p *placement) put(ctx context.Context, env Env, dir string) (address string, err error) {
	if p.Store == "" {
		return "", nil
	}
	store, err := objects.Parse(p.Store, lookupIn(env))
	if err != nil {
		return "", fmt.Errorf("store %w", err)
	}
	digest, _, err := store.Put(ctx, dir)
	if err != nil {
		return "", fmt.Errorf("the bundle is sealed, and not in %s: %w", p.Store, err)
	}
	return store.Address(digest), nil
}

// leave writes the note of a sealed bundle and what its report says.
func (p *placement) leave(dir string, r report.Report, stored string) error {
	if p.Note == "" {
		return nil
	}
	b, err := bundle.Open(dir)
	if err != nil {
		return err
	}
	n := placedNote{RunID: b.Manifest.RunID, Directory: dir, Status: b.Manifest.Status, Digest: b.Manifest.Digest, Stored: stored}
	if _, err := os.Stat(filepath.Join(dir, bundle.AttestationFile)); err == nil {
		n.Attestation = bundle.AttestationFile
	}
	n.Outliers, n.Stragglers = outliers(r)
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.Note, text, 0o644); err != nil {
		return fmt.Errorf("the bundle is sealed, and whoever sent the run here is not told: %w", err)
	}
	return nil
}

// part reports whether others make the rest of the run.
func (p *placement) part() bool { return p != nil && len(p.Launches) > 0 }

// only are the launches that are made here; nil means all of them.
func (p *placement) only() []int {
	if !p.part() {
		return nil
	}
	return p.Launches
}

// nodes are the hosts of all parts. What they say of themselves is known to whoever puts
// the parts together.
func (p *placement) nodes() (list []bundle.Node) {
	for _, name := range p.Hosts {
		list = append(list, bundle.Node{Name: name})
	}
	return list
}

// readPlacement is the placement of this run; nil where nobody has sent it here.
func readPlacement(env Env) (*placement, error) {
	text, _ := lookupIn(env)(envPlacement)
	if text == "" {
		return nil, nil
	}
	p := &placement{}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, usageError(fmt.Errorf("%s: %w", envPlacement, err))
	}
	return p, nil
}

// facts are those of the launcher and the scheduler. Others are for this host to find.
func (p *placement) facts() record.Environment {
	facts := record.Environment{}
	if p == nil {
		return facts
	}
	for name, fact := range p.Facts {
		if strings.HasPrefix(name, "launcher.") || strings.HasPrefix(name, "scheduler.") {
			facts[name] = fact
		}
	}
	return facts
}

// out is where the bundle is made: in the shared folder, or else in own, from where it
// is sent back.
func (p *placement) out(own string) string {
	if p == nil || p.Mark == "" {
		return own
	}
	if _, err := os.Stat(filepath.Join(p.Shared, p.Mark)); err != nil {
		return own
	}
	return p.Shared
}
