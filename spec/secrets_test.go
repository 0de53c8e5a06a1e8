package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const secretive = `# the key is hunter2-hunter2, do not tell
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: "abc"}
spec:
  workload: {model: abc}
  target:
    url: "http://user:pa55@127.0.0.1:8000/v1?key=q9&api-version=2024-06-01"
    headers:
      Authorization: 'Bearer it''s-me'
      X-Short: abc
      X-Block: |
        line-one-secret
        line-two-secret
      X-Folded: first-secret
        second-secret
      X-Ref: {env: TOKEN}
      Accept: text/event-stream
    query: {sig: "tab\tsig", version: abc}
    server:
      command: [serve, --key, hunter2-hunter2]
      env: {HF_TOKEN: hunter2-hunter2, CUDA_VISIBLE_DEVICES: abc}
`

func TestSecrets(t *testing.T) {
	doc, faults := Parse("f", []byte(secretive))
	if !Valid(faults) {
		t.Fatal(lines(faults))
	}
	want := []string{"Bearer it's-me", "abc", "first-secret second-secret", "hunter2-hunter2", "it's-me",
		"line-one-secret\nline-two-secret\n", "pa55", "q9", "second-secret", "tab\tsig", "user:pa55"}
	if got := Secrets(*doc.Run); !slices.Equal(got, want) {
		t.Errorf("Secrets = %q, want %q", got, want)
	}
	for _, f := range faults {
		for _, secret := range want {
			if strings.Contains(f.Error(), secret) && secret != "abc" {
				t.Errorf("a fault shows a secret: %s", f.Error())
			}
		}
	}
}

// Everything that a document marks or names as secret is learnt, with the secrets
// inside it, and is redacted wherever else the document has it.
func TestSecretsEverywhere(t *testing.T) {
	source := []byte(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: abc, annotations: {note: body-key-0001}}
spec:
  workload: {model: abc}
  target:
    url: http://127.0.0.1:8000/?sig=url%2Fquery%3D05
    proxy: http://me:proxy-pass-06@127.0.0.1:3128
    headers: {Authorization: Bearer header-key-02, X-Basic: "Basic bWU6YmFzaWMtcGFzcy0wMw==", Cookie: "sid=cookie-value-04; a=b"}
    extraBody:
      api_key: body-key-0001
      max_tokens: 77
      stop: [abc, cookie-value-04]
      nested: [{credentials: {id: 1234567890, other: deep-value-07}}]
      user: body-key-0001
    server:
      command: [serve, --api-key, flag=key-0008, --token=flag-token-09, HF_TOKEN=assigned-10, --key, $KEY, --verbose, --tokenizer, abc]
  candidates:
    - name: other
      target: {url: "http://127.0.0.1:8001", metrics: {urls: ["http://u:metrics-pass-11@127.0.0.1:8002/metrics"]}}
`)
	doc, faults := Parse("f", source)
	if !Valid(faults) {
		t.Fatal(lines(faults))
	}
	got := Secrets(*doc.Run)
	clean := string(RedactSource(source, *doc.Run))
	for _, want := range []string{
		"body-key-0001", "header-key-02", "basic-pass-03", "cookie-value-04", "url/query=05", "url%2Fquery%3D05", "proxy-pass-06",
		"1234567890", "deep-value-07", "flag=key-0008", "flag-token-09", "assigned-10", "metrics-pass-11",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among the secrets: %q", want, got)
		}
		if strings.Contains(clean, want) || strings.Contains(lines(faults), want) {
			t.Errorf("%s shows in\n%s\n%s", want, clean, lines(faults))
		}
	}
	for _, harmless := range []string{"abc", "77", "$KEY", "--tokenizer"} {
		if slices.Contains(got, harmless) || !strings.Contains(clean, harmless) {
			t.Errorf("%s is taken for a secret: %q", harmless, got)
		}
	}
	if again, faults := Parse("f", []byte(clean)); !Valid(faults) || len(Secrets(*again.Run)) > 0 {
		t.Errorf("the redacted document reads badly:\n%s%s", clean, lines(faults))
	}
}

// A credential is not part of the question that is asked: with another key it is
// the same workload, and so is what a bundle keeps of it.
func TestDigestWithoutSecrets(t *testing.T) {
	digest := func(key string) string {
		run := parseExample(t, minimal)
		run.Spec.Target = &Target{URL: "http://h", ExtraBody: map[string]any{"api_key": key, "top_k": int64(3)}}
		d, err := WorkloadDigest(run)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if a, b, kept := digest("key-number-one"), digest("key-number-two"), digest(Redacted); a != b || a != kept {
		t.Errorf("digests differ by the key: %s, %s, %s", a, b, kept)
	}
}

// A fault about an address does not show what is secret in it.
func TestFaultsHideSecrets(t *testing.T) {
	for _, address := range []string{
		"ftp://me:hunter2@h/", "http://me:hun ter2@h:x/", "http://" + strings.Repeat("u", 50) + ":hunter2@h y/", "://h?key=hunter2",
	} {
		_, faults := Parse("f", patched(t, example(t, minimal), patch{"spec.target.url", address}))
		if Valid(faults) || strings.Contains(lines(faults), "hun") {
			t.Errorf("%q gave%s", address, lines(faults))
		}
	}
}

// Redaction takes the secrets out, in comments and commands too, and leaves
// every other byte: short values that are no secret elsewhere stay.
func TestRedactSource(t *testing.T) {
	doc, _ := Parse("f", []byte(secretive))
	want := `# the key is [redacted], do not tell
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: "abc"}
spec:
  workload: {model: abc}
  target:
    url: "http://[redacted]@127.0.0.1:8000/v1?key=[redacted]&api-version=2024-06-01"
    headers:
      Authorization: '[redacted]'
      X-Short: "[redacted]"
      X-Block: "[redacted]"
      X-Folded: "[redacted]"
      X-Ref: {env: TOKEN}
      Accept: text/event-stream
    query: {sig: "[redacted]", version: abc}
    server:
      command: [serve, --key, "[redacted]"]
      env: {HF_TOKEN: "[redacted]", CUDA_VISIBLE_DEVICES: abc}
