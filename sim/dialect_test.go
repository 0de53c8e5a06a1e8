package sim

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// dialectBody asks for n tokens in the words of a route.
func dialectBody(path string, n int, stream bool) string {
	if path == "/v1/messages" {
		return fmt.Sprintf(`{"model":"sim","max_tokens":%d,"ignore_eos":true,"stream":%v,"messages":[{"role":"user","content":[{"type":"text","text":"hello there"}]}]}`, n, stream)
	}
	return fmt.Sprintf(`{"model":"sim","max_output_tokens":%d,"ignore_eos":true,"stream":%v,"input":"hello there"}`, n, stream)
}

var eventNames = regexp.MustCompile(`(?m)^event: (.*)$`)

// The other APIs say the same words as the chat API, in events of their names.
func TestDialects(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{}})
	_, chat := call(t, "POST", "http://"+addr+chatPath, strings.Replace(chatBody(3), `"stream":true,"stream_options":{"include_usage":true}`, `"stream":false`, 1))
	f := func(path, fault string, wantNames, wantCounts string) {
		t.Helper()
		_, whole := call(t, "POST", "http://"+addr+path, dialectBody(path, 3, false))
		request, err := http.NewRequest(http.MethodPost, "http://"+addr+path, strings.NewReader(dialectBody(path, 3, true)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Assay-Fault", fault)
		resp, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		streamed, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, match := range eventNames.FindAllStringSubmatch(string(streamed), -1) {
			names = append(names, strings.TrimPrefix(match[1], "response."))
		}
		if got := strings.Join(names, " "); got != wantNames {
			t.Errorf("%s %s: events %s\nwant %s", path, fault, got, wantNames)
		}
		words := regexp.MustCompile(`"content":"([^"]*)"`).FindStringSubmatch(string(chat))
		if words == nil || !strings.Contains(string(whole), `"text":"`+words[1]+`"`) || !strings.Contains(string(whole), wantCounts) {
			t.Errorf("%s: answer %s\nwant the words %q and %s", path, whole, words, wantCounts)
		}
	}
	f("/v1/messages", "", "message_start content_block_start content_block_delta content_block_delta content_block_delta content_block_stop message_delta message_stop",
		`"usage":{"input_tokens":11,"cache_read_input_tokens":0,"output_tokens":3}`)
	f("/v1/messages", "reasoning,keep-alives", "message_start ping ping content_block_start content_block_delta content_block_stop "+
		"ping content_block_start content_block_delta ping content_block_delta content_block_stop message_delta message_stop", `"stop_reason":"max_tokens"`)
	f("/v1/messages", "error-after-tokens", "message_start content_block_start content_block_delta error", `"type":"message"`)
	f("/v1/responses", "", "created in_progress output_item.added output_text.delta output_text.delta output_text.delta incomplete",
		`"usage":{"input_tokens":11,"output_tokens":3,"total_tokens":14,"input_tokens_details":{"cached_tokens":0},"output_tokens_details":{"reasoning_tokens":0}}`)
	f("/v1/responses", "one-token", "created in_progress output_item.added output_text.delta completed", `"status":"incomplete"`)
	f("/v1/responses", "error-before-token", "created in_progress failed", `"object":"response"`)
}

func TestDialectRefusals(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{}})
	f := func(path, body, want string) {
		t.Helper()
		if status, reply := call(t, "POST", "http://"+addr+path, body); status != 400 || !strings.Contains(string(reply), want) {
			t.Errorf("%s %s: %d %s, want 400 and %s", path, body, status, reply, want)
		}
	}
	f("/v1/messages", `{"messages":[{"role":"user","content":"x"}]}`, "max_tokens: got none")
	f("/v1/messages", `{"max_tokens":0,"messages":[{"role":"user","content":"x"}]}`, "want at least 1")
	f("/v1/messages", `{"max_tokens":1,"messages":[]}`, "messages: got none")
	f("/v1/messages", `{"max_tokens":1,"system":5,"messages":[{"role":"user","content":"x"}]}`, "system:")
	f("/v1/messages", `[`, "not a valid request")
	f("/v1/responses", `{"input":""}`, "messages:")
	f("/v1/responses", `{"input":5}`, "messages:")
	f("/v1/responses", `[`, "not a valid request")
}
