package spec

import (
	"net/url"
	"strings"
)

// What signs a bundle, in which form, and where it is kept: the ones there are.
const (
	SigningEd25519    = "ed25519"
	AttestationInToto = "in_toto"
	StoreLocal        = "local"

	// RunIDPlaceholder is replaced by the id of a run in paths.
	RunIDPlaceholder = "${RUN_ID}"
)

func signingAvailable(c *checker) {
	const path = "spec.provenance.signing"
	s := c.run.Spec.Provenance.Signing
	if s.Backend != "" && s.Backend != SigningEd25519 {
		c.fail(path+".backend", "must be "+SigningEd25519+": this version signs with nothing else")
	}
	if s.AttestationFormat != "" && s.AttestationFormat != AttestationInToto {
		c.fail(path+".attestationFormat", "must be "+AttestationInToto+": this version writes no other form")
	}
}

// sinkAvailable warns: a document of another system may be kept and compared, and a
// run that is made from it would leave its evidence elsewhere than it says.
func sinkAvailable(c *checker) {
	const path = "spec.sinks.rawArtifacts"
	s := c.run.Spec.Sinks.RawArtifacts
	if c.source.at(path) == nil {
		return
	}
	if s.Store != "" && s.Store != StoreLocal {
		c.warn(path+".store", "assay run refuses it: this version keeps bundles in a "+StoreLocal+" folder")
	}
	if _, ok := s.Folder(""); !ok && s.PathTemplate != "" {
		c.warn(path+".pathTemplate", "assay run refuses it: want a folder or a file URI with "+RunIDPlaceholder+" in it")
	}
}

// Folder is the local folder that the artifacts of a run go to; ok is false where the
// template names none, or one folder for all runs.
func (r RawArtifacts) Folder(runID string) (folder string, ok bool) {
	template := r.PathTemplate
	if !strings.Contains(template, RunIDPlaceholder) {
		return "", false
	}
	if scheme, _, found := strings.Cut(template, "://"); found {
		u, err := url.Parse(strings.ReplaceAll(template, RunIDPlaceholder, "run"))
		if scheme != "file" || err != nil || u.Host != "" && u.Host != "localhost" {
			return "", false
		}
		template = strings.TrimPrefix(strings.TrimPrefix(template, "file://"), "localhost")
	}
	return strings.ReplaceAll(template, RunIDPlaceholder, runID), true
}