`
	if got := string(RedactSource([]byte(secretive), *doc.Run)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	redacted, faults := Parse("f", []byte(want))
	if !Valid(faults) || len(Secrets(*redacted.Run)) > 2 {
		t.Errorf("the redacted document reads badly: %q%s", Secrets(*redacted.Run), lines(faults))
	}
	plain := example(t, minimal)
	if got := RedactSource(plain, parseExample(t, minimal)); !bytes.Equal(got, plain) {
		t.Errorf("a document without secrets was changed:\n%s", got)
	}
	anchored := []byte("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: x}\nspec:\n" +
		"  workload: {model: m}\n  target: {url: 'http://h', headers: {A: &s pw1, B: *s}}\n")
	doc, _ = Parse("f", anchored)
	if got := RedactSource(anchored, *doc.Run); bytes.Contains(got, []byte("pw1")) {
		t.Errorf("an anchored secret stays:\n%s", got)
	}
}

// However a secret is printed, it does not show.
func TestSecretNeverPrints(t *testing.T) {
	s := LiteralSecret("hunter2")
	data, err := json.Marshal(map[string]Secret{"a": s, "b": {Env: "X"}, "c": {File: "f"}})
	if want := `{"a":"[redacted]","b":{"env":"X"},"c":{"file":"f"}}`; err != nil || string(data) != want {
		t.Errorf("wrote %s, %v; want %s", data, err, want)
	}
	target := Target{Headers: map[string]Secret{"A": s}}
	printed := fmt.Sprint(s, &s) + fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s, s) + fmt.Sprintf("%v %+v %#v", target, target, target)
	if strings.Contains(printed, "hunter2") {
		t.Errorf("printed %s", printed)
	}
}

func TestReveal(t *testing.T) {
	lookup := func(name string) (string, bool) { return "from env", name == "SET" }
	readFile := func(name string) ([]byte, error) {
		if name != "key" {
			return nil, os.ErrNotExist
		}
		return []byte("from file\r\n"), nil
	}
	f := func(s Secret, want string, wantErr string) {
		t.Helper()
		got, err := s.Reveal(lookup, readFile)
		if got != want || (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%v revealed %q, %v; want %q, %q", s, got, err, want, wantErr)
		}
	}
	f(LiteralSecret("x"), "x", "")
	f(Secret{Env: "SET"}, "from env", "")
	f(Secret{Env: "UNSET"}, "", "environment variable UNSET is not set")
	f(Secret{File: "key"}, "from file", "")
	f(Secret{File: "none"}, "", "read secret file")
	f(LiteralSecret(Redacted), "", "was redacted")
	if _, err := (Secret{File: "none"}).Reveal(lookup, readFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestSecretJSON(t *testing.T) {
	f := func(text string, want Secret, ok bool) {
		t.Helper()
		var got Secret
		err := json.Unmarshal([]byte(text), &got)
		if (err == nil) != ok || got != want {
			t.Errorf("read %s as %+v, %v; want %+v", text, got, err, want)
		}
	}
	f(`"x"`, LiteralSecret("x"), true)
	f(`{"env":"X"}`, Secret{Env: "X"}, true)
	f(`{"file":"X"}`, Secret{File: "X"}, true)
	f(`{"env":"X","file":"Y"}`, Secret{}, false)
	f(`3`, Secret{}, false)
}
