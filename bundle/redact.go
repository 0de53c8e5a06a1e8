package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"

	"assay/intake"
	"assay/secret"
)

// Redacted stands where a secret was.
const Redacted = secret.Redacted

// A Redactor keeps secrets out of a bundle. It knows some secrets by value and
// many more by their shape. A nil Redactor knows the shapes alone.
//
// A Redactor is safe for concurrent use.
type Redactor struct {
	values *secret.Finder // nil when no value is known
}

// Values shorter than these are left alone: they would be found in half of all
// words. Known values were named as secrets by somebody, values from the
// environment only by the look of their variable's name.
const (
	minKnown   = 4
	minEnviron = 6
	minNumber  = 8 // a shorter one may be a count
)

// NewRedactor knows the secrets in known, with those inside them, and the values
// of those variables of environ ("NAME=value", as os.Environ) whose names look
// secret. It finds them in every spelling that package secret knows.
func NewRedactor(known, environ []string) *Redactor {
	var secrets []string
	for _, s := range known {
		if len(s) >= minKnown {
			secrets = append(secrets, secret.Parts(s)...)
		}
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if len(value) >= minEnviron && secret.Variable(name, value) {
			secrets = append(secrets, secret.Parts(value)...)
		}
	}
	return &Redactor{secret.NewFinder(secrets)}
}

// String returns s without secrets.
func (r *Redactor) String(s string) string { return r.clean(s, false) }

// Prose returns s, the answer of a model, without secrets. It leaves words that
// merely follow "password=" or "bearer" in place unless they look like a
// secret: graders judge answers, and code in them must stay code.
func (r *Redactor) Prose(s string) string { return r.clean(s, true) }

func (r *Redactor) clean(s string, prose bool) string {
	if s == "" {
		return s
	}
	s = r.known(s)
	for i := range rules {
		s = rules[i].apply(s, prose)
	}
	return s
}

// known replaces the secrets that are known by value.
func (r *Redactor) known(s string) string {
	if r == nil {
		return s
	}
	return r.values.Hide(s)
}

// Document returns the content of a file without secrets. JSON is redacted
// string by string, so that what comes out is JSON again. In a binary file, such
// as an image, only known secrets are replaced: shapes would be found by chance.
// Data without secrets comes back byte for byte.
func (r *Redactor) Document(data []byte) []byte {
	if json.Valid(data) {
		return r.json(data)
	}
	text, clean := string(data), ""
	if binary := bytes.IndexByte(data, 0) >= 0; binary {
		clean = r.known(text)
	} else {
		clean = r.String(text)
	}
	if clean != text {
		return []byte(clean)
	}
	return data
}

// packed is Document of what gzip packed.
func (r *Redactor) packed(data []byte) ([]byte, error) {
	unpacked, err := intake.Unpack("the packed file", bytes.NewReader(data), mostFile)
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	clean := r.Document(plain)
	if bytes.Equal(clean, plain) {
		return data, nil
	}
	var out bytes.Buffer
	packer := gzip.NewWriter(&out)
	if _, err := packer.Write(clean); err != nil {
		return nil, err
	}
	if err := packer.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (r *Redactor) json(data []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return data
	}
	tree, changed := r.tree(tree)
	if !changed {
		return data
	}
	clean, err := json.Marshal(tree)
	if err != nil { // a tree that was decoded can be encoded
		return []byte(`"` + Redacted + `"`)
	}
	return clean
}

// tree redacts every string of a decoded JSON value, names included.
func (r *Redactor) tree(v any) (clean any, changed bool) {
	switch v := v.(type) {
	case string:
		s := r.String(v)
		return s, s != v
	case json.Number:
		if len(v) >= minNumber && r.known(v.String()) == Redacted {
			return Redacted, true
		}
	case []any:
		for i, element := range v {
			c, did := r.tree(element)
			v[i], changed = c, changed || did
		}
		return v, changed
	case map[string]any:
		return r.object(v)
	}
	return v, false
}

func (r *Redactor) object(m map[string]any) (clean map[string]any, changed bool) {
	clean = make(map[string]any, len(m))
	for name, value := range m {
		key := r.String(name)
		c, did := r.tree(value)
		if secretField(name) && hidden(c) {
			c, did = Redacted, true
		}
		clean[key] = c
		changed = changed || did || key != name
	}
	return clean, changed
}

// hidden reports whether v, under a name that says secret, is one. A number may
// be.
func hidden(v any) bool {
	switch v := v.(type) {
	case string:
		return isSecretValue(v)
	case json.Number:
		return len(v) >= minKnown
	}
	return false
}
