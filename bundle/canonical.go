package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
)

// digest is how a digest is written wherever the algorithm is not in the name
// of the field.
func digest(data []byte) string {
	return "sha256:" + hexSHA256(data)
}

func hexSHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// canonical returns the RFC 8785 form of a JSON text.
func canonical(text []byte) (out []byte, err error) {
	defer func() { // the library is not promised to survive every text
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("canonical form: %v", p)
		}
	}()
	return jcs.Transform(text)
}

// layOut returns the one rendering a manifest may have on disk: the canonical
// form, indented for people. It works on text, so that the manifest of a later
// minor version, with fields unknown here, can be checked too.
func layOut(text []byte) ([]byte, error) {
	flat, err := canonical(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, flat, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// manifestDigest is the digest of a manifest's canonical form without its digest
// field.
func manifestDigest(text []byte) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	delete(fields, "digest")
	rest, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	flat, err := canonical(rest)
	if err != nil {
		return "", err
	}
	return digest(flat), nil
}

// render fills in m's digest and returns the bytes of manifest.json.
func (m *Manifest) render() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if m.Digest, err = manifestDigest(text); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(m); err != nil {
		return nil, err
	}
	return layOut(text)
}
