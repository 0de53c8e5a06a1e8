package scorer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"assay/spec"
)

// chatServer is a chat endpoint: say answers what it was asked, with the whole request.
func chatServer(t *testing.T, say func(asked string, request map[string]any) (status int, message string)) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			t.Errorf("asked at %s", r.URL.Path)
		}
		body, err := io.ReadAll(r.Body)
		var request map[string]any
		if err != nil || json.Unmarshal(body, &request) != nil {
			t.Errorf("request %s, %v", body, err)
		}
		status, message := say(string(body), request)
		w.WriteHeader(status)
		fmt.Fprint(w, message)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// said is a chat completion.
func said(text string) string {
	content, _ := json.Marshal(text) // a text always is one of JSON
	return fmt.Sprintf(`{"model": "judge-7b-served", "choices": [{"message": {"content": %s}}]}`, content)
}

type golden struct {
	VQAScore []struct {
		ID  int `json:"id"`
		Top []struct {
			Token   string  `json:"token"`
			Logprob float64 `json:"logprob"`
		} `json:"top_logprobs"`
		Want float64 `json:"vqascore"`
	} `json:"vqascore"`
}

// VQAScore as the reference reads it agrees with its golden values, and ours sums every
// spelling: it differs where there are two.
func TestVQAScore(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../shared/golden/accuracy/logprob_protocol.json")
	if os.IsNotExist(err) {
		t.Skip("no reference values: want shared/golden/accuracy beside the repository")
	}
	var all golden
	if err != nil || json.Unmarshal(text, &all) != nil {
		t.Fatal(err)
	}
	address := chatServer(t, func(asked string, request map[string]any) (int, string) {
		if request["max_tokens"] != 1.0 || request["temperature"] != 0.0 || request["top_logprobs"] != 20.0 || request["logprobs"] != true {
			t.Errorf("asked with %v", request)
		}
		for _, c := range all.VQAScore {
			if strings.Contains(asked, fmt.Sprintf(`Does this figure show \"case %d\"? Please answer Yes or No.`, c.ID)) {
				top, err := json.Marshal(c.Top)
				if err != nil {
					t.Error(err)
				}
				return 200, fmt.Sprintf(`{"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": [{"token": "Yes", "top_logprobs": %s}]}}]}`, top)
			}
		}
		t.Errorf("asked %s", asked)
		return 500, ""
	})
	var list []Item
	for _, c := range all.VQAScore {
		list = append(list, Item{ID: fmt.Sprint(c.ID), Prediction: fmt.Sprintf("case %d", c.ID), Image: "data:image/png;base64,AAAA"})
	}
	results, ended := Run(t.Context(), spec.Scorer{Name: "v", Kind: spec.ScorerVQA, URL: address, Model: "m", Scores: []string{"yes", "reference"}}, environment, list)
	if ended != nil {
		t.Fatal(ended)
	}
	for i, c := range all.VQAScore {
		if got := results[i].Scores["reference"]; math.Abs(got-c.Want) > 1e-12 {
			t.Errorf("case %d: reference %v; want %v", c.ID, got, c.Want)
		}
		yes, spellings := 0.0, 0
		for _, entry := range c.Top {
			if strings.EqualFold(strings.TrimSpace(entry.Token), "yes") {
				yes, spellings = yes+math.Exp(entry.Logprob), spellings+1
			}
		}
		got := results[i].Scores["yes"]
		if math.Abs(got-yes) > 1e-12 {
			t.Errorf("case %d: yes %v; want %v", c.ID, got, yes)
		}
		if differs := math.Abs(got-c.Want) > 1e-12; differs != (spellings > 1) {
			t.Errorf("case %d: %d spellings; ours %v, the reference %v", c.ID, spellings, got, c.Want)
		}
	}
}

// What cannot be scored has a reason of its own and no score.
func TestVQAUnscored(t *testing.T) {
	t.Parallel()
	picture := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(picture, []byte("\x89PNG\r\n\x1a\n0000"), 0o644); err != nil {
		t.Fatal(err)
	}
	address := chatServer(t, func(asked string, _ map[string]any) (int, string) {
		switch {
		case strings.Contains(asked, "fails"):
			return 503, "busy"
		case strings.Contains(asked, "mute"):
			return 200, said("Yes")
		case strings.Contains(asked, "perhaps"):
			return 200, `{"choices": [{"logprobs": {"content": [{"top_logprobs": [{"token": "Perhaps", "logprob": -0.1}]}]}}]}`
		case strings.Contains(asked, "data:image/png;base64,iVBORw0KGgowMDAw"):
			return 200, `{"choices": [{"logprobs": {"content": [{"top_logprobs": [{"token": "No", "logprob": -0.6931471805599453}]}]}}]}`
		}
		t.Errorf("asked %s", asked)
		return 500, ""
	})
	list := []Item{
		{ID: "0", Prediction: "fails", Image: "http://127.0.0.1/x.png"}, {ID: "1", Prediction: "mute", Image: "http://127.0.0.1/x.png"},
		{ID: "2", Prediction: "perhaps", Image: "http://127.0.0.1/x.png"}, {ID: "3", Prediction: "x"},
		{ID: "4", Prediction: "x", Image: "/no/such.png"}, {ID: "5", Prediction: "a file", Image: picture},
	}
	results, ended := Run(t.Context(), spec.Scorer{Name: "v", Kind: spec.ScorerVQA, URL: address, Model: "m"}, environment, list)
	if ended != nil {
		t.Fatal(ended)
	}
	for i, want := range []string{"503", "no log-probabilities", "neither yes nor no", "no image", "no such file"} {
		if !strings.Contains(results[i].Unscored, want) || results[i].Scores != nil {
			t.Errorf("item %d: got %+v; want %s", i, results[i], want)
		}
	}
	if got := results[5].Scores["yes"]; math.Abs(got-0.5) > 1e-12 {
		t.Errorf("an image of a file: %+v", results[5])
	}
}

