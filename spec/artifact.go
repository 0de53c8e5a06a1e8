package spec

import "strings"

// An ArtifactName is an artifact's reference taken apart: one of its fields is set.
type ArtifactName struct {
	Self   bool   // the run that is made from the document
	RunID  string // of run:RUN_ID
	Digest string // sha256:HEX, of the manifest of a bundle
	URI    string
	Path   string // from the folder of the document
}

// Parts takes the artifact's reference apart; the zero value means that there is
// none.
func (a *Artifact) Parts() ArtifactName {
	if a == nil || a.ArtifactRef == "" {
		return ArtifactName{}
	}
	ref := a.ArtifactRef
	switch {
	case ref == SelfArtifact:
		return ArtifactName{Self: true}
	case pinned.MatchString(ref):
		return ArtifactName{Digest: ref[strings.LastIndex(ref, "sha256:"):]}
	case runRef.MatchString(ref):
		return ArtifactName{RunID: strings.TrimPrefix(ref, "run:")}
	case uriRef.MatchString(ref):
		return ArtifactName{URI: ref}
	}
	return ArtifactName{Path: ref}
}

// Names reports whether the reference names the bundle of a run by its id or its
// digest. A path and a URI say neither, and known is false.
func (r ArtifactName) Names(runID, digest string) (names, known bool) {
	switch {
	case r.RunID != "":
		return r.RunID == runID, true
	case r.Digest != "":
		return r.Digest == digest, true
	}
	return false, false
}

// A LocalArtifact is one side of a comparison that a document names by file
// path. Whether the path exists is for the caller to see: package spec reads no
// files.
type LocalArtifact struct {
	Ref   string
	fault Fault
}

// Missing is the fault of an artifact that is not there: an error for
// publication grade and a warning otherwise.
func (a LocalArtifact) Missing() Fault { return a.fault }

// LocalArtifacts lists the artifacts a run names by file path.
func (d *Document) LocalArtifacts() []LocalArtifact {
	if d.Run == nil {
		return nil
	}
	var local []LocalArtifact
	for _, side := range []struct {
		name     string
		artifact *Artifact
	}{{"baseline", d.Run.Spec.Comparison.Baseline}, {"candidate", d.Run.Spec.Comparison.Candidate}} {
		if side.artifact == nil || !isLocalPath(side.artifact.ArtifactRef) {
			continue
		}
		path := "spec.comparison." + side.name + ".artifactRef"
		line, column := d.root.locate(path)
		severity := SeverityWarning
		if d.Run.Spec.Intent.BenchmarkClass == PublicationGrade && d.Run.APIVersion != ReferenceAPIVersion {
			severity = SeverityError
		}
		local = append(local, LocalArtifact{side.artifact.ArtifactRef, Fault{
			File: d.File, Line: line, Column: column, Path: path, Got: quote(side.artifact.ArtifactRef),
			Want: "a file or directory that exists", Rule: "A10",
			Message: "want a file or directory that exists", Severity: severity,
		}})
	}
	return local
}

// isLocalPath reports whether ref is none of the forms that name something
// elsewhere. A path with a placeholder cannot be looked up yet.
func isLocalPath(ref string) bool {
	switch {
	case ref == SelfArtifact, pinned.MatchString(ref), runRef.MatchString(ref), uriRef.MatchString(ref), placeholder.MatchString(ref):
		return false
	default:
		return resolvable(ref)
	}
}
