package overlap

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/plan"
)

// The limits of a distributed profile beside that of one worker.
const (
	mostLoading       = 1.5 // times the one worker's data loading
	mostCommunication = .3  // share of the step
	leastUtilisation  = .8  // share of the step that computes
)

// A Profile is the step of a world of ranks beside that of one worker.
type Profile struct {
	Base          string   `json:"base,omitempty"`        // the point of one worker; empty where the run has none
	DataLoading   *float64 `json:"dataLoading,omitempty"` // times that of one worker
	Communication float64  `json:"communication"`         // exposed, share of the step
	Utilisation   float64  `json:"utilisation"`           // forward, backward and optimizer, share of the step

	// OneWorker is the utilisation of one worker.
	OneWorker *float64 `json:"oneWorker,omitempty"`
}

// profiles holds every point of several ranks against the one of one rank, of the same
// setting of the knobs that vary.
func profiles(p plan.Plan, points []Point) {
	base := map[string]*Point{}
	for i := range points {
		planned, _ := p.PointByIndex(points[i].Point)
		if one := &points[i]; planned.Ranks == 1 && len(one.Parts) > 0 && (base[planned.Steps.Setting()] == nil || planned.Steps.Parallelism == "none") {
			base[planned.Steps.Setting()] = one
		}
	}
	for i := range points {
		one := &points[i]
		if planned, _ := p.PointByIndex(one.Point); one.Ranks > 1 && len(one.Parts) > 0 {
			one.Profile = profileOf(*one, base[planned.Steps.Setting()])
			one.Findings = append(one.Findings, one.Profile.findings(one.Name)...)
		}
	}
}

func profileOf(p Point, base *Point) *Profile {
	exposed, _ := p.Part(exposedName)
	out := &Profile{Communication: exposed.Share, Utilisation: p.computing()}
	if base == nil {
		return out
	}
	out.Base, out.OneWorker = base.Name, new(base.computing())
	own, known := p.Part(dataName)
	if alone, too := base.Part(dataName); known && too && alone.Value > 0 {
		out.DataLoading = new(own.Value / alone.Value)
	}
	return out
}

// computing is the share of the step in its forward pass, backward pass and optimizer.
func (p Point) computing() (share float64) {
	for _, name := range []string{"forward", "backward", "optimizer"} {
		part, _ := p.Part(name)
		share += part.Share
	}
	return share
}

func (f Profile) findings(point string) (list []finding.Finding) {
	add := func(check, message, why, fix string) {
		list = append(list, finding.Finding{Check: check, Severity: finding.Caution, Message: point + ": " + message, Why: why, Fix: fix})
	}
	if f.DataLoading != nil && *f.DataLoading > mostLoading {
		add("training-profile-loading", fmt.Sprintf("data loading takes %.3g times that of %s, above %g", *f.DataLoading, f.Base, mostLoading),
			"ranks contend for their input", "vary loaderWorkers, and probe the storage with as many readers as there are ranks")
	}
	if f.Communication > mostCommunication {
		add("training-profile-communication", fmt.Sprintf("%s of the step is exposed communication, above %s", percent(f.Communication), percent(mostCommunication)),
			"more ranks will make it worse", "vary bucketSize, accumulation and compression")
	}
	if f.Utilisation < leastUtilisation {
		text := fmt.Sprintf("%s of the step computes, below %s", percent(f.Utilisation), percent(leastUtilisation))
		if f.OneWorker != nil {
			text += fmt.Sprintf("; of %s it is %s", f.Base, percent(*f.OneWorker))
		}
		add("training-profile-utilisation", text, "devices are paid for while they wait", "look at the parts of the step: what is not computing is above")
	}
	return list
}

// String is the profile in a line.
func (f Profile) String() string {
	parts := []string{"exposed communication " + percent(f.Communication) + " of the step", "computing " + percent(f.Utilisation)}
	if f.DataLoading != nil {
		parts = append([]string{fmt.Sprintf("data loading %.3g times", *f.DataLoading)}, parts...)
	}
	if f.Base == "" {
		return strings.Join(parts, ", ") + "; the run has no profile of one worker"
	}
	return "beside " + f.Base + ": " + strings.Join(parts, ", ")
}
