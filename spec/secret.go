package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"assay/secret"
)

// Redacted stands wherever a secret would be printed.
const Redacted = secret.Redacted

// A Secret is a value that may be confidential: literal text, {env: NAME} or
// {file: PATH}. Its literal never prints; Reveal returns it.
type Secret struct {
	literal string

	// The environment variable that holds the value.
	Env string

	// The file that holds the value; a final newline is not part of it.
	File string
}

// LiteralSecret is a secret written out.
func LiteralSecret(text string) Secret { return Secret{literal: text} }

// IsLiteral reports whether the value stands in the document itself.
func (s Secret) IsLiteral() bool { return s.Env == "" && s.File == "" }

// String never shows a literal.
func (s Secret) String() string {
	switch {
	case s.Env != "":
		return "env " + s.Env
	case s.File != "":
		return "file " + s.File
	default:
		return Redacted
	}
}

// GoString keeps the literal out of %#v as well.
func (s Secret) GoString() string { return s.String() }

// MarshalJSON writes where the value is, or "[redacted]" for a literal.
func (s Secret) MarshalJSON() ([]byte, error) {
	switch {
	case s.Env != "":
		return json.Marshal(map[string]string{"env": s.Env})
	case s.File != "":
		return json.Marshal(map[string]string{"file": s.File})
	default:
		return json.Marshal(Redacted)
	}
}

// UnmarshalJSON reads what MarshalJSON writes, and literal text.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*s = LiteralSecret(text)
		return nil
	}
	var ref struct{ Env, File string }
	if err := json.Unmarshal(data, &ref); err != nil || (ref.Env == "") == (ref.File == "") {
		return errors.New("got a value of another form, want text, {env: NAME} or {file: PATH}")
	}
	*s = Secret{Env: ref.Env, File: ref.File}
	return nil
}

// Reveal returns the value. lookup is as os.LookupEnv, readFile as os.ReadFile.
func (s Secret) Reveal(lookup func(string) (string, bool), readFile func(string) ([]byte, error)) (string, error) {
	switch {
	case s.Env != "":
		value, ok := lookup(s.Env)
		if !ok {
			return "", fmt.Errorf("environment variable %s is not set: set it, or name another in the document", s.Env)
		}
		return value, nil
	case s.File != "":
		data, err := readFile(s.File)
		if err != nil {
			return "", fmt.Errorf("read secret file: %w", err)
		}
		return strings.TrimRight(string(data), "\r\n"), nil
	case s.literal == Redacted:
		return "", errors.New("the value was redacted when this was written: use {env: NAME} or {file: PATH} in the document")
	default:
		return s.literal, nil
	}
}
