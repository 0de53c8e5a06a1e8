package engine

import (
	"errors"
	"strings"
	"testing"
)

// What is asked for wrongly is refused before anything is sent, without the password.
func TestOpenRefuses(t *testing.T) {
	for address, want := range map[string]string{
		"mysql://db/x":                            `"mysql"; want postgres://`,
		"clickhouse:///x":                         "no host",
		"clickhouse://ch.example/x;DROP":          "want letters, digits and underscores",
		"clickhouse://ch.example:8123/benchmarks": "unencrypted: add ?secure=true",
		"postgres://u:canary-77aa@[::1/x":         "the URL cannot be read",
	} {
		lookup := func(name string) (string, bool) {
			if name == "CLICKHOUSE_PASSWORD" && strings.Contains(want, "unencrypted") {
				return "canary-77aa", true
			}
			return "", false
		}
		_, err := Open(t.Context(), address, lookup, nil)
		if !errors.Is(err, ErrAddress) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}
