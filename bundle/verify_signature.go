package bundle

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"assay/intake"
)

// signature checks who signed, what exactly, and whether the caller trusts them.
func (v *verifier) signature(trust Trust) {
	text, err := intake.ReadIn(v.root, AttestationFile, mostManifest)
	missing := errors.Is(err, os.ErrNotExist)
	signer := v.manifest.Signer
	if signer.KeyID == Unsigned {
		v.unsigned(missing, trust.Required)
		return
	}
	v.Signature.KeyID = signer.KeyID
	if missing {
		v.fail("signature", AttestationFile, "missing: the manifest says key %s signed", signer.KeyID)
		return
	}
	if err == nil {
		err = v.envelopes(text)
	}
	if err != nil {
		v.fail("signature", AttestationFile, "%v", err)
		return
	}
	v.trust(trust)
}

func (v *verifier) unsigned(missing bool, keys []PublicKey) {
	v.Signature.State = SignatureNone
	if !missing {
		v.Signature.State = SignatureInvalid
		v.fail("signature", AttestationFile, "was added after sealing: the manifest says unsigned")
	}
	if len(keys) > 0 {
		v.fail("signature", ManifestFile, "UNSIGNED, but a signature by a given key was asked for")
	}
	if missing && len(keys) == 0 {
		v.pass("signature", "UNSIGNED: nothing says who made this bundle")
	}
}

func (v *verifier) trust(trust Trust) {
	id := v.manifest.Signer.KeyID
	v.Signature.State = SignatureUntrusted
	switch {
	case trust.demands() && !trust.required(id):
		v.fail("signature", AttestationFile, "signed by %s, which is none of the %d keys given", id, len(trust.Required))
	case trust.trusts(id):
		v.Signature.State = SignatureTrusted
		v.pass("signature", "signed by %s, a key you trust", id)
	default:
		v.pass("signature", "signed by %s, key not trusted: pass --key", id)
	}
}

// envelopes checks every line of the attestation file. The file has one valid
// form, so a change of any byte is found, not only one inside the payload.
func (v *verifier) envelopes(text []byte) error {
	key, err := v.embeddedKey()
	if err != nil {
		return err
	}
	types := v.manifest.Signer.Attestations
	lines := bytes.SplitAfter(text, []byte("\n"))
	if last := len(lines) - 1; len(lines[last]) != 0 || last != len(types) || last == 0 {
		return fmt.Errorf("has %d lines, want %d complete ones, one for each statement the manifest names", bytes.Count(text, []byte("\n")), len(types))
	}
	for i, predicateType := range types {
		if err := v.envelope(lines[i], key, predicateType); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// embeddedKey is the key the manifest names. That it signed is integrity; that
// it is the right one is for the caller to say.
func (v *verifier) embeddedKey() (PublicKey, error) {
	der, err := base64.StdEncoding.DecodeString(v.manifest.Signer.PublicKey)
	if err != nil {
		return PublicKey{}, fmt.Errorf("the manifest's public key is not base64: %w", err)
	}
	key, err := parsePublicDER(der)
	if err != nil {
		return PublicKey{}, err
	}
	if key.ID != v.manifest.Signer.KeyID {
		return PublicKey{}, fmt.Errorf("the manifest's public key has id %s, it states %s", key.ID, v.manifest.Signer.KeyID)
	}
	return key, nil
}

func (v *verifier) envelope(line []byte, key PublicKey, predicateType string) error {
	var e dsse.Envelope
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("not an envelope: %w", err)
	}
	want, err := json.Marshal(e)
	if err != nil || !bytes.Equal(line, append(want, '\n')) {
		return errors.New("changed after sealing: the bytes are not those that were written")
	}
	if e.PayloadType != payloadType || len(e.Signatures) != 1 || e.Signatures[0].KeyID != key.ID {
		return fmt.Errorf("want payload type %s and one signature by %s", payloadType, key.ID)
	}
	if !exactBase64(e.Payload) || !exactBase64(e.Signatures[0].Sig) {
		return errors.New("changed after sealing: base64 with stray bits")
	}
	verifier, err := dsse.NewEnvelopeVerifier(dsseVerifier{key})
	if err != nil {
		return err
	}
	if _, err := verifier.Verify(context.Background(), &e); err != nil {
		return fmt.Errorf("the signature does not fit: %w", err)
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		return err
	}
	return v.statement(payload, predicateType)
}

// exactBase64 reports whether text is the one encoding of what it decodes to.
func exactBase64(text string) bool {
	data, err := base64.StdEncoding.DecodeString(text)
	return err == nil && base64.StdEncoding.EncodeToString(data) == text
}

// statement checks that what was signed is about this manifest.
func (v *verifier) statement(payload []byte, predicateType string) error {
	var s struct {
		PredicateType string
		Subject       []struct {
			Name   string
			Digest map[string]string
		}
	}
	if err := json.Unmarshal(payload, &s); err != nil {
		return fmt.Errorf("not a statement: %w", err)
	}
	if s.PredicateType != predicateType {
		return fmt.Errorf("attests %s, the manifest names %s", s.PredicateType, predicateType)
	}
	if len(s.Subject) == 0 || s.Subject[0].Name != ManifestFile || s.Subject[0].Digest["sha256"] != hexSHA256(v.text) {
		return errors.New("is about another manifest")
	}
	for _, subject := range s.Subject[1:] {
		i := v.index(subject.Name)
		if i < 0 || v.manifest.Files[i].SHA256 != subject.Digest["sha256"] {
			return fmt.Errorf("is about another %s", subject.Name)
		}
	}
	return nil
}

// dsseVerifier lets a PublicKey check envelopes.
type dsseVerifier struct{ key PublicKey }

func (d dsseVerifier) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(d.key.Key, data, sig) {
		return errors.New("not made by key " + d.key.ID)
	}
	return nil
}

func (d dsseVerifier) KeyID() (string, error)   { return d.key.ID, nil }
func (d dsseVerifier) Public() crypto.PublicKey { return d.key.Key }
