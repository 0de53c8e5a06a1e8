package foreign

import "testing"

func TestDuplicateKey(t *testing.T) {
	f := func(text, key string) {
		t.Helper()
		got, at := duplicateKey([]byte(text))
		if got != key || (at >= 0) != (key != "") {
			t.Errorf("%s: %q at %d, want %q", text, got, at, key)
		}
	}
	f(`{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}`, "")
	f(`{"a": 1, "b": 2, "a": 3}`, "a")
	f(`{"a": {"b": 1, "b": 2}}`, "b")
	f(`[{"a": 1}, {"b": 1, "c": [1, {"x": 2}], "b": 2}]`, "b")
	f(`{"a": "a", "b": "a"}`, "")
	f(`{"a": "x\", \"a\": ", "b": 1}`, "")
	f(`{"a": 1, "\u0061": 2}`, "a")
	f("{\"a\": 1}\n{\"a\": 2}", "")
	f(`{"a": [1, 2], "b": "}", "a": 3}`, "a")
	f(`}}]{"a": "`, "")
}
