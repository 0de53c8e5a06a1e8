package sim

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const testScript = `
{"prompt": "2 + 2", "text": "It is \"4\".\n#### 4"}
{"prompt": "9 + 9", "text": "#### 18 and so on", "finish_reason": "length"}
{"prompt": "say nothing", "text": ""}
{"prompt": "break", "fault": "html-500"}
{"prompt": "crowd", "text": "calm"}
{"prompt": "crowd", "text": "wrong", "beside": 3}
`

func TestScript(t *testing.T) {
	script, err := ReadScript(strings.NewReader(testScript))
	if err != nil {
		t.Fatal(err)
	}
	_, addr := serve(t, Config{Fixed: &Fixed{}, Script: script})
	f := func(path, question string, limit int, text, finish string) {
		t.Helper()
		body := fmt.Sprintf(`{"model":"sim","prompt":%q,"max_tokens":%d}`, question, limit)
		if path == chatPath {
			body = fmt.Sprintf(`{"model":"sim","messages":[{"role":"user","content":%q}],"max_tokens":%d}`, question, limit)
		}
		streamed := strings.Replace(body, `"model"`, `"stream":true,"model"`, 1)
		_, whole := call(t, http.MethodPost, "http://"+addr+path, body)
		if !strings.Contains(string(whole), `"`+text+`"`) || !strings.Contains(string(whole), `"finish_reason":"`+finish+`"`) {
			t.Errorf("%q: %s\nwant %s ended by %s", question, whole, text, finish)
		}
		_, stream := call(t, http.MethodPost, "http://"+addr+path, streamed)
		said := ""
		for _, e := range events(t, stream) {
			said += e.Choices[0].Delta.Content + e.Choices[0].Text
		}
		if quoted := fmt.Sprintf("%q", said); quoted != `"`+text+`"` {
			t.Errorf("%q streamed: %s, want %s", question, quoted, text)
		}
	}
	f(chatPath, "What is 2 + 2?", 100, `It is \"4\".\n#### 4`, "stop")
	f(textPath, "What is 2 + 2?", 100, `It is \"4\".\n#### 4`, "stop")
	f(chatPath, "9 + 9 is 18. Now: what is 2 + 2?", 100, `It is \"4\".\n#### 4`, "stop") // the last one counts
	f(chatPath, "9 + 9", 100, "#### 18 and so on", "length")
	f(chatPath, "2 + 2", 2, "It is", "length")
	f(chatPath, "say nothing", 10, "", "stop")
	f(chatPath, "crowd", 10, "calm", "stop")
}

// A fault of the script is that of the wire, and an answer may wait for a crowd.
func TestScriptFaults(t *testing.T) {
	script, err := ReadScript(strings.NewReader(testScript))
	if err != nil {
		t.Fatal(err)
	}
	_, addr := serve(t, Config{Fixed: &Fixed{}, Script: script})
	if status, body := call(t, http.MethodPost, "http://"+addr+textPath, `{"prompt":"break"}`); status != 500 {
		t.Errorf("status %d, want 500: %s", status, body)
	}
	crowded, where := serve(t, Config{Fixed: &Fixed{TTFT: 20 * time.Second, Tokens: 1}, Script: script})
	var others sync.WaitGroup
	for range 3 {
		others.Go(func() { // ends when the server closes
			if reply, err := http.Post("http://"+where+textPath, "application/json", strings.NewReader(`{"prompt":"x"}`)); err == nil {
				reply.Body.Close()
			}
		})
	}
	t.Cleanup(others.Wait)
	for crowded.Stats().Running < 3 {
		time.Sleep(time.Millisecond)
	}
	if row := crowded.scripted(tokenize("crowd")); row == nil || row.Text != "wrong" {
		t.Errorf("with three others the answer is %+v, want the wrong one", row)
	}
	if err := crowded.Close(); err != nil {
		t.Error(err)
	}
}

func TestScriptRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "got no answers",
		`{"prompt": 1}`:               "line 1",
		`{"promt": "x"}`:              "unknown field",
		"\n" + `{"fault": "nowhere"}`: `line 2: fault: got "nowhere"`,
		`{"beside": -1}`:              "beside: got -1",
	} {
		if _, err := ReadScript(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
