// Package forger changes sealed bundles as somebody would who has read the
// specification of the format but holds no key: digests are made right again,
// signatures cannot be. It shares no code with the package that seals, and is no part
// of the product.
package forger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/gowebpki/jcs"
)

// A Manifest is the content of manifest.json.
type Manifest = map[string]any

// Reseal changes the manifest of the bundle in dir and makes every digest in it right
// again: those of the files that it lists, and its own.
func Reseal(t testing.TB, dir string, change func(m Manifest)) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	must(t, err)
	var m Manifest
	must(t, json.Unmarshal(data, &m))
	change(m)
	for _, one := range m["files"].([]any) {
		file := one.(map[string]any)
		if content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file["path"].(string)))); err == nil {
			file["sha256"], file["bytes"] = digest(content), len(content)
		}
	}
	delete(m, "digest")
	m["digest"] = "sha256:" + digest(canonical(t, m))
	var out bytes.Buffer
	must(t, json.Indent(&out, canonical(t, m), "", "  "))
	out.WriteByte('\n')
	must(t, os.WriteFile(path, out.Bytes(), 0o644))
}

// Unsign takes the signature away, so that nothing is left that a forger cannot make.
func Unsign(t testing.TB, dir string) {
	t.Helper()
	must(t, os.Remove(filepath.Join(dir, "attestation.intoto.jsonl")))
	Reseal(t, dir, func(m Manifest) { m["signer"] = map[string]any{"keyID": "unsigned"} })
}

// Edit replaces text in a file of the bundle.
func Edit(t testing.TB, dir, file string, change func(data []byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(file))
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, change(data), 0o644))
}

func canonical(t testing.TB, m Manifest) []byte {
	t.Helper()
	data, err := json.Marshal(m)
	must(t, err)
	data, err = jcs.Transform(data)
	must(t, err)
	return data
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
