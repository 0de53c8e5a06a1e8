package foreign

import (
	"encoding/json"
	"strings"
	"testing"
)

// Keys do not get into a bundle, and what is kept is still JSON.
func TestRedacted(t *testing.T) {
	f := func(content string, secret string) {
		t.Helper()
		kept := File{Data: []byte(content)}.redacted().Kept
		if strings.Contains(string(kept), secret) || kept == nil || !json.Valid(kept) {
			t.Errorf("of %s is kept %s", content, kept)
		}
	}
	f(`{"backend": {"api_key": "sk-abc\"def", "model": "m"}}`, "abc")
	f(`{"run_info":{"cli_command":"aiperf profile --api-key 'hunter2' -m 'sim'"}}`, "hunter2")
	f(`{"run_info":{"cli_command":"aiperf profile --header 'Authorization: Basic aGk6' --streaming"}}`, "aGk6")
	f(`{"endpoint":{"headers":[["Authorization","Bearer abc.def"]]}}`, "abc.def")
	f(`{"server_info":{"admin_api_key":"top","hf_token": "hf_x1"}}`, "hf_x1")
	f(`{"headers":{"Set-Cookie":["sid=77"]}}`, "sid=77")
	for _, tool := range streamed {
		for _, path := range samples(t, tool) {
			m, err := tool.Read([]string{path})
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range m.Files {
				if file.Kept != nil && file.Name != "config.yaml" {
					t.Errorf("%s: %s is changed, and holds no secret", path, file.Name)
				}
			}
		}
	}
}
