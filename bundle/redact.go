package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"

	"assay/intake"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// A Redactor keeps secrets out of a bundle. It knows some secrets by value and
// many more by their shape. A nil Redactor knows the shapes alone.
//
// A Redactor is safe for concurrent use.
type Redactor struct {
	literals *strings.Replacer // nil when no value is known
	longest  int               // length of the longest form of a known value
}

// Values shorter than these are left alone: they would be found in half of all
// words. Known values were named as secrets by somebody, values from the
// environment only by the look of their variable's name.
const (
	minKnown   = 4
	minEnviron = 6
)

// NewRedactor knows the secrets in known and the values of those variables of
// environ ("NAME=value", as os.Environ) whose names look secret. It finds them
// as they are and inside URLs, JSON and base64.
func NewRedactor(known, environ []string) *Redactor {
	var secrets []string
	for _, s := range known {
		if len(s) >= minKnown {
			secrets = append(secrets, s)
		}
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if len(value) >= minEnviron && secretVariable(name, value) {
			secrets = append(secrets, value)
		}
	}
	var forms []string
	for _, s := range secrets {
		forms = append(forms, formsOf(s)...)
	}
	if len(forms) == 0 {
		return &Redactor{}
	}
	// At one place the Replacer takes the first form that fits: longest first,
	// or the rest of a longer secret would stay behind.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, Redacted)
	}
	return &Redactor{literals: strings.NewReplacer(pairs...), longest: len(forms[0])}
}

// secretVariable reports whether the environment variable name is likely to
// hold a secret. Words are matched whole where they are also parts of harmless
// ones: KEY is not KEYBOARD, AUTH not AUTHOR, TOKEN neither TOKENIZER nor
// MAX_TOKENS.
func secretVariable(name, value string) bool {
	words := strings.Split(strings.ToUpper(name), "_")
	switch words[len(words)-1] {
	case "FILE", "PATH", "DIR", "SOCK":
		return false // says where a secret is, which is not one
	}
	for _, word := range words {
		switch {
		case strings.HasSuffix(word, "KEY"), word == "KEYS", strings.HasSuffix(word, "TOKEN"),
			word == "JWT", word == "DSN", word == "PASS", word == "BEARER":
			return true
		case strings.Contains(word, "SECRET"), strings.Contains(word, "PASSW"), strings.Contains(word, "PASSPHRASE"),
			strings.Contains(word, "CREDENTIAL"), strings.Contains(word, "COOKIE"), strings.HasPrefix(word, "APIKEY"):
			return true
		case word == "AUTH", word == "AUTHORIZATION":
			// AUTH_TYPE=api_key is a choice among words, not a secret.
			return len(value) >= 16 || strings.ContainsAny(value, "0123456789")
		}
	}
	return false
}

// formsOf lists the ways secret may be spelled in a text.
func formsOf(secret string) []string {
	forms := []string{
		secret,
		jsonForm(secret, true),
		jsonForm(secret, false),
		url.QueryEscape(secret),
		url.PathEscape(secret),
	}
	forms = append(forms, base64Forms(secret)...)
	if strings.Contains(secret, "\n") { // logs are redacted line by line
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= 16 {
				forms = append(forms, line)
			}
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// jsonForm is secret as it stands between the quotes of a JSON string. Encoders
// differ in whether they escape <, > and &.
func jsonForm(secret string, escapeHTML bool) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(escapeHTML)
	_ = enc.Encode(secret) // a string into memory: cannot fail
	text := strings.TrimSuffix(out.String(), "\n")
	return text[1 : len(text)-1]
}

// base64Forms lists the base64 of secret at each of the three places it can
// have in a longer encoded text, such as "user:secret", without the characters
// at either end that depend on its neighbours.
func base64Forms(secret string) []string {
	var forms []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
			text = text[(shift*8+5)/6:]
			if (shift+len(secret))%3 != 0 {
				text = text[:len(text)-1]
			}
			if len(text) >= minEnviron {
				forms = append(forms, text)
			}
		}
	}
	return forms
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
	if r == nil || r.literals == nil {
		return s
	}
	return r.literals.Replace(s)
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
		if s, ok := c.(string); ok && secretField(name) && isSecretValue(s) {
			c, did = Redacted, true
		}
		clean[key] = c
		changed = changed || did || key != name
	}
	return clean, changed
}
