package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"assay/bundle"
	"assay/finding"
	"assay/spec"
)

// MutableInputs fires when an input of a publication can change under its name.
var MutableInputs = Check{
	ID: "mutable-inputs", Code: "P-21", Severity: finding.Void,
	Doc:     "An image, model or dataset is named by something that can change.",
	When:    "publication only: an image by tag, a model by branch, data without a digest",
	Applies: publication,
	Run:     mutableInputs,
}

var (
	pinned       = regexp.MustCompile(`(^|@|:)sha256:[0-9a-f]{64}$`)
	commitPinned = regexp.MustCompile(`@[0-9a-f]{40}$`)
	imageTag     = regexp.MustCompile(`^[a-z0-9][a-z0-9._/-]*(:[0-9]+/[a-z0-9._/-]+)?:[A-Za-z0-9_][A-Za-z0-9._-]*$`)
)

// engines start programs from images: what follows them is one.
var engines = []string{"docker", "podman", "nerdctl", "apptainer", "singularity"}

func mutableInputs(f *Facts) Answer {
	in := f.Manifest.Inputs
	var loose, unknown []string
	for name, digest := range in.Images {
		if !pinned.MatchString(digest) && !pinned.MatchString(name) {
			loose = append(loose, "image "+name+" has no digest")
		}
	}
	for _, side := range f.Plan.Sides() {
		loose = append(loose, looseImages(side)...)
	}
	itself := f.simulates()
	if _, told := f.fact("container.image_digest"); !told && len(in.Images) == 0 && !itself {
		unknown = append(unknown, "the digest of the engine's image")
	}
	for _, side := range f.Plan.Sides() {
		model := side.Target.Model
		if _, revision, named := strings.Cut(model, "@"); named && !pinned.MatchString(model) && !commitPinned.MatchString(model) {
			loose = append(loose, fmt.Sprintf("model %s names the revision %s, which can move", model, revision))
		}
	}
	if in.Model == nil || in.Model.Digest == "" && !itself && !pinned.MatchString(in.Model.Name) && !commitPinned.MatchString(in.Model.Name) {
		unknown = append(unknown, "the digest of the model's weights")
	}
	loose = append(loose, looseData(f)...)
	slices.Sort(loose)
	answer := Answer{}
	if len(loose) > 0 {
		answer = found(finding.Finding{
			Severity: finding.Void,
			Message:  "inputs can change under their name: " + summary(slices.Compact(loose)),
			Why:      "who repeats the run later may run something else",
			Fix:      "name images and data as NAME@sha256:HEX and models by digest or commit",
			Evidence: loose,
		})
	}
	answer.Missing = strings.Join(unknown, " and ")
	return answer
}

// simulates says that the subject is assay's own simulator, started by the run: it
// has neither image nor weights, and the digest of the program names all of it.
func (f *Facts) simulates() bool {
	engine, _ := f.fact("server.engine")
	_, hashed := f.fact("assay.binary_sha256")
	return engine == "assay-sim" && hashed && f.startsServers()
}

// looseImages are the images in a server's command that are named by a tag.
func looseImages(side spec.Side) []string {
	if side.Target.Server == nil || len(side.Target.Server.Command) == 0 || !slices.Contains(engines, path.Base(side.Target.Server.Command[0])) {
		return nil
	}
	var list []string
	for _, word := range side.Target.Server.Command[1:] {
		if name := strings.TrimPrefix(word, "docker://"); imageTag.MatchString(name) {
			list = append(list, "image "+name+" is a tag")
		}
	}
	return list
}

// looseData are the data sets and traces that no digest names.
func looseData(f *Facts) []string {
	var list []string
	w := f.Plan.Workload()
	if w.DatasetRef != spec.SyntheticDataset && !pinned.MatchString(w.DatasetRef) && !hasDigest(f.Manifest.Inputs.Datasets) {
		list = append(list, "dataset "+w.DatasetRef+" has no digest")
	}
	if l := f.Plan.Load(); l != nil && l.TraceRef != "" && !pinned.MatchString(l.TraceRef) && !hasDigest(f.Manifest.Inputs.Datasets) {
		list = append(list, "trace "+l.TraceRef+" has no digest")
	}
	return list
}

func hasDigest(list []bundle.Input) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(i bundle.Input) bool { return i.Digest == "" })
}
