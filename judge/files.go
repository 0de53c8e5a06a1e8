package judge

import (
	"encoding/json"
	"path"

	"assay/accuracy"
	"assay/accuracy/parity"
	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/analysis/nodes"
	"assay/analysis/overlap"
	"assay/analysis/scaling"
	"assay/bundle"
	"assay/claim"
	"assay/metric"
	"assay/plan"
)

// A File is one part of a judgement as it is kept in a bundle, below
// derived/VERSION.
type File struct {
	Name    string
	content any
	encode  func(any) ([]byte, error)
}

// Files lists what a judgement is kept in.
func (j *Judgement) Files() []File {
	list := []File{
		{"estimates.json", &j.Estimates, indented},
		{"client.json", &j.Client, indented},
		{"steady.json", &j.Steady, indented},
		{"findings.json", &j.Audit.Findings, indented},
		{"checks.json", &j.Audit.Results, indented},
		{"claims.json", &j.Claims, indented},
		{"pictures.json", &j.Pictures, json.Marshal}, // a line for each of its numbers would help nobody
	}
	for _, of := range j.ofRanks() {
		list = append(list, of.File)
	}
	return list
}

// Encode is the content of the file.
func (f File) Encode() ([]byte, error) { return f.encode(f.content) }

func indented(content any) ([]byte, error) { return json.MarshalIndent(content, "", "  ") }

// A rankFile is a derived file that only some plans have.
type rankFile struct {
	File
	derive func(b *bundle.Bundle) error
}

// ofRanks lists what the plan has of training, collectives and probes.
func (j *Judgement) ofRanks() []rankFile {
	var list []rankFile
	if j.HasAccuracy() {
		list = append(list, rankFile{File{"accuracy.json", &j.Accuracy, indented}, func(b *bundle.Bundle) (err error) {
			j.Accuracy, j.Grades, err = accuracy.Read(b, j.Plan)
			return err
		}}, rankFile{File{"grades.json", &j.Grades, json.Marshal}, func(*bundle.Bundle) error { return nil }}) // made with the other
	}
	if j.HasTraining() {
		list = append(list, rankFile{File{"training.json", &j.Training, indented}, func(b *bundle.Bundle) (err error) {
			j.Training, err = overlap.Read(b, j.Plan)
			return err
		}})
	}
	if j.HasScaling() {
		list = append(list, rankFile{File{"scaling.json", &j.Scaling, indented}, func(b *bundle.Bundle) (err error) {
			j.Scaling, err = scaling.FromBundle(b, j.Plan, j.Training)
			return err
		}})
	}
	if j.HasCollectives() {
		list = append(list, rankFile{File{"collectives.json", &j.Collectives, indented}, func(b *bundle.Bundle) (err error) {
			j.Collectives, err = collectives.Read(b, j.Plan)
			return err
		}})
	}
	if j.HasHardware() {
		list = append(list, rankFile{File{"hardware.json", &j.Hardware, indented}, func(b *bundle.Bundle) (err error) {
			j.Hardware, err = hardware.Read(b, j.Plan)
			return err
		}})
	}
	if j.HasNodes() {
		list = append(list, rankFile{File{"nodes.json", &j.Nodes, indented}, func(b *bundle.Bundle) error {
			j.Nodes = nodes.Judge(b.Manifest.Nodes, j.Hardware, j.Collectives) // both were read before
			return nil
		}})
	}
	return list
}

// HasAccuracy reports whether the plan has questions whose answers are graded.
func (j *Judgement) HasAccuracy() bool { return j.Plan.Evaluation() != nil }

// Answers are the graded ones of an evaluation, of all sides together.
func (j *Judgement) Answers() parity.Side {
	return parity.Side{Label: j.Bundle.Manifest.RunID, Tasks: j.Accuracy.Tasks, Grades: j.Grades}
}

// HasTraining reports whether the plan has training steps.
func (j *Judgement) HasTraining() bool { return j.Plan.Has(plan.KindSteps) }

// HasScaling reports whether the plan has several world sizes.
func (j *Judgement) HasScaling() bool { return scaling.Planned(j.Plan) }

// HasCollectives reports whether the plan has collectives or pairs of ranks.
func (j *Judgement) HasCollectives() bool { return j.Plan.Has(plan.KindCollective, plan.KindPairs) }

// HasNodes reports whether the plan measures other hosts one by one.
func (j *Judgement) HasNodes() bool { return j.Plan.OnHosts() }

// HasHardware reports whether the plan has probes.
func (j *Judgement) HasHardware() bool { return j.Plan.Has(plan.KindProbe) }

// readSealed fills j from the derived files of version and reports whether all of
// them are there as they were sealed. A file that was added or changed since is no
// part of what the seal covers, and neither is one that cannot be read.
func (j *Judgement) readSealed(version string) bool {
	for _, f := range j.Files() {
		data, err := j.Bundle.ReadSealed(path.Join("derived", version, f.Name))
		if err != nil || json.Unmarshal(data, f.content) != nil {
			return false
		}
	}
	if j.HasAccuracy() && j.Accuracy.Method != accuracy.Method {
		return false
	}
	// Claims and the client's health in an older format say less than is asked of them.
	return j.Estimates.Definitions == metric.Definitions() && j.Claims.Version == claim.Version && j.Client.Version == metric.ClientVersion
}

// Keep writes the judgement into the bundle that it is of, before it is sealed.
func (j *Judgement) Keep(w *bundle.Writer, version string) error {
	for _, f := range j.Files() {
		data, err := f.Encode()
		if err != nil {
			return err
		}
		if err := w.WriteDerived(version, f.Name, data); err != nil {
			return err
		}
	}
	return nil
}
