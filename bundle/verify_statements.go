package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
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
	v.seedsOfPlan()
	if len(v.Failures()) == before {
		v.pass("statements", "run id, seeds and counts agree wherever the bundle tells them")
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

// seedsOfPlan derives the seeds of the launches from the seed of the run. Where launches
// were taken out and the rest numbered anew, they no longer follow.
func (v *verifier) seedsOfPlan() {
	if !v.intact[PlanFile] || v.manifest.Source != nil {
		return // reported as changed, or of a tool that derives its seeds in another way
	}
	text, err := intake.ReadIn(v.root, filepath.FromSlash(PlanFile), mostManifest)
	if err != nil {
		v.fail("statements", PlanFile, "%v", err)
		return
	}
	p, err := plan.Decode(text)
	if err != nil {
		return // of another version of the format: who reads it says so
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
}
