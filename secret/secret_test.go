package secret

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"key": true, "api_key": true, "X-API-Key": true, "apiKey": true, "openaiApiKey": true, "access-token": true,
		"token": true, "client_secret": true, "Password": true, "credentials": true, "Authorization": true, "set-cookie": true,
		"X-Amz-Signature": true, "sig": true, "session_id": true, "--api-key": true, "hf.token": true,
		"max_tokens": false, "stop_token_ids": false, "eos_token": false, "tokenizer": false, "prompt_cache_key": false,
		"keyboard": false, "author": false, "user": false, "auth_type": false, "key_file": false, "temperature": false, "": false, "-": false,
	} {
		if got := Named(name); got != want {
			t.Errorf("Named(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestParts(t *testing.T) {
	f := func(value string, want ...string) {
		t.Helper()
		if got := Parts(value); !slices.Equal(got, append([]string{value}, want...)) {
			t.Errorf("Parts(%q) = %q, want itself and %q", value, got, want)
		}
	}
	f("sk-123456789")
	f("Bearer sk-123456789", "sk-123456789")
	f("Basic "+base64.StdEncoding.EncodeToString([]byte("me:hunter2")), "bWU6aHVudGVyMg==", "me:hunter2", "hunter2")
	f("id=abcdef12; theme=dark; s=\"ghijkl34\"", "abcdef12", "ghijkl34")
	f("AWS4-HMAC-SHA256 Credential=AKIA123, Signature=fe5f80", "Credential=AKIA123, Signature=fe5f80", "AKIA123", "fe5f80")
	f("ab%2Fcd%3Def", "ab/cd=ef")
	f("x y")
	if got := UserInfo("me:hun%2Fter2"); !slices.Contains(got, "hun/ter2") || !slices.Contains(got, "hun%2Fter2") || !slices.Contains(got, "me:hun/ter2") {
		t.Errorf("UserInfo = %q", got)
	}
}

func TestVariable(t *testing.T) {
	f := func(variable string, want bool) {
		t.Helper()
		name, value, _ := strings.Cut(variable, "=")
		if got := Variable(name, value); got != want {
			t.Errorf("Variable(%s) = %v, want %v", variable, got, want)
		}
	}
	f("OPENAI_API_KEY=xxxxxx", true)
	f("OPENAI_APIKEY=xxxxxx", true)
	f("HF_TOKEN=xxxxxx", true)
	f("AWS_SECRET_ACCESS_KEY=xxxxxx", true)
	f("DBPASSWORD=xxxxxx", true)
	f("GOOGLE_CREDENTIALS=xxxxxx", true)
	f("session_cookie=xxxxxx", true)
	f("PROXY_AUTH=user1:pass", true)
	f("AUTH_TYPE=api_key", false)
	f("KEYBOARD_LAYOUT=german", false)
	f("GIT_AUTHOR_NAME=somebody", false)
	f("TOKENIZER=meta-llama/x", false)
	f("MAX_TOKENS=131072", false)
	f("SSH_AUTH_SOCK=/tmp/agent.1", false)
	f("PWD=/home/user", false)
	f("DESKTOP_SESSION=gnome42", false)
	f("XDG_SESSION_COOKIE=abcdef", false)
	f("PATH=/usr/bin:/bin", false)
}