// An endpoint that is not there is not asked a second batch.
func TestChatGone(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	address := chatServer(t, func(string, map[string]any) (int, string) { asked.Add(1); return 500, "gone" })
	s := spec.Scorer{Name: "r", Kind: spec.ScorerRubric, URL: address, Model: "m", Batch: 2}
	results, ended := Run(t.Context(), s, environment, items("a", "b", "c", "d"))
	if ended == nil || asked.Load() != 2 || len(results) != 4 {
		t.Errorf("asked %d times, ended with %v", asked.Load(), ended)
	}
}

// A rubric rates from 0 to 1, says how far the judge agrees with itself, and counts what it
// cannot read apart.
func TestRubric(t *testing.T) {
	t.Parallel()
	address := chatServer(t, func(asked string, request map[string]any) (int, string) {
		switch {
		case strings.Contains(asked, "the good one"):
			return 200, said("It has 2 parts and a Rating: 1 would be unfair.\n\n**Rating: 5**")
		case strings.Contains(asked, "the odd one") && request["seed"] == 1.0:
			return 200, said("Rating: 3")
		case strings.Contains(asked, "the odd one"):
			return 200, said("Rating: 4/5")
		}
		return 200, said("I would rather not say.")
	})
	s := spec.Scorer{Name: "r", Kind: spec.ScorerRubric, URL: address + "/v1", Model: "judge-7b", Repeat: 3, Scores: []string{"rating", "agreement"}}
	results, ended := Run(t.Context(), s, environment, items("the good one", "the odd one", "the vague one {{reference}}"))
	if ended != nil {
		t.Fatal(ended)
	}
	want := []map[string]float64{{"rating": 1, "agreement": 1}, {"rating": (0.5 + 0.75 + 0.75) / 3, "agreement": 1. / 3}}
	for i, scores := range want {
		for name, value := range scores {
			if got := results[i].Scores[name]; math.Abs(got-value) > 1e-12 {
				t.Errorf("item %d, %s: got %v; want %v", i, name, got, value)
			}
		}
	}
	if !strings.Contains(results[2].Unscored, "no rating") {
		t.Errorf("got %+v", results[2])
	}
	if got := results[0].Signature; got != "rubric 1-5 model:judge-7b served:judge-7b-served template:"+TemplateHash(ratingTemplate) {
		t.Errorf("signature %q", got)
	}
}

func TestParseRating(t *testing.T) {
	f := func(text, scale string, want float64, ok bool) {
		t.Helper()
		if got, read := parseRating(text, scale); got != want || read != ok {
			t.Errorf("parseRating(%q, %s) = %v, %v; want %v, %v", text, scale, got, read, want, ok)
		}
	}
	f("Rating: 4", "1-5", 0.75, true)
	f("rating:1.", "1-5", 0, true)
	f("**Rating**: 3", "1-5", 0.5, true)
	f("Rating: 4.5", "1-5", 0, false)
	f("Rating: 7", "1-5", 0, false)
	f("Rating: 42", "1-5", 0, false)
	f("Rating: yes", "1-5", 0, false)
	f("Rating: Yes", "yes-no", 1, true)
	f("Rating: no", "yes-no", 0, true)
	f("Rating: nothing", "yes-no", 0, false)
	f("Rating: 1 at first.\nRating: 5", "1-5", 1, true)
	f("", "1-5", 0, false)
}

// Whoever is first, results stand in the order of the items.
func TestEach(t *testing.T) {
	var under, most atomic.Int32
	got := Each(t.Context(), 100, 7, func(ctx context.Context, i int) int {
		most.Store(max(most.Load(), under.Add(1)))
		defer under.Add(-1)
		return i
	})
	for i, value := range got {
		if i != value {
			t.Fatalf("place %d holds %d", i, value)
		}
	}
	if most.Load() > 7 {
		t.Errorf("%d at once; want at most 7", most.Load())
	}
}
