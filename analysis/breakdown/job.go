package breakdown

import (
	"slices"

	"assay/metric"
)

// A jobPart is what a part of a job is spent on, and where it goes when only one of two
// runs has recorded it.
type jobPart struct {
	name  string
	class Class
	fold  string // into this part of the steps; empty leaves it out of the job
	lack  string // what is missing where nothing was recorded of it
}

var jobParts = []jobPart{
	{metric.JobAttempts, ControlPlane, "", ""},
	{metric.JobQueue, ControlPlane, "", ""},
	{metric.JobStart, ControlPlane, "", ""},
	{metric.JobSetup, ControlPlane, "", ""},
	{metric.JobInput, Input, metric.JobOther, "the wait for input (data_ns of the table steps)"},
	{metric.JobCompute, Compute, metric.JobOther, "the phases of the computation (forward_ns of the table steps)"},
	{metric.JobExposed, Communication, metric.JobCompute, "the exchange of gradients (table buckets): computation and communication cannot be distinguished"},
	{metric.JobHost, ControlPlane, metric.JobOther, "the host's part of a step (host_ns of the table steps)"},
	{metric.JobPauses, ControlPlane, "", "the trainer's pauses between steps (pause_ns of the table steps): assay's own worker has some only with spec.train.interleave false"},
	{metric.JobSaves, Storage, "", "saving checkpoints (save_ns of the table steps)"},
	{metric.JobOther, Unexplained, "", ""},
}

// Job splits a training job of a point from a standing start: what went by before the
// first step, the steps, and what lies between them. It is false where the bundle does
// not say when ranks were asked for.
func Job(e metric.Estimates, point int) (Breakdown, bool) {
	jobs := slices.DeleteFunc(slices.Clone(e.Jobs), func(j metric.Job) bool { return j.Point != point })
	if len(jobs) == 0 {
		return Breakdown{}, false
	}
	out := Breakdown{Of: "job"}
	for _, j := range jobs {
		out.Launches, out.Whole = append(out.Launches, j.Launch), append(out.Whole, j.Seconds)
	}
	for _, part := range jobParts {
		values, known := make([]float64, len(jobs)), false
		for i, j := range jobs {
			for _, one := range j.Parts {
				if one.Name == part.name {
					values[i], known = one.Seconds, true
				}
			}
		}
		switch {
		case known || part.name == metric.JobAttempts: // no attempt failed: that is known
			out.Parts = append(out.Parts, Part{Name: part.name, Class: part.class, Values: values, Source: "jobs of estimates.json", fold: part.fold})
		case part.lack != "":
			out.Missing = append(out.Missing, part.lack)
		}
	}
	if !out.has(metric.JobExposed) {
		out.classify(metric.JobCompute, Unexplained) // communication is in it
	}
	return out, true
}

func (b *Breakdown) has(name string) bool { return b.index(name) >= 0 }

func (b *Breakdown) index(name string) int {
	return slices.IndexFunc(b.Parts, func(p Part) bool { return p.Name == name })
}

func (b *Breakdown) classify(name string, class Class) {
	if i := b.index(name); i >= 0 {
		b.Parts[i].Class = class
	}
}

// Alike brings two jobs to the parts that both have recorded: one that a single run has
// goes where it was in the other, or out of the job. Nothing is compared with what nobody
// measured.
func Alike(a, b Breakdown) (Breakdown, Breakdown) {
	a, b = a.like(b), b.like(a)
	for i := range min(len(a.Parts), len(b.Parts)) {
		if a.Parts[i].Class == Unexplained || b.Parts[i].Class == Unexplained {
			a.Parts[i].Class, b.Parts[i].Class = Unexplained, Unexplained
		}
	}
	return a, b
}

func (b Breakdown) like(other Breakdown) Breakdown {
	out := b
	out.Parts, out.Whole = nil, slices.Clone(b.Whole)
	for _, p := range b.Parts {
		p.Values = slices.Clone(p.Values)
		out.Parts = append(out.Parts, p)
	}
	for _, lost := range b.Parts {
		if other.has(lost.Name) {
			continue
		}
		out.Missing = append(out.Missing, lost.Name+": recorded in one of the runs only")
		into := out.index(lost.fold)
		for i, v := range lost.Values {
			if into < 0 {
				out.Whole[i] -= v
				continue
			}
			out.Parts[into].Values[i] += v
		}
		if into >= 0 && lost.Class == Communication {
			out.Parts[into].Class = Unexplained // computation and communication cannot be distinguished
		}
		out.Parts = slices.Delete(out.Parts, out.index(lost.Name), out.index(lost.Name)+1)
	}
	return out
}
