package bundle

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// statement is what any in-toto verifier reads.
type statement struct {
	Type          string `json:"_type"`
	PredicateType string
	Subject       []struct {
		Name   string
		Digest map[string]string
	}
	Predicate struct {
		BuildDefinition struct {
			BuildType            string
			ExternalParameters   map[string]string
			ResolvedDependencies []struct{ Name string }
		}
		RunDetails struct {
			Builder  struct{ ID string }
			Metadata struct{ InvocationID, StartedOn, FinishedOn string }
		}
		RunID        string
		Status       string
		Launches     map[string]int
		ChecksPassed []string
		Results      map[string]float64
		Claims       map[string][]string
	}
}

// The envelopes can be checked without assay: ed25519 over the DSSE encoding, as
// its specification writes it.
func TestAttestation(t *testing.T) {
	key := newKey(t)
	dir := sealed(t, 1, key)
	var got []statement
	for line := range bytes.Lines(readAll(t, filepath.Join(dir, AttestationFile))) {
		var e struct {
			PayloadType string
			Payload     []byte
			Signatures  []struct {
				KeyID string
				Sig   []byte
			}
		}
		check(t, json.Unmarshal(line, &e))
		pae := fmt.Sprintf("DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload), e.Payload)
		if len(e.Signatures) != 1 || e.Signatures[0].KeyID != key.Public().ID || !ed25519.Verify(key.Public().Key, []byte(pae), e.Signatures[0].Sig) {
			t.Fatalf("the envelope %s does not verify", line)
		}
		var s statement
		check(t, json.Unmarshal(e.Payload, &s))
		got = append(got, s)
	}
	if len(got) != 2 {
		t.Fatalf("got %d statements, want 2", len(got))
	}
	for _, s := range got {
		if s.Type != "https://in-toto.io/Statement/v1" || len(s.Subject) != 2 {
			t.Errorf("statement %+v, want in-toto v1 about two files", s)
		}
		for _, subject := range s.Subject {
			want := hexSHA256(readAll(t, filepath.Join(dir, filepath.FromSlash(subject.Name))))
			if subject.Digest["sha256"] != want {
				t.Errorf("subject %s has digest %v, the file has %s", subject.Name, subject.Digest, want)
			}
		}
	}
	checkProvenance(t, got[0])
	checkResult(t, got[1])
}

func checkProvenance(t *testing.T, s statement) {
	t.Helper()
	def, run := s.Predicate.BuildDefinition, s.Predicate.RunDetails
	if s.PredicateType != provenancePredicate || def.BuildType != "https://assay.dev/run/v1" || run.Metadata.InvocationID != "run-1" {
		t.Errorf("provenance = %+v, want that of run-1", s)
	}
	if def.ExternalParameters["specDigest"] != digest(specText) || def.ExternalParameters["planDigest"] != digest(planText) {
		t.Errorf("external parameters = %v, want the digests of spec and plan", def.ExternalParameters)
	}
	if fmt.Sprint(def.ResolvedDependencies) != "[{engine:1} {model}]" {
		t.Errorf("dependencies = %v, want the image and the model", def.ResolvedDependencies)
	}
	if run.Metadata.StartedOn == "" || run.Metadata.FinishedOn < run.Metadata.StartedOn {
		t.Errorf("times = %+v, want start before end", run.Metadata)
	}
}

func checkResult(t *testing.T, s statement) {
	t.Helper()
	p := s.Predicate
	if s.PredicateType != resultPredicate || p.RunID != "run-1" || p.Status != "completed" || p.Launches["completed"] != 1 {
		t.Errorf("result = %+v, want run-1 with one completed launch", s)
	}
	if fmt.Sprint(p.ChecksPassed) != "[generator-lag]" || p.Results["ttft"] != 0.1 || fmt.Sprint(p.Claims["claims"]) != "[fast]" {
		t.Errorf("result = %+v, want the check and the estimate that were given", p)
	}
}

func TestKeys(t *testing.T) {
	key := newKey(t)
	private, err := key.PEM()
	check(t, err)
	again, err := ParseKey(private)
	check(t, err)
	public, err := ParsePublicKey(key.Public().PEM())
	check(t, err)
	if again.Public().ID != key.Public().ID || public.ID != key.Public().ID || len(public.ID) != 64 {
		t.Errorf("ids %s, %s; want %s", again.Public().ID, public.ID, key.Public().ID)
	}
	for name, text := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "the public key": key.Public().PEM(),
		"a broken key": []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
	} {
		if _, err := ParseKey(text); err == nil || !strings.Contains(err.Error(), "not a private key") {
			t.Errorf("ParseKey of %s: got %v, want a refusal", name, err)
		}
	}
	ecdsa, err := base64.StdEncoding.DecodeString("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==")
	check(t, err)
	if _, err := parsePublicDER(ecdsa); err == nil || !strings.Contains(err.Error(), "want ed25519") {
		t.Errorf("a key of another kind: got %v, want a refusal", err)
	}
}
