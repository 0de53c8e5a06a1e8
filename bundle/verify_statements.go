package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"assay/intake"
	"assay/plan"
)

// clockSlack is how far the clocks of two machines may stand apart.
const clockSlack = 15 * time.Minute

// statements holds against each other what a bundle says in several places about the same
// thing. A bundle that was changed and sealed again has whole digests; it says two things
// unless whoever changed it found every place. Bundles that say nothing in one of the
// places, as older ones do, are not judged by it.
func (v *verifier) statements() {
	before := len(v.Failures())
	v.oneRunID()
	v.rowsOfHealth()
	v.plan()
	v.derivedRunID()
	if len(v.Failures()) == before {
		v.pass("statements", "run id, spec, plan, seeds and counts agree wherever the bundle tells them")
	}
}

// oneRunID compares the names of the run. One that is put together from parts describes
// the hosts as the first of them did, under its name.
func (v *verifier) oneRunID() {
	if len(v.manifest.Parts) > 0 {
		return
	}
	if name, told := v.manifest.Environment["join.run_id"].Value.(string); told && name != v.manifest.RunID {
		v.fail("statements", ManifestFile, "is of run %s, and its environment of run %s", v.manifest.RunID, name)
	}
}

// rowsOfHealth compares the requests that the senders counted with the rows, of which there
// are more where requests were sent before the load (cold starts) and beside it (probes).
// Only a run that one program made in one go has counted everything that it keeps.
func (v *verifier) rowsOfHealth() {
	m := v.manifest
	var health struct {
		Balance *struct {
			Begun int64 `json:"begun"`
			Lost  int64 `json:"lost"`
		} `json:"balance"`
	}
	if m.Source != nil || len(m.Resumed)+len(m.Parts) > 0 || json.Unmarshal(m.Health, &health) != nil || health.Balance == nil {
		return
	}
	for _, l := range m.Launches {
		if l.Outcome != LaunchCompleted || l.From != "" {
			return // what was cut off was begun and may not have been counted
		}
	}
	rows := int64(0)
	for _, f := range m.Files {
		if f.Role == RoleDamaged {
			return
		}
		if f.Table == Requests {
			rows += deref(f.Rows)
		}
	}
	if want := health.Balance.Begun - health.Balance.Lost; rows < want {
		v.fail("statements", ManifestFile, "counts %d requests begun, and the tables hold %d", want, rows)
	}
}

// plan holds the plan against the document that it was made from, the launches that were made
// against those that it names, and their seeds against the seed of the run. Where launches
// were taken out and the rest numbered anew, something no longer follows.
func (v *verifier) plan() {
	if !v.intact[PlanFile] || !v.intact[SpecFile] || v.manifest.Source != nil {
		return // reported as changed, or of a tool that plans in another way
	}
	p, document, err := v.decided()
	if err != nil {
		v.fail("statements", PlanFile, "%v", err)
		return
	}
	if p == nil {
		return
	}
	for _, l := range p.Launches {
		if !p.Derives(l) {
			v.fail("statements", PlanFile, "launch %d has seed %d, which does not follow from seed %d of the run", l.Index+1, l.Seed, p.Seed())
			return
		}
	}
	if told := v.manifest.Inputs.Seeds["run"]; told != "" && told != fmt.Sprint(p.Seed()) {
		v.fail("statements", ManifestFile, "was made with seed %s, its plan has seed %d", told, p.Seed())
	}
	if err := p.Follows(document); err != nil {
		v.fail("statements", PlanFile, "does not follow from %s: %v", SpecFile, err)
	}
	for _, l := range v.manifest.Launches {
		if !slices.ContainsFunc(p.Launches, func(planned plan.Launch) bool {
			return planned.Side == l.Side && planned.Block == l.Block && (l.Side != "" || planned.Index == l.Index)
		}) {
			side := ""
			if l.Side != "" {
				side = fmt.Sprintf(" of side %q in block %d", l.Side, l.Block+1)
			}
			v.fail("statements", LedgerFile, "launch %d%s is none of the %d that were planned", l.Index+1, side, len(p.Launches))
		}
	}
}

// decided reads the plan and its document. The plan is nil where it is of another version of
// the format: who reads it says so.
func (v *verifier) decided() (*plan.Plan, []byte, error) {
	text, err := intake.ReadIn(v.root, filepath.FromSlash(PlanFile), mostManifest)
	if err != nil {
		return nil, nil, err
	}
	document, err := intake.ReadIn(v.root, filepath.FromSlash(SpecFile), mostManifest)
	if err != nil {
		return nil, nil, err
	}
	if p, err := plan.Decode(text); err == nil {
		return &p, document, nil
	}
	return nil, nil, nil
}

// derivedRunID compares the run that sealed figures name with the bundle's own.
func (v *verifier) derivedRunID() {
	for _, f := range v.manifest.Files {
		if !isResult(f) || !v.intact[f.Path] {
			continue
		}
		text, err := intake.ReadIn(v.root, filepath.FromSlash(f.Path), mostFile)
		if err != nil {
			v.fail("statements", f.Path, "%v", err)
			continue
		}
		var of struct {
			RunID string `json:"runID"`
		}
		if json.Unmarshal(text, &of) == nil && of.RunID != "" && of.RunID != v.manifest.RunID {
			v.fail("statements", f.Path, "is about run %s, and the bundle is run %s", of.RunID, v.manifest.RunID)
		}
	}
}
